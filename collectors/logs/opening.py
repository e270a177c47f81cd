"""Opens logs: plain or compressed files, and those in a vm-support archive, one stream after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from collectors.logs.archive import Member, members
from collectors.logs.recognising import is_tar
from collectors.unpacking import BROKEN, Unpacked, compression_of
from resources.failures import BadInputError
from resources.files import opened_for_reading
from resources.foreign_text import shown
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


class _Guarded:
    """Unpacks a compressed file, and stops at damage, and at what is far larger than it says."""

    def __init__(self, raw: _Counted, kind: str, name: str, known: LogKnowledge) -> None:
        self._raw, self._name, self._limits = raw, name, known.limits
        self._inner = Unpacked(raw, kind)  # type: ignore[arg-type]  # it only reads
        self._size = 0

    def read(self, size: int) -> bytes:
        try:
            data = self._inner.read(size)
        except BROKEN as error:
            why = shown(str(error) or type(error).__name__)
            raise BadInputError(
                f"{shown(self._name)} can't be unpacked to its end: {why}.",
                meaning="Nothing was imported.",
                advice="Copy it again from where it was made; a log that is still packed may be cut off.",
            ) from error
        self._size += len(data)
        ratio = self._size / max(1, self._raw.count)
        if self._size > self._limits.unpacked_mb * _MB and ratio > self._limits.unpacked_ratio:
            raise BadInputError(
                f"{shown(self._name)} unpacks to more than {self._limits.unpacked_ratio} times its size: "
                f"{format_bytes(self._size)} so far.",
                meaning="No log does; nothing was imported.",
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
def opened_logs(path: Path, known: LogKnowledge) -> Iterator[tuple[BinaryIO, Iterator[LogStream]]]:
    """Open a file; the second value yields the logs in it, each to be read before the next one is asked for.

    The first is the file itself, whose position says how far that is. Raises NotFoundError,
    AccessDeniedError, BadInputError; reading raises BadInputError.
    """
    with opened_for_reading(path, BadInputError, "Name the logs in it.") as raw:
        yield raw, _logs(path, _Counted(raw.read), known)


def _logs(path: Path, raw: _Counted, known: LogKnowledge) -> Iterator[LogStream]:
    text = _unpacked(raw, path.name, known)
    if not is_tar(text.peek(_HEAD)):
        folders = tuple(path.absolute().parts[1:-1])
        yield LogStream(path.name, folders, "", is_archived=False, read=text.read)
        return
    by_name = _host_of(path.name, known)
    for member in members(text.read, path.name, known.limits.max_members):
        place = PurePosixPath(member.name)
        if known.names.fullmatch(place.name):
            yield _member(member, place, by_name, known)


def _member(member: Member, place: PurePosixPath, host: str, known: LogKnowledge) -> LogStream:
    stream = _unpacked(_Counted(member.read), place.name, known)
    folders = tuple(part for part in place.parts[:-1] if part not in (".", "..", "/"))
    host = host or next((name for part in folders if (name := _host_of(part, known))), "")
    return LogStream(place.name, folders, host, is_archived=True, read=stream.read)


def _unpacked(raw: _Counted, name: str, known: LogKnowledge) -> _Counted:
    kind = compression_of(raw.peek(16))
    return _Counted(_Guarded(raw, kind, name, known).read) if kind else raw


def _host_of(name: str, known: LogKnowledge) -> str:
    """The host after which a vm-support archive, or the folder in it, is called; empty for another name."""
    found = known.bundle.fullmatch(name)
    return found["host"] if found else ""
