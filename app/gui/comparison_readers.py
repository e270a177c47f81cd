"""The readers of the sessions that are compared: the open one, and others beside it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from app.gui.session_model import ReaderPool
from sessions.store import SessionReader
from viewmodels.comparison_choices import PairOffer


class SideReaders:
    """Keeps the other sessions open while they are compared; used in workers."""

    def __init__(self) -> None:
        self._others: dict[Path, ReaderPool] = {}

    def of(self, pair: PairOffer, own: SessionReader, held: ExitStack) -> tuple[SessionReader, SessionReader]:
        """Return a reader of each side's session, the same one if they are of one session.

        ``own`` reads the open session; readers of others are given back when ``held`` ends.
        """
        readers: dict[Path | None, SessionReader] = {None: own}
        for path in (pair.a.session, pair.b.session):
            if path is not None and path not in readers:
                pool = self._others.get(path)
                if pool is None:
                    pool = self._others.setdefault(path, ReaderPool(SessionReader.open(path)))
                readers[path] = held.enter_context(pool.reader())
        return readers[pair.a.session], readers[pair.b.session]

    def close(self) -> None:
        """Close all of them."""
        for one in self._others.values():
            one.close()
        self._others = {}
