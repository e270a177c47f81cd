"""Judges a session again and again while it grows: reads what is new, and keeps what stays."""

from __future__ import annotations

from diagnosis.engine import Diagnosis, Run
from diagnosis.growing import GrowingSession
from diagnosis.prepared import Prepared, prepare
from diagnosis.reach import no_samples_verdict
from diagnosis.what_next import with_next_step
from resources.catalogue import Catalogue
from resources.problem_cards import Problems
from resources.stopping import StopSignal
from sessions.store import SessionReader


class LiveJudge:
    """Judges one session repeatedly. Each diagnosis equals that of ``diagnose_session`` at that moment."""

    def __init__(self, reader: SessionReader, problems: Problems, catalogue: Catalogue) -> None:
        self._reader, self._problems, self._catalogue = reader, problems, catalogue
        self._session = GrowingSession(reader)
        self._prepared: Prepared | None = None
        self._is_first = True
        self.prepared = 0
        """How often the inventory was read: at first, and whenever it had changed."""

    @property
    def is_growing(self) -> bool:
        """True while somebody records or imports the session, as it was last seen."""
        return self._session.is_growing

    def judge(self, cancel: StopSignal | None = None) -> Diagnosis | None:
        """Return the diagnosis of the whole session as it is now; None if nothing is new since the last.

        Raises CancelledError when ``cancel`` is set, and what reading the session raises.
        """
        with self._reader.one_state():
            news = self._session.refresh()
            if not (self._is_first or news.inventory or news.samples or news.records):
                return None
            window = self._session.span()
            if window is None:
                self._is_first = False
                sources = self._session.sources()
                nothing = no_samples_verdict(sources, is_windowed=False)
                return Diagnosis(None, (), verdict=with_next_step(nothing, sources, self._problems.looks))
            kept = self._prepared
            self._prepared = None  # a judging that breaks off leaves nothing half extended
            if kept is None or news.inventory or not kept.is_extendable(window):
                kept = prepare(self._session, self._problems, window)
                self.prepared += 1
            else:
                kept.extend(self._session, window, news.rewritten)
            found = Run(kept, self._catalogue, cancel=cancel).run()
            self._prepared, self._is_first = kept, False
            return found
