"""Asks a guest what it is and has, and reads the answer of inspect.sh."""

from __future__ import annotations

import re
from dataclasses import dataclass

from resources.failures import SourceError
from resources.foreign_text import shown
from workloads.environment import DiskIdentity, WorkerFacts
from workloads.guests.contract import base_folder
from workloads.guests.disks import parse_disk
from workloads.guests.shells import script_of
from workloads.guests.transport import ClockReading, GuestTransport, unexpected

_WITHIN_S = 120.0
_MAX_DISKS = 4096
_VERSION = re.compile(r"(?:fio-)?(\d[\w.+-]{0,60})")


@dataclass(frozen=True, slots=True)
class Inspected:
    """What a guest said of itself; ``boot`` differs after each start of its system, empty if unknown."""

    fio: str
    engines: tuple[str, ...]
    cpus: int
    disks: tuple[DiskIdentity, ...]
    free_bytes: int
    boot: str

    def facts(self, transport: GuestTransport, clock: ClockReading) -> WorkerFacts:
        """Return it as a worker's facts, with what was measured of the clock."""
        return WorkerFacts(
            transport.guest,
            self.fio,
            self.engines,
            self.cpus,
            clock.offset_ms,
            clock.error_ms,
            self.disks,
            self.free_bytes,
        )


def inspect(transport: GuestTransport, own_fio: str = "") -> Inspected:
    """Ask a guest what it is and has. Raises SourceError."""
    script = script_of(transport.guest, "disks", "inspect")
    output = transport.run(script, f"{base_folder(transport.guest)}\n{own_fio}\n", _WITHIN_S)
    text = output.out.decode("utf-8", "replace")
    if output.exit_code or not text.rstrip().endswith("end"):
        raise unexpected(transport.place, "It could not be found out what there is", output)
    return parse_inspected(text)


def parse_inspected(text: str) -> Inspected:
    """Return what the answer says; lines that no script of ours prints are ignored."""
    single: dict[str, str] = {}
    engines: list[str] = []
    disks: list[DiskIdentity] = []
    for line in text.splitlines():
        word, _, rest = line.partition("\t" if line.startswith("disk\t") else " ")
        if word == "engine" and re.fullmatch(r"[a-z0-9_-]{1,40}", rest):
            engines.append(rest)
        elif word == "disk" and len(disks) < _MAX_DISKS:
            disk = parse_disk(rest.rstrip("\r"))
            if disk is not None:
                disks.append(disk)
        else:
            single[word] = rest.strip()
    version = _VERSION.fullmatch(single.get("fio", ""))
    return Inspected(
        version[1] if version else "",
        tuple(dict.fromkeys(engines)),
        _number(single.get("cpus", "")),
        tuple(disks),
        _number(single.get("free_kb", "")) * 1024,
        shown(single.get("boot", ""), 80),
    )


def check_disks(transport: GuestTransport, disks: str) -> tuple[str, ...]:
    """Return the guest's objections to the disks of a file ``disks``: "NUMBER WORD …", none if all are fine.

    Raises SourceError if the guest does not say.
    """
    script = script_of(transport.guest, "disks", "check")
    output = transport.run(script, disks, _WITHIN_S)
    lines = output.out.decode("utf-8", "replace").splitlines()
    if output.exit_code or not lines or lines[-1].strip() != "checked":
        raise unexpected(transport.place, "The disks could not be examined", output)
    return tuple(line.strip() for line in lines[:-1] if line.strip())


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def fio_objection(version: str, place: str, oldest: str, *, is_old: bool) -> SourceError | None:
    """Return the error for a guest without a fio that is new enough, None if it has one."""
    if not version:
        return SourceError(
            f"{place} has no fio.",
            meaning="fio makes the test's I/O; it was looked for in the guest's PATH.",
            advice="Install it in the guest (its package is called fio), or let the plan copy one there.",
        )
    if is_old:
        return SourceError(
            f"{place} has fio {version}, which is too old.",
            meaning=f"Before {oldest} fio writes another share of duplicates than it is asked for.",
            advice=f"Install fio {oldest} or later in the guest, or let the plan copy one there.",
        )
    return None
