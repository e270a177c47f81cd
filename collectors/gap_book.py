"""The samples of one source that come one after another, and the gaps between them, kept exactly.

For every live source whose samples arrive by themselves or one request at a time; where a server keeps
samples on a grid of its own that can be asked for again, ``vsphere.counters.sample_book`` does.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from collectors.feed import PAUSED, Feed, Health
from resources.foreign_text import shown
from sessions.model import Gap

_INTERRUPTED = "the recording was interrupted"


class GapBook:
    """Counts one source's samples and stores its gaps. ``last_ms`` is the newest sample's time.

    A gap is a run of instants that no sample covers: it starts one interval after the last sample, and ends
    where the next one begins to count, which is one interval before it unless that says otherwise. It is
    stored while it grows, and set right when the next sample comes: what was late is no gap. A pause and
    an outage are two gaps, since somebody wanted one of them; whatever else an outage says of itself while it
    lasts, its first reason counts.

    ``expected`` and ``received`` count values; a missed instant counts as many as the last sample had.
    """

    def __init__(self, feed: Feed, source: int, usual_reason: str) -> None:
        """``usual_reason``: why a sample is missing of which nothing else is known."""
        self._feed, self._source = feed, source
        self._usual_reason = self._reason = usual_reason
        self._open: list[Gap] = []
        self._last_count = 0
        self.last_ms: int | None = None
        self.expected = self.received = self.gaps = 0

    @property
    def missed(self) -> int:
        """How many instants have been missed since the last sample."""
        return sum(gap.ticks or 0 for gap in self._open)

    def counted(self, health: Health) -> Health:
        """Return the health with what is counted here."""
        return replace(
            health,
            expected=self.expected,
            received=self.received,
            gaps=self.gaps,
            last_ms=self.last_ms,
        )

    def resume_after(self, last_ms: int) -> None:
        """An earlier run of the recording had samples up to there; 0 for none."""
        if last_ms and self.last_ms is None:
            self.last_ms, self._reason = last_ms, _INTERRUPTED

    def blame(self, reason: str) -> None:
        """If the next sample ends a gap of which nothing is known yet, this is its reason."""
        self._reason = shown(reason)

    def miss(self, now_ms: float, reason: str, usual_ms: float) -> None:
        """Nothing comes, for this reason: the gap grows up to the present time of the samples' clock."""
        self.blame(reason)
        if self.last_ms is None:
            return
        if self._open and (self._open[-1].reason == PAUSED) == (self._reason == PAUSED):
            gap, before = self._open[-1], self._open[:-1]
        else:
            gap, before = self._begun(usual_ms), self._open
        missed = int((now_ms - gap.start) // usual_ms) + 1
        if missed >= 1:
            end = round(gap.start + (missed - 1) * usual_ms)
            self._open = [*before, self._set(gap, replace(gap, end=end, ticks=missed))]

    def finish(self, now_ms: float, usual_ms: float) -> None:
        """The recording ends: a gap that is open reaches up to now."""
        if self._open:
            self.miss(now_ms, self._open[-1].reason, usual_ms)

    def take(
        self,
        t_ms: int,
        count: int,
        usual_ms: float,
        *,
        since_ms: float | None = None,
        patience_ms: float | None = None,
    ) -> None:
        """A sample of ``count`` values was stored: it ends what was missed before it.

        It counts since ``since_ms`` (None: one interval before it). ``patience_ms``: how much later than
        usual a sample may come without having missed one (None: half an interval).
        """
        since_ms = t_ms - usual_ms if since_ms is None else since_ms
        if self.last_ms is not None:
            patience_ms = usual_ms / 2 if patience_ms is None else patience_ms
            if not self._open and since_ms - self.last_ms >= patience_ms:
                self._open = [self._begun(usual_ms)]
            self._end_gaps(since_ms, usual_ms)
        self._open, self._reason = [], self._usual_reason
        self.last_ms, self._last_count = t_ms, count
        self.expected += count
        self.received += count

    def _begun(self, usual_ms: float) -> Gap:
        """A gap that begins after all that is accounted for, and has no instant yet."""
        until = self._open[-1].end if self._open else self.last_ms or 0
        start = round(until + usual_ms)
        return Gap(self._source, start, start, self._reason, None, 0)

    def _end_gaps(self, since_ms: float, usual_ms: float) -> None:
        """The last gap reaches up to ``since_ms``; those before it, if they were counted too far, as well."""
        for gap in self._open:
            if gap is self._open[-1] or gap.end > since_ms:
                ticks = max(0, ceil((since_ms - gap.start) / usual_ms + 0.5))
                self._set(gap, replace(gap, end=max(gap.start, round(since_ms)), ticks=ticks))

    def _set(self, before: Gap, gap: Gap) -> Gap:
        """Store a gap as it is now; what should have come counts with it."""
        old, new = before.ticks or 0, gap.ticks or 0
        self.expected += (new - old) * self._last_count
        self.gaps += (new > 0) - (old > 0)
        if old or new:
            self._feed.add_gaps([gap])
        return gap
