"""Loads how what a guest tells becomes counters (resources/guests/linux.toml, windows.toml)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml, shipped_once

__all__ = [
    "GuestCounter",
    "GuestCounters",
    "GuestLimits",
    "GuestTable",
    "ToolsLimits",
    "WindowsCounter",
    "WindowsCounters",
    "load_guest_counters",
    "load_windows_counters",
]


class GuestLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often guests are looked at (s), and how much one may say: bytes and rows of a frame.

    A guest is connected to again when it says nothing for ``silent_s`` and ``silent_intervals``; its
    loop ends by itself when we give no sign for ``deaf_s``.
    """

    usual_s: int
    least_s: int
    frame_bytes: int
    rows: int
    silent_s: float
    silent_intervals: int
    deaf_s: int
    source: str


class ToolsLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How guests are looked at through VMware Tools (s).

    Samples come in parts of ``part_s``, the first ones alone, asked for after ``first_poll_s``. Tools may be
    busy for ``ready_s`` at first; a sampler is looked for when a part is ``grace_s`` late; a folder in which
    nothing was done for ``left_s`` is left over. No more than ``most_guests`` are asked through one server.
    """

    part_s: float
    first_poll_s: float
    ready_s: float
    grace_s: float
    left_s: float
    most_guests: int
    source: str


class GuestTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lines of one file that begin with ``line``, a pattern; what follows are the numbers of ``columns``.

    The pattern's group ``instance`` says whose numbers these are: only those count that match ``instances``,
    and ``whole`` is all of them together. Its group ``field`` names the one number of the line. ``narrow``
    columns have 32 bits on every machine.
    """

    name: str
    file: str
    line: str
    columns: tuple[str, ...]
    source: str
    instances: str = ""
    whole: str = ""
    narrow: tuple[str, ...] = ()


class GuestCounter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a counter is made of a table's fields.

    ``how``: "now" is the sum of the fields ``of`` (a minus before a name takes it off), "rate" its growth a
    second, "ratio" its growth by the growth of ``per``, "part" the same of the fields themselves. ``factor``
    turns that into the counter's unit; for numbers of ``pages`` their size does. ``at_most`` bounds a
    share of the time, which two clocks measure.
    """

    key: str
    table: str
    how: Literal["now", "rate", "ratio", "part"]
    of: tuple[str, ...]
    per: tuple[str, ...] = ()
    factor: float = 1.0
    pages: bool = False
    at_most: float = float("inf")


class GuestCounters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All tables and counters of a kind of guest."""

    limits: GuestLimits
    tools: ToolsLimits
    table: tuple[GuestTable, ...]
    counter: tuple[GuestCounter, ...]


class TypeperfLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """After how many samples typeperf ends by itself, and how long one of its lines may be."""

    samples: int
    line_bytes: int
    source: str


class WindowsCounter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A performance counter of Windows by its English path; ``factor`` makes it the unit of ``key``.

    Of its instances ``whole`` is the guest itself, ``leave`` is left out; the others get ``prefix`` before
    their names. It says nothing while the counter ``per`` of the same instance is 0.
    """

    path: str
    key: str
    source: str
    factor: float = 1.0
    whole: str = ""
    leave: str = ""
    prefix: str = ""
    per: str = ""


class WindowsCounters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All counters of Windows guests."""

    limits: TypeperfLimits
    counter: tuple[WindowsCounter, ...]


@shipped_once
def load_windows_counters(_extra_dirs: Sequence[Path] = ()) -> WindowsCounters:
    """Load what is known of Windows guests. Raises KnowledgeError, naming file and entry."""
    path = RESOURCES / "guests" / "windows.toml"
    return checked(read_toml(path), WindowsCounters, path)


@shipped_once
def load_guest_counters(_extra_dirs: Sequence[Path] = ()) -> GuestCounters:
    """Load what is known of Linux guests. Raises KnowledgeError, naming file and entry."""
    path = RESOURCES / "guests" / "linux.toml"
    found = checked(read_toml(path), GuestCounters, path)
    for entry, problem in _problems(found):
        raise knowledge_error(path, entry, problem)
    return found


def _problems(found: GuestCounters) -> Iterator[tuple[str, str]]:
    tables = {table.name: table for table in found.table}
    for table in found.table:
        for pattern in (table.line, table.instances):
            try:
                re.compile(pattern)
            except re.error as error:
                yield table.name, f"{pattern!r} is no pattern: {error}"
        if unknown := {*table.narrow} - {*table.columns}:
            yield table.name, f"narrow names {min(unknown)}, which is no column"
    for counter in found.counter:
        if counter.table not in tables:
            yield counter.key, f"there is no table {counter.table}"
            continue
        named = {name.removeprefix("-") for name in (*counter.of, *counter.per)}
        columns = {*tables[counter.table].columns}
        if columns != {""} and (unknown := named - columns):
            yield counter.key, f"{counter.table} has no column {min(unknown)}"
        if bool(counter.per) != (counter.how in ("ratio", "part")):
            yield counter.key, "a ratio or part has `per`, and only they"
