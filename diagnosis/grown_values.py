"""Values of signals while a session grows: what was computed of earlier samples stays, new ones are added."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from diagnosis.arrays import RunningSums
from diagnosis.evaluate import Later
from sessions.model import FloatArray, IntArray

_MOST = 12_000_000  # values and sums kept at once: about 100 MB; half of what samples may take


class GrownValues:
    """Keeps values between two looks at a session. What one look did not ask for is forgotten,
    and what has no room is worked out each time."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, object], _Grown] = {}
        self._asked: set[tuple[int, object]] = set()
        self._held = 0

    def of(
        self,
        owner: object,
        name: object,
        times: IntArray,
        compute: Callable[[Later], FloatArray],
        after_ms: int,
    ) -> FloatArray:
        """Return the values (entities, times) that ``owner`` has under a name; not to be written to.

        ``compute`` gives those from an instant on. Samples that come more than ``after_ms`` later do not
        change one. What it gives in another shape is the same at all instants: that is not kept.
        """
        key = id(owner), name
        kept = self._kept.get(key)
        if kept is None:
            sums: dict[int, RunningSums] = {}
            found = compute(Later(0, times, sums))
            size = found.size + sum(one.held for one in sums.values())
            if found.ndim != 2 or found.shape[1] != times.size or self._held + size > _MOST:
                return found
            self._held += size
            kept = self._kept[key] = _Grown(owner, found, sums)
            kept.settle(times, after_ms)
        elif kept.instants < times.size:
            kept.add(compute(Later(kept.settled, times, kept.sums)))
            kept.settle(times, after_ms)
        self._asked.add(key)
        return kept.values

    def end_look(self) -> None:
        """Forget what was not asked for since the last call."""
        self._kept = {key: kept for key, kept in self._kept.items() if key in self._asked}
        self._held = sum(kept.held for kept in self._kept.values())
        self._asked.clear()


class _Grown:
    """``owner`` is held so that its id stays its own; ``settled`` of the values no later sample changes."""

    def __init__(self, owner: object, values: FloatArray, sums: dict[int, RunningSums]) -> None:
        self._owner, self._room, self.instants, self.sums = owner, values, values.shape[1], sums
        self.settled = 0

    @property
    def values(self) -> FloatArray:
        return self._room[:, : self.instants]

    @property
    def held(self) -> int:
        """The number of values and sums for which there is room."""
        return self._room.size + sum(one.held for one in self.sums.values())

    def settle(self, times: IntArray, after_ms: int) -> None:
        self.settled = int(np.searchsorted(times, times[-1] - after_ms, "right"))

    def add(self, new: FloatArray) -> None:
        end = self.settled + new.shape[1]
        if end > self._room.shape[1]:
            room = np.empty((self._room.shape[0], end + end // 8))
            room[:, : self.settled] = self._room[:, : self.settled]
            self._room = room
        self._room[:, self.settled : end] = new
        self.instants = end
