"""Reads one log from its first to its last line: its bursts, its time, and whose it says it is."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from collectors.logs.folding import Burst, Folding, burst_of
from collectors.logs.lines import LineFinder, blocks, stamp_range
from collectors.logs.opening import LogStream
from resources.log_lines import LogKnowledge

_MINUTE = 60_000
_PLACES = 2
"""Above its folder a VM has its datastore and ``volumes``."""


@dataclass(slots=True)
class ReadLog:
    """What one log says. ``first`` and ``last`` are the times (ms) of its lines, None if none has one.

    ``host`` and ``vm`` are what it says of whose it is, empty if nothing. ``by_minute``: numbers of known
    lines.
    """

    name: str
    folders: tuple[str, ...]
    is_archived: bool
    host: str = ""
    vm: str = ""
    first: int | None = None
    last: int | None = None
    lines: int = 0
    known: int = 0
    too_long: int = 0
    left_out: int = 0
    bursts: list[Burst] = field(default_factory=list)
    by_minute: Counter[int] = field(default_factory=Counter)

    def note_long(self) -> None:
        """Count a line that seems known and is too long to be read."""
        self.too_long += 1

    def note_unread(self) -> None:
        """Count a line that is in no block, since it is too long to be read."""
        self.note_long()
        self.lines += 1


def read_log(stream: LogStream, known: LogKnowledge) -> ReadLog:
    """Read a log. Raises BadInputError for a damaged file."""
    log = ReadLog(stream.name, stream.folders, stream.is_archived, stream.host)
    finder, folding = LineFinder(known, log.note_long), Folding(known.limits)
    for block in blocks(stream.read, known.limits.line_bytes, log.note_unread):
        log.lines += block.count(b"\n") + (not block.endswith(b"\n"))
        _note_time(log, block)
        if log.name.startswith("vmware"):
            _note_owner(log, block, known)
        for line in finder.lines(block):
            log.known += 1
            log.by_minute[line.at // _MINUTE] += 1
            for burst in folding.add(burst_of(line, log.name)):
                _keep(log, burst, known.limits.max_events)
    for burst in folding.rest():
        _keep(log, burst, known.limits.max_events)
    if log.name.startswith("vmware") and not log.vm:
        log.vm = _folder_of_vm(log)
    return log


def _keep(log: ReadLog, burst: Burst, max_events: int) -> None:
    if len(log.bursts) < max_events:
        log.bursts.append(burst)
    else:
        log.left_out += 1


def _note_time(log: ReadLog, block: bytes) -> None:
    found = stamp_range(block)
    if found is not None:
        first, last = min(found), max(found)
        log.first = first if log.first is None else min(first, log.first)
        log.last = last if log.last is None else max(last, log.last)


def _note_owner(log: ReadLog, block: bytes, known: LogKnowledge) -> None:
    """What a VM's log says at its beginning; a name counts more than a folder."""
    if name := _named(known.vm_name, block):
        log.vm = name
    elif not log.vm:
        log.vm = _named(known.vm_folder, block)
    log.host = log.host or _named(known.vm_host, block)


def _named(pattern: re.Pattern[bytes], block: bytes) -> str:
    found = pattern.search(block)
    return found["name"].decode("utf-8", "replace") if found else ""


def _folder_of_vm(log: ReadLog) -> str:
    """The folder of an archive that a VM's log lies in: vmfs/volumes/DATASTORE/VM."""
    folders = log.folders
    if log.is_archived and len(folders) > _PLACES and folders[-1 - _PLACES] == "volumes":
        return folders[-1]
    return ""
