"""What the page of a run is made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sessions.journal import JournalEntry, TestRun
from sessions.model import Event
from viewmodels.run_curves import CounterCurve, WorkCurves
from wizards.flows.costs import Cost
from wizards.flows.plan import Plan


@dataclass(frozen=True, slots=True)
class RunSource:
    """What a page is made from. ``now`` is the run's own time (ms), ``clock`` writes times of the day.

    ``counters`` are the environment's by key, ``events`` those of the run's time. ``is_paused``: a pause was
    asked for. ``lost_events`` say of workers, by their names, that they were lost.
    """

    run: TestRun
    plan: Plan
    cost: Cost
    work: WorkCurves
    counters: Mapping[str, Sequence[CounterCurve]]
    journal: Sequence[JournalEntry]
    events: Sequence[Event]
    now: int
    clock: Callable[[float], str]
    settings: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    is_paused: bool = False
    lost_events: Mapping[str, Event] = field(default_factory=dict)

    def role(self, worker: str) -> str:
        """Return the role of a worker, empty for none."""
        return next((one.role for one in self.plan.workers if one.name == worker), "")

    @property
    def heard(self) -> dict[str, int]:
        """When each worker's newest sample was (ms)."""
        return {one.worker: one.heard for one in self.work.workers if one.heard is not None}

    @property
    def lost(self) -> dict[str, str]:
        """Why workers were lost, by their names; one that is heard again after a resume is not."""
        heard = self.heard
        return {name: one.text for name, one in self.lost_events.items() if heard.get(name, 0) <= one.at}

    @property
    def changes(self) -> list[JournalEntry]:
        """The changes of this run."""
        return [one for one in self.journal if one.run == self.run.id]
