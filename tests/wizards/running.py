"""Runs a plan in an environment in memory, into a real session by the real recorder."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from diagnosis.statistics.steady import SteadyLimits
from recorder.limits import StoppingLimits, load_recorder_limits
from recorder.recording import Outcome, Recording
from recorder.writing import SpaceRules
from resources.fio_jobs import load_fio_jobs
from resources.guided_tests import load_guided_tests
from sessions.journal import JournalEntry, TestRun
from sessions.model import Event
from sessions.store import SessionReader
from tests.wizards.memory_environment import MemoryEnvironment
from wizards.flows.engine import RunOptions, TestCollector
from wizards.flows.measured import Measured
from wizards.flows.plan import Plan
from wizards.flows.plan_file import plan_text
from wizards.flows.planning import Choice, make_plan
from wizards.flows.surroundings import look
from wizards.flows.verdict import Verdict

KNOWN, JOBS = load_guided_tests(), load_fio_jobs()
LIMITS = SteadyLimits(60.0, 5.0, 1.0, 5.0, 0.99)


def short_plan(around: MemoryEnvironment, test: str = "io-sweep", **choice: Any) -> Plan:
    """A plan that takes some minutes of the environment's time."""
    chosen = {"length": "lab", "inputs": {"depths": (1, 16)}, **choice}
    return make_plan(KNOWN.require(test), look(around), Choice(test, **chosen))


def counted(_plan: Plan, measured: Measured) -> Verdict:
    """A verdict that only counts."""
    good = [one for one in measured.rounds if not one.disturbances]
    return Verdict(bool(good), "" if good else "Nothing is left.", f"{len(good)} rounds", "", "indicative")


@dataclass
class Ran:
    """What a run left."""

    outcome: Outcome
    collector: TestCollector
    run: TestRun
    journal: list[JournalEntry]
    events: list[Event]

    @property
    def phases(self) -> dict[str, str]:
        """The state of each phase."""
        return {one.name: one.state for one in self.run.phases}


def run_plan(session: Path, around: MemoryEnvironment, plan: Plan, **options: Any) -> Ran:
    """Run a plan to its end."""
    recording, collector = recording_of(session, around, plan, **options)
    recording.start()
    outcome = recording.finish()
    if not session.exists():
        assert collector.result is not None
        return Ran(outcome, collector, collector.result, collector.changes, [])
    with SessionReader.open(session) as reader:
        (run,) = reader.test_runs()
        return Ran(outcome, collector, run, reader.journal(), list(reader.events()))


def recording_of(
    session: Path,
    around: MemoryEnvironment,
    plan: Plan,
    rules: SpaceRules = SpaceRules(0, 0, 0),  # noqa: B008 - it never changes
    **options: Any,
) -> tuple[Recording, TestCollector]:
    """A recording of a run that has not begun."""
    given: dict[str, Any] = {"judge": counted, "poll_s": 5.0, "retry_s": 0.0, **options}
    chosen = RunOptions(run="run-1", open=lambda: around, known=KNOWN, jobs=JOBS, steady=LIMITS, **given)
    collector = TestCollector(plan, plan_text(plan), chosen)
    limits = replace_limits()
    over = threading.Event()
    recording = Recording([collector], session, limits, rules, on_over=over.set, title="a test")
    return recording, collector


def replace_limits() -> Any:
    """The recorder's limits, with time to put everything back."""
    from msgspec.structs import replace as with_fields  # noqa: PLC0415 - named like dataclasses.replace

    return with_fields(load_recorder_limits(), stopping=StoppingLimits(600.0))


__all__ = ["Ran", "counted", "recording_of", "replace", "run_plan", "short_plan"]
