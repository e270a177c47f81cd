"""A test run while it goes on, as the lines of one page: phase, charts, workers, guards, journal."""

from __future__ import annotations

from dataclasses import dataclass

from viewmodels.health import Health
from wizards.flows.chart_values import TimeChart
from wizards.flows.plan_sheet import PhaseBlock
from wizards.flows.result_sheet import FactList


@dataclass(frozen=True, slots=True)
class RunHead:
    """What goes on: the phase in words, how far it is, and the rest of the run.

    ``pause`` is what the pause button says, empty if there is nothing to pause; ``can_stop`` is False while
    everything is put back.
    """

    title: str
    state: Health
    progress: str
    note: str
    pause: str = ""
    can_stop: bool = True
    is_paused: bool = False
    problem: str = ""
    """Why the run is about to end, or what it lost; empty if nothing."""
    is_over: bool = False
    """True if the run has ended: there is nothing to stop."""


@dataclass(frozen=True, slots=True)
class RunWorker:
    """A worker now. Numbers are NaN where there is none; ``share`` and ``due`` are percent of all IOPS."""

    name: str
    role: str
    host: str
    state: Health
    words: str
    iops: float
    share: float
    due: float | None
    mb: float
    latency: float
    p99: float
    heard_s: float


@dataclass(frozen=True, slots=True)
class RunSheet:
    """The page. ``done_s`` is how much of the planned time is done, ``labels`` times of the day on it."""

    head: RunHead
    phases: tuple[PhaseBlock, ...]
    done_s: float
    labels: tuple[tuple[float, str], ...]
    charts: tuple[TimeChart, ...]
    strip: TimeChart | None
    workers: tuple[RunWorker, ...]
    guards: FactList
    journal: FactList
