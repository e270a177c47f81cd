"""The speed of cores: turbo and power policies, and the loss of hyper-threads that share a core."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lab.grouping import between
from sessions.model import FloatArray

TURBO = 0.1
CHARGED_LOSS = 0.375
"""ESXi credits a vCPU beside a busy thread with 62.5 % of the core, whatever it got done."""
WORK_LOSS = 0.25
"""What such a thread really loses: while one waits for memory the other runs, so that two do 1.5 times
one's work.
"""


def usual_frequency(utilisation: FloatArray, saving: NDArray[np.bool_]) -> FloatArray:
    """Return the frequency of busy cores over nominal: turbo while few are busy, lower when
    saving power and idle.
    """
    turbo = 1.0 + TURBO * (1.0 - utilisation)
    eager = np.minimum(1.0, 0.72 + 0.9 * utilisation)
    frequency: FloatArray = np.where(saving, eager, 1.0) * turbo
    return frequency


def shared_cores(utilisation: FloatArray) -> FloatArray:
    """Return the fraction of busy time in which a core's other hyper-thread is busy, too.

    Worlds are placed on whole cores as long as there are any.
    """
    share: FloatArray = between((utilisation - 0.28) / 0.72, 0.0, 1.0)
    return share


def work_per_second(utilisation: float, *, powersaving: bool) -> float:
    """Return the work done in a second of run time at this host utilisation, relative to a whole core at
    nominal frequency.
    """
    busy, saving = np.array([utilisation]), np.array([powersaving])
    return float((usual_frequency(busy, saving) * (1.0 - WORK_LOSS * shared_cores(busy)))[0])
