"""What a test did to an environment and what came of it: the journal of changes, and the run itself.

A change is written to the journal before it is made and again after each step, so that ``hyperscope restore``
can undo it on any machine that has the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

ChangeState = Literal["intended", "applied", "undone", "left", "failed", "not needed"]
"""``left``: it still holds, since somebody else changed it meanwhile; ``not needed``: it was so already."""

PhaseState = Literal["planned", "running", "done", "failed", "skipped"]

Setting = str | float | bool | None
"""The value of a setting, None where it is not set; what is no scalar is given as JSON text."""


@dataclass(frozen=True, slots=True)
class ChangedObject:
    """What is changed. ``source``: the server that has it, as an address without a password.

    ``kind`` and ``id`` are the server's own (``VirtualMachine``, ``vm-42``); ``name`` is for people.
    """

    source: str
    kind: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A change to an environment and how far it came.

    ``id`` is unique in the session; ``run`` is the id of the test run that makes the change, empty for none.
    ``before`` was read when it was intended; ``undo`` says in the language of whoever applies it how to put
    it back. ``intended_at`` and ``at`` are milliseconds: when it was written first, and when it came
    into ``state``. ``why`` is a sentence for a change that was left or failed.

    An entry that is written again (same id) replaces the earlier. Who reads gets the last of each, in the
    order in which the changes were intended; they are undone in the opposite order.
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
        """True while the change may still hold: it was intended or applied, or undoing it failed."""
        return self.state in ("intended", "applied", "failed")


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of a test run; ``start`` and ``end`` are None while it has not come that far."""

    name: str
    state: PhaseState
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of the result: ``name`` of ``of`` from ``n`` samples, with its 95 % interval if there is one.

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
    """A run of a test: ``plan`` is the text of its plan file, from which it can be repeated.

    ``valid`` is None until it is known whether the result may be trusted, ``why`` says why not; ``verdict``
    is empty until there is one. A run that is written again (same id) replaces the earlier.
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


def current_journal(written: Iterable[JournalEntry]) -> list[JournalEntry]:
    """The last entry of each change, in the order in which the changes were first written."""
    return list({entry.id: entry for entry in written}.values())


def current_runs(written: Iterable[TestRun]) -> list[TestRun]:
    """The last word on each run, in the order of their start."""
    return sorted({run.id: run for run in written}.values(), key=lambda run: run.start)
