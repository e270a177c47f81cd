"""DRS: once a minute it looks for moves that make the hosts' load more equal, and says or makes them.

A greedy search as DRS's: among all single moves take the one that lowers the imbalance most, as long as the
imbalance is above what the migration threshold tolerates and the move is worth its cost. The imbalance is the
standard deviation of the hosts' CPU demand over their capacity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from lab.grouping import sums
from sessions.model import FloatArray, IntArray

Behaviour = Literal["manual", "partiallyAutomated", "fullyAutomated"]

CYCLE_S = 60.0
"""Seconds between two looks at the cluster: a minute since vSphere 7. Source: modern.md §6."""
_TOLERATED = {1: 0.02, 2: 0.06, 3: 0.10, 4: 0.16, 5: np.inf}
"""DESIGN: the imbalance that each vmotionRate leaves alone (1 is the most aggressive); 5 moves nothing."""
_WORTH = 0.004
"""DESIGN: a move that lowers the imbalance by less costs more than it gains."""
_MAX_MOVES = 8


@dataclass(frozen=True, slots=True)
class Move:
    """A recommendation: VM number ``vm`` to host number ``host``."""

    vm: int
    host: int


@dataclass(slots=True)
class Drs:
    """The cluster's settings: ``behaviour``, and ``rate``, the API's vmotionRate."""

    behaviour: Behaviour = "partiallyAutomated"
    rate: int = 3

    def recommend(self, demand: FloatArray, where: IntArray, capacity: FloatArray) -> list[Move]:
        """Return the moves that this cycle finds worth while.

        ``demand`` (VMs) and ``capacity`` (hosts) in cores; ``where`` is each VM's host.
        """
        placed, moves = where.copy(), list[Move]()
        while len(moves) < _MAX_MOVES:
            loads = sums(placed, demand, len(capacity))
            before = imbalance(loads, capacity)
            if before <= _TOLERATED[self.rate]:
                break
            best = _best_move(demand, placed, loads, capacity, {move.vm for move in moves})
            if best is None or before - best[0] < _WORTH:
                break
            moves.append(best[1])
            placed[best[1].vm] = best[1].host
        return moves


def imbalance(loads: FloatArray, capacity: FloatArray) -> float:
    """Return the standard deviation of the hosts' demand over their capacity."""
    return float(np.std(loads / capacity))


def _best_move(
    demand: FloatArray, placed: IntArray, loads: FloatArray, capacity: FloatArray, moved: set[int]
) -> tuple[float, Move] | None:
    """The imbalance after the best single move, and that move."""
    best: tuple[float, Move] | None = None
    for vm in range(len(demand)):
        if vm in moved:
            continue
        for host in range(len(capacity)):
            if host == placed[vm]:
                continue
            after = loads.copy()
            after[placed[vm]] -= demand[vm]
            after[host] += demand[vm]
            left = imbalance(after, capacity)
            if best is None or left < best[0] - 1e-12:
                best = (left, Move(vm, host))
    return best
