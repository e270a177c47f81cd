"""Compressed files read forwards: gzip, xz and zstd, in bounded memory, whatever a hostile file claims.

The library's own readers drop what they have when a file ends early, or do not say that it did.
"""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable
from typing import BinaryIO, Protocol

import zstandard

BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError)
"""What reading a damaged file raises."""

_INPUT = 1 << 16
_ZSTD_INPUT = 1 << 10  # zstandard has no limit on output: 4 bytes may become 128 KB
_XZ_MEMORY = 96 << 20
_ZSTD_WINDOW = 64 << 20
_MAGIC = {"gzip": b"\x1f\x8b", "xz": b"\xfd7zXZ\x00", "zstd": b"\x28\xb5\x2f\xfd"}


def compression_of(head: bytes) -> str:
    """Return ``gzip``, ``xz`` or ``zstd`` for a file that begins with ``head``; empty if not compressed."""
    return next((name for name, magic in _MAGIC.items() if head.startswith(magic)), "")


class _Stream(Protocol):
    """One compressed stream: ``rest`` is what follows its end, None before that."""

    @property
    def needs_input(self) -> bool: ...

    @property
    def rest(self) -> bytes | None: ...

    def step(self, data: bytes, size: int) -> bytes: ...


class _Gzip:
    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    def step(self, data: bytes, size: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, size)

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def rest(self) -> bytes | None:
        return self._inner.unused_data if self._inner.eof else None


class _Xz:
    def __init__(self) -> None:
        self._inner = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)

    def step(self, data: bytes, size: int) -> bytes:
        return self._inner.decompress(data, size)

    @property
    def needs_input(self) -> bool:
        return self._inner.needs_input

    @property
    def rest(self) -> bytes | None:
        return self._inner.unused_data if self._inner.eof else None


class _Zstd:
    def __init__(self) -> None:
        self._inner = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()

    def step(self, data: bytes, size: int) -> bytes:  # noqa: ARG002 - see _ZSTD_INPUT
        return self._inner.decompress(data)

    @property
    def needs_input(self) -> bool:
        return True

    @property
    def rest(self) -> bytes | None:
        return self._inner.unused_data if self._inner.eof else None


_KINDS: dict[str, tuple[Callable[[], _Stream], int]] = {
    "gzip": (_Gzip, _INPUT),
    "xz": (_Xz, _INPUT),
    "zstd": (_Zstd, _ZSTD_INPUT),
}


class Unpacked:
    """The content of a compressed file; several streams one after another are one content.

    Whatever follows the last stream is ignored, as gzip itself does.
    """

    def __init__(self, raw: BinaryIO, compression: str) -> None:
        self._raw = raw
        self._magic = _MAGIC[compression]
        self._make, self._input = _KINDS[compression]
        self._stream = self._make()
        self._failure: Exception | None = None

    def read(self, size: int) -> bytes:
        """Return about ``size`` bytes, none at the end; raises one of BROKEN where the file is damaged.

        What could be unpacked before the damage is returned first.
        """
        if self._failure is not None:
            raise self._failure
        parts: list[bytes] = []
        length = 0
        try:
            while length < size:
                data = self._some(size - length)
                if data is None:
                    break
                parts.append(data)
                length += len(data)
        except BROKEN as error:
            if not length:
                raise
            self._failure = error
        return b"".join(parts)

    def _some(self, size: int) -> bytes | None:
        """Some content, perhaps none yet; None at the end."""
        rest = self._stream.rest
        if rest is None:
            data = self._raw.read(self._input) if self._stream.needs_input else b""
            if not data and self._stream.needs_input:
                raise EOFError("the file ends early")
            return self._stream.step(data, size)
        rest += self._raw.read(self._input) if len(rest) < len(self._magic) else b""
        if not rest.startswith(self._magic):
            return None
        self._stream = self._make()
        return self._stream.step(rest, size)
