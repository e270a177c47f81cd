"""Looks into a symptom, and verifies a fix, with the charts of all checks; run these in a worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from app.gui.jobs import Job
from resources.problem_cards import Problems
from sessions.model import EntityRef
from sessions.store import SessionReader
from sessions.times import TimeRange
from sessions.troubleshooting import TroubleshootingRun, Verification
from viewmodels.snapshot import Snapshot, read_snapshot
from wizards.flows.troubleshooting.check_charts import CheckChart, charts_of
from wizards.flows.troubleshooting.judging import knowledge_of, look_into, symptom_of
from wizards.flows.troubleshooting.run_charts import charts_of_run
from wizards.flows.troubleshooting.verifying import Session, Told, verify

Charts = Mapping[str, CheckChart]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked into: of which entity, what was noticed, from when to when (ms).

    None for ``since``: the whole session; for ``until``: until now; for ``normal``: the time before it.
    """

    entity: EntityRef
    noticed: str = "slow"
    since: int | None = None
    until: int | None = None
    normal: TimeRange | None = None


@dataclass(frozen=True, slots=True)
class LaterTime:
    """Which time is after the change: ``window`` of the session or of the one at ``other`` (None: what was
    recorded since the change); ``told`` is the change if somebody told of it.
    """

    window: TimeRange | None = None
    other: Path | None = None
    told: Told | None = None


def looked_into(
    reader: SessionReader, snapshot: Snapshot, asked: Asked, cards: Problems, job: Job
) -> tuple[TroubleshootingRun, Charts]:
    """Return the run of a symptom and the charts of its checks by problem.

    A session that is being recorded has gone on since its snapshot: up to now is up to what is there now.
    """
    symptom = symptom_of(
        replace(snapshot, span=reader.info().span),
        asked.entity,
        since=asked.since,
        until=asked.until,
        noticed=asked.noticed,
        normal=asked.normal,
    )
    look = look_into(reader, snapshot, symptom, knowledge_of(cards), job)
    return look.run, charts_of(look.prepared, look.run)


def verified_fix(
    reader: SessionReader,
    snapshot: Snapshot,
    run: TroubleshootingRun,
    later: LaterTime,
    cards: Problems,
    job: Job,
) -> tuple[Verification, Charts]:
    """Return what became of a run's problems, and the charts over both times (none of another session's)."""
    knowledge = knowledge_of(cards)
    here = Session(reader, snapshot, snapshot.path.name)
    if later.other is not None:
        with SessionReader.open(later.other) as second:
            there = Session(second, read_snapshot(second, later.other), later.other.name)
            found = verify(
                here, run, later.window, other=there, told=later.told, knowledge=knowledge, cancel=job
            )
        return found, {}
    found = verify(here, run, later.window, told=later.told, knowledge=knowledge, cancel=job)
    if found.state != "done":
        return found, {}
    return found, charts_again(reader, snapshot, run, found, cards)


def charts_again(
    reader: SessionReader,
    snapshot: Snapshot,
    run: TroubleshootingRun,
    again: Verification | None,
    cards: Problems,
) -> Charts:
    """Return the charts of a run's checks, to the end of what was verified."""
    return charts_of_run(reader, snapshot, run, again, knowledge_of(cards))
