"""Which instants of a stream should have had a sample and had none: gaps between its samples."""

from __future__ import annotations

import statistics
from collections import deque
from dataclasses import replace

from collectors.feed import Feed
from sessions.model import Gap

NOT_SAMPLED = "no sample was taken"
UNREADABLE = "the rows could not be read"


class Coverage:
    """The samples and gaps of one source. ``last_ms`` is the newest sample's time, None before the first.

    ``expected`` and ``received`` count values; a missed instant counts as many as the last sample had. Until
    it is known how often samples come, each may take ``slowest_s`` longer than asked for.
    """

    def __init__(self, feed: Feed, source: int, interval_s: float, steps: int, slowest_s: float) -> None:
        self._feed, self._source, self._interval_ms = feed, source, interval_s * 1000
        self._slowest_ms = slowest_s * 1000
        self._steps: deque[int] = deque(maxlen=steps)
        self._fewest = steps // 2
        self._gap: Gap | None = None
        self._reason = NOT_SAMPLED
        self._last_count = 0
        self.last_ms: int | None = None
        self.expected = self.received = self.gaps = 0

    @property
    def usual_ms(self) -> float:
        """How long it usually takes from sample to sample: what was asked for, and what collecting adds."""
        if not self._is_known:
            return self._interval_ms
        return max(self._interval_ms, float(statistics.median(self._steps)))

    @property
    def _is_known(self) -> bool:
        return len(self._steps) >= self._fewest

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
        slowest = 2 * self.usual_ms + (0.0 if self._is_known else self._slowest_ms)
        return self.last_ms is not None and t_ms - self.last_ms >= slowest

    def miss(self, now_ms: float, reason: str) -> None:
        """Nothing comes, for this reason: the gap grows up to the host's present time."""
        self._reason = reason
        if self.last_ms is None:
            return
        usual = self.usual_ms
        missed = int((now_ms - self.last_ms) // usual)
        if missed < 1:
            return
        start = round(self.last_ms + usual)
        gap = self._gap or Gap(self._source, start, start, reason, None, 0)
        self._set(replace(gap, end=round(self.last_ms + missed * usual), ticks=missed))

    def lose(self, reason: str) -> None:
        """A sample came and can't be stored: the gap that the next one ends has this reason."""
        self._reason = reason

    def take(self, t_ms: int, count: int) -> None:
        """A sample of ``count`` values was stored: a gap ends one step before it."""
        last = self.last_ms
        is_hole = self.is_hole(t_ms)
        if last is not None and self._gap is None:
            self._steps.append(t_ms - last)
        if last is not None and (self._gap is not None or is_hole):
            usual = self.usual_ms
            missed = max(0, round((t_ms - last) / usual) - 1)
            start = round(last + usual)
            gap = self._gap or Gap(self._source, start, start, self._reason, None, 0)
            self._set(replace(gap, end=max(gap.start, round(t_ms - usual)), ticks=missed))
        self._gap, self._reason = None, NOT_SAMPLED
        self.last_ms, self._last_count = t_ms, count
        self.expected += count
        self.received += count

    def resume_after(self, last_ms: int) -> None:
        """An earlier run had samples up to there."""
        if last_ms and self.last_ms is None:
            self.last_ms = last_ms

    def _set(self, gap: Gap) -> None:
        before, now = (0 if one is None else one.ticks or 0 for one in (self._gap, gap))
        self.expected += (now - before) * self._last_count
        self.gaps += (now > 0) - (before > 0)
        if now or before:
            self._feed.add_gaps([gap])
        self._gap = gap
