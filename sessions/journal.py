"""What a test changed in an environment, and its result: the journal of changes, and the test run.

A change is written to the journal before it is made and again after each step, so that ``hyperscope restore``
can undo it on any machine that has the session file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

ChangeState = Literal["intended", "applied", "undone", "left", "failed", "not needed"]
"""``left``: it still holds, since somebody else changed it meanwhile; ``not needed``: it was so already."""

PhaseState = Literal["planned", "running", "done", "failed", "skipped"]

Setting = str | float | bool | None
"""The value of a setting, None where it is not set; what is no scalar is given as JSON text."""


@dataclass(frozen=True, slots=True)
class ChangedObject:
    """The object of a change. ``source`` is its server as an address without a password.

    ``kind`` and ``id`` are the server's own (``VirtualMachine``, ``vm-42``); ``name`` is the display name.
    """

    source: str
    kind: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A change of an environment and its state.

    ``id`` is unique in the session; ``run`` is the id of the test run that makes the change, empty for none.
    ``before`` is the setting when the change was intended; ``undo`` tells the code that applies changes how
    to restore it. ``intended_at`` (ms) is when the entry was first written, ``at`` (ms) when the change came
    into ``state``. ``why`` is a sentence for a change that was left in place or failed.

    An entry with the same id replaces the earlier one. Readers get the last entry of each change, in the
    order in which the changes were intended; changes are undone in the opposite order.
    """

    id: str
    run: str
    object: ChangedObject
    setting: str
    before: Setting
    after: Setting
    undo: str
    state: ChangeState
    intended_at: int
    at: int
    why: str = ""

    @property
    def is_open(self) -> bool:
        """True while the change may be in effect: it was intended or applied, or undoing it failed."""
        return self.state in ("intended", "applied", "failed")


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of a test run; ``start`` and ``end`` (ms) are None until they are reached."""

    name: str
    state: PhaseState
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of a test's result: figure ``name`` of object ``of``, from ``n`` samples, with its 95 %
    interval if known.

    ``value`` is None where it could not be determined.
    """

    name: str
    of: str
    value: float | None
    unit: str
    interval: tuple[float, float] | None = None
    n: int = 0


@dataclass(frozen=True, slots=True)
class TestRun:
    """One run of a test: ``plan`` is the text of its plan file, from which it can be repeated.

    ``valid`` is None until it is known whether the result can be trusted, ``why`` says why not; ``verdict``
    is empty until the end. ``details`` is JSON of what the result's page shows besides, and of the rounds
    that were measured so far. A run with the same id replaces the earlier one, but keeps its plan and its
    details where its own are empty: they are long, and a run is written at each step.
    """

    __test__ = False  # pytest: this is none of its tests

    id: str
    test: str
    plan: str
    start: int
    end: int | None = None
    valid: bool | None = None
    why: str = ""
    verdict: str = ""
    phases: tuple[Phase, ...] = ()
    figures: tuple[Figure, ...] = ()
    details: str = ""


def current_journal(written: Iterable[JournalEntry]) -> list[JournalEntry]:
    """Return the last entry of each change, in the order in which the changes were first written."""
    return list({entry.id: entry for entry in written}.values())


def current_runs(written: Iterable[TestRun]) -> list[TestRun]:
    """Return the last version of each run, with its plan and details, in the order of their start."""
    runs: dict[str, TestRun] = {}
    for run in written:
        earlier = runs.get(run.id, run)
        runs[run.id] = replace(run, plan=run.plan or earlier.plan, details=run.details or earlier.details)
    return sorted(runs.values(), key=lambda run: run.start)
