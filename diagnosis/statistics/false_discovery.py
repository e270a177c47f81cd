"""Corrects thousands of comparisons, so that of those which are called different only a small part is
chance.
"""

from __future__ import annotations

import numpy as np

from sessions.model import FloatArray


def corrected(chances: FloatArray) -> FloatArray:
    """Return the corrected probabilities: calling all at most q different, a part of q of them is chance at
    most.

    NaN (nothing was compared) stays NaN and does not count. Source: Benjamini, Hochberg, Controlling the
    False Discovery Rate, 1995; it holds for independent comparisons and those that move together.
    """
    found = np.full(chances.shape, np.nan)
    known = np.flatnonzero(~np.isnan(chances))
    if not known.size:
        return found
    order = known[np.argsort(chances[known], kind="stable")]
    stepped = chances[order] * known.size / np.arange(1, known.size + 1)
    found[order] = np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0)
    return found
