"""Which instants of a stream should have had a sample and had none: gaps between its samples."""

from __future__ import annotations

import statistics
from collections import deque

from collectors.feed import Feed
from collectors.gap_book import GapBook

_NOT_SAMPLED = "no sample was taken"
UNREADABLE = "the rows could not be read"


class Coverage:
    """The samples and gaps of one source, whose pace is learned. ``last_ms`` is the newest sample's time.

    Until it is known how often samples come, each may take ``slowest_s`` longer than asked for.
    """

    def __init__(self, feed: Feed, source: int, interval_s: float, steps: int, slowest_s: float) -> None:
        self._interval_ms, self._slowest_ms = interval_s * 1000, slowest_s * 1000
        self._steps: deque[int] = deque(maxlen=steps)
        self._fewest = steps // 2
        self._book = GapBook(feed, source, _NOT_SAMPLED)
        self.counted, self.blame = self._book.counted, self._book.blame
        self.resume_after = self._book.resume_after

    @property
    def last_ms(self) -> int | None:
        """The newest sample's time, None before the first."""
        return self._book.last_ms

    @property
    def usual_ms(self) -> float:
        """How long it usually takes from sample to sample: what was asked for, and what collecting adds."""
        if not self._is_known:
            return self._interval_ms
        return max(self._interval_ms, float(statistics.median(self._steps)))

    @property
    def collecting_s(self) -> float:
        """How many seconds collecting adds to each interval, by the host's own stamps."""
        if not self._is_known:
            return 0.0
        usual = self.usual_ms
        steps = [step for step in self._steps if step < 2 * usual]
        return max(0.0, (statistics.fmean(steps) - self._interval_ms) / 1000) if steps else 0.0

    def is_hole(self, t_ms: int) -> bool:
        """Return True if a sample is missing between the last one and this."""
        return self.last_ms is not None and t_ms - self.last_ms >= self.usual_ms + self._patience_ms

    def miss(self, now_ms: float, reason: str) -> None:
        """Nothing comes, for this reason: the gap grows up to the host's present time."""
        self._book.miss(now_ms, reason, self.usual_ms)

    def take(self, t_ms: int, count: int) -> None:
        """A sample of ``count`` values was stored: a gap ends one step before it."""
        last, usual_ms, patience_ms = self.last_ms, self.usual_ms, self._patience_ms
        if last is not None and not self._book.missed:
            self._steps.append(t_ms - last)
        self._book.take(t_ms, count, usual_ms, patience_ms=patience_ms)

    def finish(self, now_ms: float) -> None:
        """The recording ends: a gap that is open reaches up to now."""
        self._book.finish(now_ms, self.usual_ms)

    @property
    def _is_known(self) -> bool:
        return len(self._steps) >= self._fewest

    @property
    def _patience_ms(self) -> float:
        """How much later than usual a sample may come: esxtop drifts, and tells whole seconds."""
        return self.usual_ms + (0.0 if self._is_known else self._slowest_ms)
