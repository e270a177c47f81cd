"""Everything that a test will do, as the lines of one page: numbers, phases, changes, load, guards, job
files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sessions.journal import PhaseState

Tone = Literal["fill", "first", "second", "third", "after", "restore"]
"""The colour of a phase: grey ones first, the accent for the step that is judged, violet for what follows
it.
"""


@dataclass(frozen=True, slots=True)
class PhaseBlock:
    """A phase on the phase bar: its short label, its title, its length, the number of its repetition (from
    1).
    """

    label: str
    title: str
    seconds: float
    tone: Tone = "second"
    number: int = 1
    state: PhaseState = "planned"


@dataclass(frozen=True, slots=True)
class SheetNumber:
    """A number at the top of the page and its meaning: ``1 h 29 min``, ``if started now, ends ≈ 16:41``."""

    value: str
    meaning: str


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """A setting that will be changed: of what, its value now and during the run, and how it is undone."""

    setting: str
    of: str
    now: str
    during: str
    undone: str


@dataclass(frozen=True, slots=True)
class LoadLine:
    """What a worker does: its role, host, shares, and the part (0 to 1) of the I/O that it is due."""

    worker: str
    role: str
    host: str
    shares: str
    due: float | None


@dataclass(frozen=True, slots=True)
class GuardLine:
    """What ends or repeats a run: ``Free space of perf-lun-02``, ``< 10 %``, ``stops``."""

    what: str
    limit: str
    consequence: str


@dataclass(frozen=True, slots=True)
class JobText:
    """The job file that will run: for whom, its text, and a note on what is checked before it begins."""

    of: str
    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class PlanSheet:
    """The page. ``order`` says in which order the phases come and how long each is."""

    numbers: tuple[SheetNumber, ...] = ()
    phases: tuple[PhaseBlock, ...] = ()
    order: str = ""
    changes: tuple[ChangeLine, ...] = ()
    load: tuple[LoadLine, ...] = ()
    load_note: str = ""
    guards: tuple[GuardLine, ...] = ()
    jobs: tuple[JobText, ...] = field(default=())
