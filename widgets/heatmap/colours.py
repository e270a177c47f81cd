"""The colours of the heat map."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from viewmodels.heat_map import Heat
from widgets.theme import Tokens

_STEPS = 256


def ramp(tokens: Tokens) -> NDArray[np.uint32]:
    """Return 256 colours as 0xAARRGGBB: pale to accent below the limit, warning at the limit, critical at the
    top.

    Lightness is monotonic in each half, so that the map can be read without distinguishing hues.
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
    """Return each cell's index into the ramp, shape (rows, buckets): lower half up to the row's limit, upper
    half above.
    """
    values = np.nan_to_num(heat.values, nan=0.0)
    limits = heat.limits[:, None] if heat.limits.size else np.array(heat.limit)
    limit = np.where(np.isfinite(limits) & (limits > 0), limits, heat.top)
    top = np.maximum(heat.top, limit * 2)
    below = np.clip(values / limit, 0, 1) * 0.49
    above = 0.5 + np.clip((values - limit) / (top - limit), 0, 1) * 0.5
    index: NDArray[np.uint8] = (np.where(values > limit, above, below) * (_STEPS - 1)).astype(np.uint8)
    return index


def strongest(heat: Heat) -> float:
    """Return the value from which on ``levels`` gives the strongest colour."""
    return max(heat.top, heat.limit * 2) if np.isfinite(heat.limit) else heat.top


def _channel(colour: str, at: int) -> int:
    return int(colour[at : at + 2], 16)
