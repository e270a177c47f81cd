"""Values of signals while a session grows: what was computed of earlier samples stays, new ones are added."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sessions.model import FloatArray


class GrownValues:
    """Keeps values between two looks at a session. What one look did not ask for is forgotten."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, object], _Grown] = {}
        self._asked: set[tuple[int, object]] = set()

    def of(
        self, owner: object, name: object, instants: int, compute: Callable[[int], FloatArray]
    ) -> FloatArray:
        """Return the values (entities, instants) that ``owner`` has under a name; not to be written to.

        ``compute`` gives those from an instant on, which no later sample changes. What it gives in another
        shape is the same at all instants: that is not kept.
        """
        key = id(owner), name
        kept = self._kept.get(key)
        if kept is None:
            found = compute(0)
            if found.ndim != 2 or found.shape[1] != instants:
                return found
            kept = self._kept[key] = _Grown(owner, found)
        elif kept.instants < instants:
            kept.add(compute(kept.instants))
        self._asked.add(key)
        return kept.values

    def end_look(self) -> None:
        """Forget what was not asked for since the last call."""
        self._kept = {key: kept for key, kept in self._kept.items() if key in self._asked}
        self._asked.clear()


class _Grown:
    """``owner`` is held so that its id stays its own."""

    def __init__(self, owner: object, values: FloatArray) -> None:
        self._owner, self._room, self.instants = owner, values, values.shape[1]

    @property
    def values(self) -> FloatArray:
        return self._room[:, : self.instants]

    def add(self, new: FloatArray) -> None:
        end = self.instants + new.shape[1]
        if end > self._room.shape[1]:
            room = np.empty((self._room.shape[0], end + end // 8))
            room[:, : self.instants] = self.values
            self._room = room
        self._room[:, self.instants : end] = new
        self.instants = end
