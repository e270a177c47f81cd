"""The result of a test as the lines of one page: verdict, validity, charts, notes, raw numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from viewmodels.health import Health
from wizards.flows.chart_values import ChangeChart, PointChart, ShareBar, StepChart, TimeChart

Act = Literal["again", "export", "restore", "resume", "steps", "measure", "report"]
"""What can be done with a result; the page gives it as a signal, but copies the steps by itself."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A few words about how a verdict was made; ``state`` colours it."""

    text: str
    state: Health = "part"


@dataclass(frozen=True, slots=True)
class ActLine:
    """A button: what it does, its words, and why it is off (empty if it is not)."""

    act: Act
    text: str
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class ResultHead:
    """The verdict: its state, one line, one sentence with intervals, and how it was made."""

    state: Health
    line: str
    sentence: str
    chips: tuple[Chip, ...] = ()
    acts: tuple[ActLine, ...] = ()


@dataclass(frozen=True, slots=True)
class FactLine:
    """A line with its state: what it is, what was measured, and the limit or value at the right."""

    state: Health
    title: str
    text: str = ""
    limit: str = ""
    tip: str = ""


@dataclass(frozen=True, slots=True)
class FactList:
    """Lines under a title; ``chip`` sums them up (``6 of 6``)."""

    title: str
    lines: tuple[FactLine, ...]
    chip: Chip | None = None


@dataclass(frozen=True, slots=True)
class RawCell:
    """A cell of the raw numbers: its text, how it is meant, and a curve's colour beside it."""

    text: str
    state: Health = "part"
    colour: int | None = None
    is_bold: bool = False


@dataclass(frozen=True, slots=True)
class RawTable:
    """The raw numbers; of each column its heading, and whether it holds numbers."""

    heads: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[RawCell, ...], ...]


@dataclass(frozen=True, slots=True)
class PlacedVm:
    """A VM in a placement: a short name, whether it is heavy, and whether it was moved."""

    name: str
    is_heavy: bool
    is_moved: bool = False


@dataclass(frozen=True, slots=True)
class HostRow:
    """A host in a placement: its VMs, and how much of it they ask for (percent)."""

    host: str
    vms: tuple[PlacedVm, ...]
    demand: float


@dataclass(frozen=True, slots=True)
class PlacementView:
    """Where VMs were: a title, its hosts, the imbalance as text, and a sentence below."""

    title: str
    note: str
    imbalance: str
    is_balanced: bool
    hosts: tuple[HostRow, ...]
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class ResultSheet:
    """The page. What a test does not have is None or empty, and its place is taken by the others."""

    head: ResultHead
    validity: FactList
    shares: tuple[ShareBar, ...] = ()
    steps: tuple[StepChart, ...] = ()
    steps_title: tuple[str, str] = ("", "")
    changes: ChangeChart | None = None
    points: tuple[PointChart, ...] = ()
    placements: tuple[PlacementView, ...] = ()
    run: TimeChart | None = None
    notes: FactList | None = None
    raw: RawTable | None = None
    foot: tuple[str, str] = ("", "")
    steps_by_hand: str = ""
    """What is to be set back by hand, a line for each change; empty if nothing is."""
    put_back: FactList = field(default_factory=lambda: FactList("Put back", ()))
