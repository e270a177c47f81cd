"""Round values for the labels of a value axis. No Qt."""

from __future__ import annotations

import math

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def value_ticks(low: float, high: float, max_count: int) -> tuple[list[float], float]:
    """Return at most ``max_count`` round values from ``low`` to ``high``, and the step between them."""
    if not high > low or not math.isfinite(high - low):
        return [], 1.0
    rough = (high - low) / max(max_count, 1)
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(part * size for part in _STEPS if part * size >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)], step
