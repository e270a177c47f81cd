"""Reads a frame of a Linux guest into tables of numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from resources.failures import SourceError
from resources.guest_counters import GuestCounters, GuestTable

_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,9})?")
_NAME = re.compile(r"[!-~]{1,64}")
_BOOT_ID = "/proc/sys/kernel/random/boot_id:"
_CLOCK = "clock:"

Rows = Mapping[str, Mapping[str, float]]
"""Numbers by instance ("" for the guest itself) and field."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a guest's kernel counted at one moment.

    ``clock_ns``: the guest's clock, ns since 1970, None where it does not tell. ``uptime_s`` is the time
    since its boot, ``boot`` names that boot. ``tables`` are by the table's name.
    """

    clock_ns: int | None
    uptime_s: float
    boot: str
    tables: Mapping[str, Rows]


class LinuxReader:
    """Reads frames as ``counters`` says."""

    def __init__(self, counters: GuestCounters) -> None:
        self._max_rows = counters.limits.rows
        self._by_file: dict[str, list[_Table]] = {}
        for table in counters.table:
            self._by_file.setdefault(table.file, []).append(_Table(table))

    def read(self, lines: Sequence[str]) -> Reading:
        """Read a sample's lines. Raises SourceError for a frame without the time since the boot."""
        clock, boot = None, ""
        tables: dict[str, dict[str, dict[str, float]]] = {}
        rows = 0
        for line in lines:
            if line.startswith(_CLOCK):
                clock = _clock(line[len(_CLOCK) :])
            elif line.startswith(_BOOT_ID):
                boot = line[len(_BOOT_ID) :]
            else:
                file, _, text = line.partition(":")
                for table in self._by_file.get(file, ()):
                    rows += table.read(text, tables)
                if rows > self._max_rows:
                    raise SourceError("The guest tells of more CPUs and devices than any machine has.")
        up = tables.get("uptime", {}).get("", {}).get("up")
        if up is None or not up > 0:
            raise SourceError(
                "The guest does not tell the time since its boot.",
                meaning="/proc/uptime can't be read there: it is no Linux, or its /proc is closed.",
            )
        return Reading(clock, up, boot, tables)


class _Table:
    """One table of a file."""

    def __init__(self, table: GuestTable) -> None:
        self._table = table
        self._line = re.compile(table.line)
        self._instances = re.compile(table.instances) if table.instances else _NAME
        self._groups = self._line.groupindex

    def read(self, text: str, tables: dict[str, dict[str, dict[str, float]]]) -> int:
        """Add a line's numbers; return how many rows were new."""
        match = self._line.match(text)
        if match is None:
            return 0
        instance = match["instance"] if "instance" in self._groups else ""
        if instance and not (_NAME.fullmatch(instance) and self._instances.fullmatch(instance)):
            return 0
        instance = "" if instance == self._table.whole else instance
        words = text[match.end() :].split()
        columns = (match["field"],) if "field" in self._groups else self._table.columns
        there = tables.setdefault(self._table.name, {})
        is_new = instance not in there
        row = there.setdefault(instance, {})
        for name, word in zip(columns, words, strict=False):
            if _NUMBER.fullmatch(word) and name not in row:
                row[name] = int(word) if word.isdigit() else float(word)
        return int(is_new)


def _clock(text: str) -> int | None:
    """Nanoseconds since 1970; a small ``date`` knows seconds alone, and prints the rest as letters."""
    digits = re.match(r"[0-9]{1,20}", text)
    if digits is None:
        return None
    number = int(digits[0])
    if len(digits[0]) <= 11:
        number *= 1_000_000_000
    return number if math.log10(max(number, 1)) < 18.7 else None
