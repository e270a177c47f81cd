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
        same: Callable[[int], int],
        given: bytes = b"",
    ) -> tuple[FloatArray, int]:
        """Return the values (entities, times) that ``owner`` has under a name, not to be written to, and how
        many instants have the values of the look before.

        ``compute`` gives those from an instant on. ``same`` says how many instants at the beginning nothing
        new changes, of so many that there were at the look before; none where something else was ``given``.
        What is computed in another shape is the same at all instants: that is not kept.
        """
        key = id(owner), name
        kept = self._kept.get(key)
        if kept is None:
            sums: dict[int, RunningSums] = {}
            found = compute(Later(0, times, sums))
            size = found.size + sum(one.held for one in sums.values())
            is_series = found.ndim == 2 and found.shape[1] == times.size > 1
            if not is_series or self._held + size > _MOST:
                return found, 0
            self._held += size
            kept = self._kept[key] = _Grown(owner, found, sums)
        elif key not in self._asked:
            kept.same = same(kept.instants) if kept.given == given else 0
            if kept.same < times.size:
                kept.add(compute(Later(kept.same, times, kept.sums)))
        kept.given = given
        self._asked.add(key)
        return kept.values, kept.same

    def asked(self, owner: object, name: object) -> tuple[FloatArray, int] | None:
        """Return what ``of`` gave in this look; None if it was not asked for, or is not kept."""
        key = id(owner), name
        if key not in self._asked:
            return None
        kept = self._kept[key]
        return kept.values, kept.same

    def end_look(self) -> None:
        """Forget what was not asked for since the last call."""
        self._kept = {key: kept for key, kept in self._kept.items() if key in self._asked}
        self._held = sum(kept.held for kept in self._kept.values())
        self._asked.clear()


def settled(times: IntArray, before: int, after_ms: int) -> int:
    """Return how many of the instants ``before`` new ones nothing changes, where samples change what is up to
    ``after_ms`` before them.
    """
    if before == times.size or not after_ms:
        return before
    return int(np.searchsorted(times, times[before - 1] - after_ms, "right")) if before else 0


def before_change(times: IntArray, changed: int, after_ms: int) -> int:
    """Return how many instants are more than ``after_ms`` before the first one whose samples changed."""
    if changed >= times.size or not after_ms:
        return changed
    return int(np.searchsorted(times, times[changed] - after_ms, "left"))


class _Grown:
    """``owner`` is held so that its id stays its own; ``same`` of the values are those of the look before."""

    def __init__(self, owner: object, values: FloatArray, sums: dict[int, RunningSums]) -> None:
        self._owner, self.instants, self.sums = owner, values.shape[1], sums
        self._room = values if values.flags.owndata and values.flags.writeable else np.array(values)
        self.same = 0
        self.given = b""

    @property
    def values(self) -> FloatArray:
        return self._room[:, : self.instants]

    @property
    def held(self) -> int:
        """The number of values and sums for which there is room."""
        return self._room.size + sum(one.held for one in self.sums.values())

    def add(self, new: FloatArray) -> None:
        end = self.same + new.shape[1]
        if end > self._room.shape[1]:
            room = np.empty((self._room.shape[0], end + end // 8))
            room[:, : self.same] = self._room[:, : self.same]
            self._room = room
        self._room[:, self.same : end] = new
        self.instants = end
