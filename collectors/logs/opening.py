"""Opens logs: plain or compressed files, and those in a vm-support archive, one stream after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from collectors.logs.archive import Member, members
from collectors.logs.recognising import is_damaged_tar, is_tar
from collectors.unpacking import BROKEN, Unpacked, compression_of
from resources.failures import BadInputError
from resources.files import opened_for_reading
from resources.foreign_text import shown, storable
from resources.log_lines import LogKnowledge
from resources.units import format_bytes

_MB = 1 << 20
_HEAD = 512


@dataclass(frozen=True, slots=True)
class LogStream:
    """The text of one log: ``name`` as people call it, ``folders`` that it lies in, innermost last.

    ``host`` is the one that the archive is called after, empty if unknown. ``read`` returns about so many
    bytes of text, none at the end; it raises BadInputError where the file is damaged.
    """

    name: str
    folders: tuple[str, ...]
    host: str
    is_archived: bool
    read: Callable[[int], bytes]


class _Unpacking:
    """Unpacks a compressed file, and says where it is damaged."""

    def __init__(self, raw: _Counted, kind: str, name: str) -> None:
        self._inner, self._name = Unpacked(raw, kind), name  # type: ignore[arg-type]  # it only reads

    def read(self, size: int) -> bytes:
        try:
            return self._inner.read(size)
        except BROKEN as error:
            why = shown(str(error) or type(error).__name__)
            raise BadInputError(
                f"{shown(self._name)} can't be unpacked to its end: {why}.",
                meaning="Nothing was imported.",
                advice="Copy it again from where it was made; a log that is still packed may be cut off.",
            ) from error


class _Plausible:
    """Reads what is unpacked, and stops at what is far larger than what it is unpacked from (``packed``)."""

    def __init__(
        self, read: Callable[[int], bytes], packed: _Counted, name: str, limit_mb: int, ratio: int
    ) -> None:
        self._read, self._packed, self._name = read, packed, name
        self._limit, self._ratio = limit_mb * _MB, ratio
        self._before, self._size = packed.count, 0

    def read(self, size: int) -> bytes:
        data = self._read(size)
        self._size += len(data)
        ratio = self._size / max(1, self._packed.count - self._before)
        if self._size > self._limit and ratio > self._ratio:
            raise BadInputError(
                f"{shown(self._name)} unpacks to more than {self._ratio} times its size: "
                f"{format_bytes(self._size)} so far.",
                meaning="No log and no archive of logs does; nothing was imported.",
                advice="Look at where this file comes from.",
            )
        return data


class _Counted:
    """A stream with the number of bytes that were read of it."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read, self._pushed, self.count = read, b"", 0

    def read(self, size: int) -> bytes:
        if self._pushed:
            data, self._pushed = self._pushed[:size], self._pushed[size:]
            return data
        data = self._read(size)
        self.count += len(data)
        return data

    def peek(self, size: int) -> bytes:
        """Return the next ``size`` bytes, fewer at the end; they are read again."""
        parts = [self._pushed]
        while sum(map(len, parts)) < size:
            data = self._read(size)
            self.count += len(data)
            if not data:
                break
            parts.append(data)
        self._pushed = b"".join(parts)
        return self._pushed[:size]


@contextmanager
def opened_logs(
    path: Path, known: LogKnowledge, tell: Callable[[int], None]
) -> Iterator[Iterator[LogStream]]:
    """Open a file; yields the logs in it, each to be read before the next one is asked for.

    ``tell`` gets the position in the file before each piece of it is read; what it raises ends the reading.
    Raises NotFoundError, AccessDeniedError, BadInputError; reading raises BadInputError.
    """
    with opened_for_reading(path, BadInputError, "Name the logs in it.") as raw:

        def read(size: int) -> bytes:
            tell(raw.tell())
            return raw.read(size)

        yield _logs(path, _Counted(read), known)


def _logs(path: Path, raw: _Counted, known: LogKnowledge) -> Iterator[LogStream]:
    name = storable(path.name)
    text = _unpacked(raw, name)
    head = text.peek(_HEAD)
    if not is_tar(head) and not is_damaged_tar(head):
        folders = tuple(path.absolute().parts[1:-1])
        read = text.read if text is raw else _plausible(text.read, raw, name, known)
        yield LogStream(name, folders, "", is_archived=False, read=read)
        return
    by_name, limits = _host_of(name, known), known.limits
    whole = _Plausible(text.read, raw, name, limits.archive_mb, limits.unpacked_ratio)
    for member in members(whole.read, name, limits.max_members):
        place = PurePosixPath(member.name)
        if known.names.fullmatch(place.name):
            yield _member(member, place, by_name, raw, known)


def _member(member: Member, place: PurePosixPath, host: str, raw: _Counted, known: LogKnowledge) -> LogStream:
    stream = _unpacked(_Counted(member.read), place.name)
    folders = tuple(part for part in place.parts[:-1] if part not in (".", "..", "/"))
    host = host or next((name for part in folders if (name := _host_of(part, known))), "")
    read = _plausible(stream.read, raw, place.name, known)
    return LogStream(place.name, folders, host, is_archived=True, read=read)


def _plausible(
    read: Callable[[int], bytes], packed: _Counted, name: str, known: LogKnowledge
) -> Callable[[int], bytes]:
    return _Plausible(read, packed, name, known.limits.unpacked_mb, known.limits.unpacked_ratio).read


def _unpacked(raw: _Counted, name: str) -> _Counted:
    kind = compression_of(raw.peek(16))
    return _Counted(_Unpacking(raw, kind, name).read) if kind else raw


def _host_of(name: str, known: LogKnowledge) -> str:
    """The host after which a vm-support archive, or the folder in it, is called; empty for another name."""
    found = known.bundle.fullmatch(name)
    return found["host"] if found else ""
