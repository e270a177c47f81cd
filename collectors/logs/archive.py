"""The files in a tar archive, read forwards, one after another: nothing is unpacked to disk.

The library's own reader takes a header at its word: a name of 4 GB is read into memory. Here names are short,
and what is no regular file (links, devices) is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from collectors.logs.recognising import is_tar
from resources.failures import BadInputError
from resources.foreign_text import shown

_BLOCK = 512
_NAME_LIMIT = 16 << 10
_PIECE = 1 << 20
_REGULAR, _LONG_NAME, _EXTENDED = (b"0", b"\0", b"7"), b"L", b"x"

Read = Callable[[int], bytes]
"""Returns about so many bytes, none at the end."""


class _Bytes:
    """Exactly so many bytes of a stream at a time; ``name`` is what the archive is called."""

    def __init__(self, read: Read, name: str) -> None:
        self._read, self._rest, self._name = read, b"", name

    def take(self, size: int) -> bytes:
        """Return ``size`` bytes. Raises BadInputError where the archive ends before."""
        parts, found = [self._rest], len(self._rest)
        while found < size:
            data = self._read(min(size - found, _PIECE) or _BLOCK)
            if not data:
                raise BadInputError(
                    f"{shown(self._name)} ends in the middle of a file.",
                    meaning="Nothing of it was imported.",
                    advice="Copy it again from where it was made.",
                )
            parts.append(data)
            found += len(data)
        joined = b"".join(parts)
        self._rest = joined[size:]
        return joined[:size]

    def take_some(self, size: int) -> bytes:
        """Return from 1 to ``size`` bytes."""
        if self._rest:
            data, self._rest = self._rest[:size], self._rest[size:]
            return data
        return self.take(min(size, _PIECE))

    def is_over(self) -> bool:
        """True if nothing follows."""
        if not self._rest:
            self._rest = self._read(_BLOCK)
        return not self._rest


@dataclass(slots=True)
class Member:
    """A regular file in an archive: its name there, of whose ``left`` bytes none was read so far."""

    name: str
    left: int
    _bytes: _Bytes

    def read(self, size: int) -> bytes:
        """Return about ``size`` bytes of the file, none at its end."""
        if not self.left:
            return b""
        data = self._bytes.take_some(min(size, self.left))
        self.left -= len(data)
        return data


def members(read: Read, name: str, max_members: int) -> Iterator[Member]:
    """Yield the regular files of the archive ``name``; what is not read of one is passed over.

    Raises BadInputError for what is no tar archive, and for one that is cut off, damaged or endless.
    """
    stream, long_name, count = _Bytes(read, name), "", 0
    while not stream.is_over():
        header = stream.take(_BLOCK)
        if not any(header):
            return  # two empty blocks end it; what follows is padding
        if not is_tar(header):
            raise BadInputError(
                f"{shown(name)} is damaged: one of its files has no valid header.",
                meaning="Nothing of it was imported.",
                advice="Copy it again from where it was made.",
            )
        count += 1
        if count > max_members:
            raise BadInputError(f"{shown(name)} holds more than {max_members} files: that is no log archive.")
        size, kind = _size(header, name), header[156:157]
        padding = -size % _BLOCK
        if kind in (_LONG_NAME, _EXTENDED) and size <= _NAME_LIMIT:
            long_name = _long_name(stream.take(size), kind) or long_name
            stream.take(padding)
            continue
        member = Member(long_name or _short_name(header), size, stream)
        long_name = ""
        if kind in _REGULAR:
            yield member
        while member.read(_PIECE):
            pass
        stream.take(padding)


def _size(header: bytes, name: str) -> int:
    field = header[124:136]
    try:
        size = int.from_bytes(field[1:], "big") if field[0] & 0x80 else int(field.strip(b" \0") or b"0", 8)
    except ValueError:
        size = -1
    if size < 0:
        raise BadInputError(f"{shown(name)} is damaged: one of its files has no valid length.")
    return size


def _short_name(header: bytes) -> str:
    prefix = header[345:500].split(b"\0")[0] if header[257:262] == b"ustar" else b""
    name = header[:100].split(b"\0")[0]
    return (prefix + b"/" + name if prefix else name).decode("utf-8", "replace")


def _long_name(data: bytes, kind: bytes) -> str:
    """The name that a header of its own gives to the next file: GNU's, or the one of POSIX (path=…)."""
    if kind == _LONG_NAME:
        return data.split(b"\0")[0].decode("utf-8", "replace")
    for record in data.split(b"\n"):
        _, _, field = record.partition(b" ")
        if field.startswith(b"path="):
            return field.removeprefix(b"path=").decode("utf-8", "replace")
    return ""
