"""What a text of the scope bar is understood in, and what it means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from resources.catalogue import Catalogue
from resources.views import LimitsByCounter
from sessions.model import Series
from sessions.scope import Scope
from viewmodels.scope_language.name_index import NameIndex
from viewmodels.scope_language.names import Names
from viewmodels.scope_language.times import When
from viewmodels.snapshot import Snapshot
from viewmodels.time_labels import Clock


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What a text is understood in: the session, the scope that is shown, the clock and the counters.

    ``index`` is an index of names from an earlier look; it is used again if it still fits the session.
    """

    snapshot: Snapshot
    present: Scope
    clock: Clock
    catalogue: Catalogue
    limits: LimitsByCounter
    index: NameIndex | None = None

    @cached_property
    def names(self) -> Names:
        """The names of the session's entities."""
        return Names(self.snapshot, self.present.window_in(self.snapshot.span), self.index)

    @property
    def when(self) -> When | None:
        """Where times without a date are looked for; None without samples."""
        span = self.snapshot.span
        return None if span is None else When(span, self.present.window_in(span) or span, self.clock)


@dataclass(frozen=True, slots=True)
class Understood:
    """What a text means: the ``scope`` to set, the ``moment`` to pin (ms), and the ``series`` to chart.

    ``meaning`` says it in words before anything happens: ``2 VMs · 02:40–02:55 · CPU ready``.
    """

    scope: Scope
    meaning: str
    moment: int | None = None
    series: tuple[Series, ...] = ()
