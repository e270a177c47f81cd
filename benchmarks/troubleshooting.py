"""How long the guided troubleshooting takes over a recorded day: all checks of a VM and of a host, beside the
diagnosis of everything in the same session.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.big_session import big_session
from benchmarks.measure import Row
from diagnosis import diagnose_session
from resources.catalogue import load_catalogue
from resources.guided_flow import load_flow
from resources.problem_cards import load_problems
from sessions.model import EntityRef
from sessions.store import SessionReader
from sessions.times import TimeRange
from sessions.troubleshooting import ranked
from viewmodels.snapshot import Snapshot, read_snapshot
from wizards.flows.troubleshooting.judging import look_into, symptom_of
from wizards.flows.troubleshooting.verifying import Session, verify

_TIMES = 3
_LIMIT_S = 0.5
_HOUR_MS = 3_600_000


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Measure a day of the demo's lab with its problems, in seconds of processor time: other programs on the
    machine don't count.
    """
    path = big_session(cache, hours=1 if quick else 24, scenario="demo")
    problems, catalogue = load_problems(), load_catalogue()
    with SessionReader.open(path) as reader:
        snapshot = read_snapshot(reader, path)
        whole = cpu_seconds(lambda: diagnose_session(reader, problems, catalogue))
        findings = diagnose_session(reader, problems, catalogue).findings
        vm = next(one.entity for one in findings if one.entity.kind == "vm")
        host = next(ref for ref in snapshot.entities if ref.kind == "host")
        return [
            look_row(reader, snapshot, vm, "a VM with problems", whole),
            look_row(reader, snapshot, host, "a host with its VMs", whole),
            verify_row(reader, snapshot, vm),
        ]


def look_row(reader: SessionReader, snapshot: Snapshot, ref: EntityRef, what: str, whole: float) -> Row:
    """Measure all checks of one entity over the whole session."""
    symptom = symptom_of(snapshot, ref)
    seconds = cpu_seconds(lambda: look_into(reader, snapshot, symptom))
    look = look_into(reader, snapshot, symptom)
    hours = symptom.window.seconds / 3600
    found = len(ranked(look.run.checks))
    return Row(
        f"{len(load_flow().rows)} rows, {len(look.run.checks)} checks of {what}, "
        f"{len(snapshot.series):,} series × {hours:.0f} h ({found} found), CPU",
        f"{seconds:.2f} s",
        f"diagnosing all {whole:.2f} s",
        f"{whole / seconds:.1f}×",
        f"≤ {_LIMIT_S} s",
        seconds <= _LIMIT_S,
    )


def verify_row(reader: SessionReader, snapshot: Snapshot, ref: EntityRef) -> Row:
    """Measure the verification: the last hour against the time before it."""
    span = snapshot.span
    assert span is not None
    middle = max(span.start + (span.end - span.start) // 2, span.end - _HOUR_MS)
    run = look_into(reader, snapshot, symptom_of(snapshot, ref, until=middle)).run
    here = Session(reader, snapshot, snapshot.path.name)
    after = TimeRange(middle + 1, span.end)
    seconds = cpu_seconds(lambda: verify(here, run, after))
    return Row(
        f"the checks again over {after.seconds / 60:.0f} min, load and what got worse elsewhere, CPU",
        f"{seconds:.2f} s",
        "–",
        "–",
        "≤ 4 s",
        seconds <= 4,
    )


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the least processor time of some runs of ``work``, in seconds."""
    found = []
    for _ in range(_TIMES):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return min(found)
