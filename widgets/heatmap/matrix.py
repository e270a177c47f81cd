"""What the heat map shows, as values, and the colours of its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sessions.model import EntityRef, FloatArray
from sessions.times import TimeRange
from widgets.theme import Health, Tokens

_STEPS = 256


@dataclass(frozen=True, slots=True)
class HeatRow:
    """An entity, what its worst value was as text, and how bad that is."""

    ref: EntityRef
    name: str
    worst: str
    state: Health
    series: int


@dataclass(frozen=True)
class Heat:
    """``values`` (rows, buckets): the highest value of each bucket, NaN where nothing was measured.

    ``top`` is the value of the strongest colour, ``limit`` where colours turn to warning (NaN: no limit).
    """

    title: str = ""
    unit: str = ""
    window: TimeRange | None = None
    rows: Sequence[HeatRow] = ()
    values: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    limit: float = np.nan
    top: float = 1.0


def ramp(tokens: Tokens) -> NDArray[np.uint32]:
    """256 colours as 0xAARRGGBB: pale to accent below the limit, warning at it, critical at the top.

    Lightness goes one way in each half, so that the map reads without telling hues apart.
    """
    stops = (
        (0.0, tokens.surface3),
        (0.49, tokens.accent),
        (0.5, tokens.warning),
        (1.0, tokens.critical),
    )
    at = np.linspace(0, 1, _STEPS)
    channels = [
        np.interp(at, [stop for stop, _ in stops], [_channel(colour, shift) for _, colour in stops])
        for shift in (1, 3, 5)
    ]
    red, green, blue = (channel.astype(np.uint32) for channel in channels)
    opaque = np.full(_STEPS, 0xFF000000, np.uint32)
    colours: NDArray[np.uint32] = np.bitwise_or.reduce([opaque, red << 16, green << 8, blue])
    return colours


def levels(heat: Heat) -> NDArray[np.uint8]:
    """The colour of each cell as an index into the ramp: half of it below the limit, half above."""
    values = np.nan_to_num(heat.values, nan=0.0)
    limit = heat.limit if np.isfinite(heat.limit) and heat.limit > 0 else heat.top
    top = max(heat.top, limit * 2)
    below = np.clip(values / limit, 0, 1) * 0.49
    above = 0.5 + np.clip((values - limit) / (top - limit), 0, 1) * 0.5
    index: NDArray[np.uint8] = (np.where(values > limit, above, below) * (_STEPS - 1)).astype(np.uint8)
    return index


def _channel(colour: str, at: int) -> int:
    return int(colour[at : at + 2], 16)
