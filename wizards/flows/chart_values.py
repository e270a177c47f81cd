"""What the charts of a run and of its result show, as values: curves over time under their phases, bars,
intervals, points.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from resources.units import format_value
from sessions.model import FloatArray, IntArray
from sessions.times import TimeRange
from viewmodels.health import Health
from wizards.flows.plan_sheet import Tone

Interval = tuple[float, float]

NO_TIMES: IntArray = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Band:
    """A phase behind curves: its times (ms), its label, its colour. ``is_warm_up`` parts are not judged."""

    window: TimeRange
    label: str
    tone: Tone
    is_warm_up: bool = False


@dataclass(frozen=True, slots=True)
class TimeCurve:
    """A curve: ``values`` at the times of its chart, NaN where there is no sample. ``colour`` counts the
    theme's curves from 0; ``last`` is the newest value as text.
    """

    name: str
    values: FloatArray
    colour: int
    last: str = ""


@dataclass(frozen=True, slots=True)
class TimeChart:
    """Curves on one time axis (ms), stacked or not. ``now`` is the end of what was measured while a run goes
    on. ``moments`` are things that happened, such as vMotions.
    """

    title: str
    note: str
    unit: str
    times: IntArray = field(default_factory=lambda: NO_TIMES)
    curves: tuple[TimeCurve, ...] = ()
    bands: tuple[Band, ...] = ()
    window: TimeRange | None = None
    is_stacked: bool = False
    now: int | None = None
    moments: tuple[tuple[int, str], ...] = ()
    empty: str = "No samples yet"


@dataclass(frozen=True, slots=True)
class ShareBar:
    """What a worker got of what was due to it, in percent of all; ``ratio`` is got by due."""

    worker: str
    due: float | None
    got: float
    interval: Interval | None
    ratio: float | None
    is_honoured: bool | None = None


@dataclass(frozen=True, slots=True)
class StepColumn:
    """A step of a test as a column: the mean of its rounds, and each of them."""

    label: str
    title: str
    tone: Tone
    mean: float
    interval: Interval | None
    rounds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class StepChart:
    """Steps side by side. ``change`` is what the last one did against the first, ``state`` how that is
    meant; ``floor`` is the noise around the first.
    """

    name: str
    unit: str
    columns: tuple[StepColumn, ...]
    change: str = ""
    state: Health = "none"
    floor: Interval | None = None


@dataclass(frozen=True, slots=True)
class ChangeBar:
    """A change in percent with its interval; ``state`` is how it is meant (``none``: no real difference, or
    nobody knows, which has no interval).
    """

    name: str
    value: float
    interval: Interval | None
    state: Health = "none"

    @property
    def text(self) -> str:
        """The change as it is shown: ``+20.4 %``, with ``~`` before one that is no real difference."""
        said = f"{'+' if self.value > 0 else ''}{format_value(self.value, '%')}"
        return f"~ {said}" if self.state == "none" and self.interval is not None else said


@dataclass(frozen=True, slots=True)
class ChangeChart:
    """Changes on one axis of percents, with the noise floor around 0."""

    title: str
    note: str
    bars: tuple[ChangeBar, ...]
    floor: Interval | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """A point with its interval (in y); ``label`` stands beside it."""

    x: float
    y: float
    interval: Interval | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class PointRow:
    """Points of one kind. ``is_model`` ones are hollow: computed, not measured; ``is_joined`` with a line."""

    name: str
    points: tuple[Point, ...]
    colour: int = 0
    is_model: bool = False
    is_joined: bool = False


@dataclass(frozen=True, slots=True)
class PointChart:
    """Points over a number. ``band`` (in y) is what a study saw, ``floor`` the noise, ``line`` a value of x
    with its name, such as today's.
    """

    title: str
    note: str
    x_name: str
    y_unit: str
    rows: tuple[PointRow, ...]
    band: tuple[Interval, str] | None = None
    floor: Interval | None = None
    line: tuple[float, str] | None = None
    x_is_logarithmic: bool = False
