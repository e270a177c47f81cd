"""The comparison that is open in the window: what A and B are, what is left out, and the result."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from app.gui.comparison_readers import SideReaders
from app.gui.jobs import Job, JobRunner
from app.gui.session_model import SessionModel
from resources.catalogue import Catalogue
from resources.failures import HyperscopeError, UsageError
from resources.problem_cards import Problems
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.comparison_choices import (
    ChosenSide,
    Known,
    PairOffer,
    before_offers,
    pair_offers,
)
from viewmodels.comparison_command import comparison_command

if TYPE_CHECKING:
    from diagnosis.comparison import Comparison
    from viewmodels.comparison_page import ComparisonPage

Letter = Literal["a", "b"]
State = Literal["nothing", "computing", "ready", "failed", "cancelled"]
JOB = "compare"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A time that can be left out: what there was, when, on which side, and whether it is left out."""

    title: str
    text: str
    window: TimeRange
    side: Letter
    is_out: bool


class ComparisonModel(QObject):
    """Signals: ``changed`` when other sides are chosen or the state is another one; ``compared`` with a
    ComparisonPage; ``asked`` when the page is to come to the front. Between the page and the pane
    beside it: ``filtered`` with a RowFilter, ``search_wanted`` and ``table_wanted`` for the keys to go there,
    ``kind_wanted`` with a verdict whose rows are to be shown, ``only_wanted`` with the entity whose are.

    ``known`` returns what the open session tells about its time, None without samples.
    """

    changed = Signal()
    compared = Signal(object)
    asked = Signal()
    filtered = Signal(object)
    search_wanted = Signal()
    table_wanted = Signal()
    kind_wanted = Signal(str)
    only_wanted = Signal(object)

    def __init__(
        self,
        session: SessionModel,
        jobs: JobRunner,
        knowledge: tuple[Catalogue, Problems],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self._knowledge = knowledge
        self.catalogue = knowledge[0]
        self.known: Callable[[], Known | None] = lambda: None
        self.pair: PairOffer | None = None
        self.out: tuple[LeftOut, ...] = ()
        self.state: State = "nothing"
        self.error: HyperscopeError | None = None
        self.found: Comparison | None = None
        self.page: ComparisonPage | None = None
        self._compared_to = 0
        self._is_automatic = False
        self.readers = SideReaders()
        session.opened.connect(lambda _snapshot: self._clear())
        session.closed.connect(self._clear)

    @property
    def command(self) -> str:
        """The same comparison as a command; empty without one."""
        path = self._session.path
        if self.pair is None or path is None:
            return ""
        return comparison_command(self.pair, path, [one.window for one in self.out if one.is_out])

    @property
    def has_grown(self) -> bool:
        """True if a session has got more samples since it was compared, and comparing again takes them in:
        nobody chose the pair, or an offer of the same name reaches further by now.
        """
        whole = self._session.whole
        if self.pair is None or self.state != "ready" or whole is None or whole.span is None:
            return False
        return whole.span.end > self._compared_to and self._offered() not in {None, self.pair}

    def begin_first(self) -> None:
        """Compare the likeliest pair, unless something was chosen or tried already."""
        if self.pair is None and self.state == "nothing":
            self.begin()

    def begin(self) -> None:
        """Compare the likeliest pair of the session as it is now."""
        known = self.known()
        if known is not None:
            self._take(pair_offers(known)[0], is_automatic=True)

    def choose(self, pair: PairOffer) -> None:
        """Compare these two."""
        self._take(pair)

    def renew(self) -> None:
        """Compare again; if nobody chose the pair, the one that is the likeliest by now, and of an offer that
        was chosen the windows that it has by now. What is left out and which side is A stay.
        """
        offered = self._offered()
        if offered is None:
            self.again()
        elif self.pair is not None and offered.why == self.pair.why:
            self.pair = offered
            self.again()
        else:
            self.begin()

    def _offered(self) -> PairOffer | None:
        """The pair as the session offers it by now, A and B as they are; None if it is not offered."""
        known, pair = self.known(), self.pair
        if known is None:
            return None
        found = pair_offers(replace(known, shown=None))  # the time that is shown may be another one by now
        if pair is None:
            return found[0]
        likeliest = found[0] if self._is_automatic else None
        offered = likeliest or next((one for one in found if one.why == pair.why), None)
        if offered is None or offered.why != pair.why:
            return offered
        is_swapped = (offered.a.title, offered.b.title) == (pair.b.title, pair.a.title)
        return offered.swapped if is_swapped else offered

    def _take(self, pair: PairOffer, *, is_automatic: bool = False) -> None:
        self.pair, self.out, self._is_automatic = pair, (), is_automatic
        self.again()

    def choose_side(self, letter: Letter, side: ChosenSide) -> None:
        """Take another window for one side; the other one stays."""
        if self.pair is None:
            return
        pair = replace(self.pair, a=side) if letter == "a" else replace(self.pair, b=side)
        self.choose(replace(pair, why=f"{pair.a.title} against {pair.b.title}"))

    def swap(self) -> None:
        """Exchange A and B."""
        if self.pair is None:
            return
        sides: dict[Letter, Letter] = {"a": "b", "b": "a"}
        self.pair = self.pair.swapped
        self.out = tuple(replace(one, side=sides[one.side]) for one in self.out)
        self.again()

    def leave_out(self, window: TimeRange, *, on: bool) -> None:
        """Leave a time out of both sides, or take it in again."""
        self.out = tuple(replace(one, is_out=on) if one.window == window else one for one in self.out)
        self.again()

    def with_before(self, window: TimeRange) -> None:
        """Compare a window with what was before it, and bring the page to the front."""
        known = self.known()
        found = before_offers(known, window) if known is not None else []
        self.asked.emit()
        if found:
            self.choose(found[0])
            return
        self._fail(
            UsageError(
                "There is nothing before the chosen time.",
                meaning="At least half as long a time before it has to be recorded.",
                advice="Choose A and B yourself, or take what the session offers.",
            )
        )

    def again(self) -> None:
        """Compare again, from the files as they are now."""
        pair, whole = self.pair, self._session.whole
        if pair is None or whole is None or whole.span is None:
            return
        self.state, self.error, self.found, self.page = "computing", None, None, None
        to, out = whole.span.end, tuple(one.window for one in self.out if one.is_out)

        def work(reader: SessionReader, job: Job) -> tuple[Comparison, ComparisonPage]:
            from app.gui.comparing import compared  # noqa: PLC0415 - in a worker, not at the start

            with ExitStack() as held:
                return compared(pair, self.readers.of(pair, reader, held), out, self._knowledge, job)

        def done(made: tuple[Comparison, ComparisonPage]) -> None:
            self.found, self.page = made
            self.state, self._compared_to = "ready", to
            self._note_left_out(self.found)
            self.changed.emit()
            self.compared.emit(self.page)

        self._session.query(JOB, work, done, failed=self._fail, title="Comparing")
        self.changed.emit()

    def cancel(self) -> None:
        """Stop comparing."""
        self._jobs.cancel(JOB)
        if self.state == "computing":
            self.state = "cancelled"
            self.changed.emit()

    @property
    def progress(self) -> tuple[float, str]:
        """How far the comparison is, 0 to 1, and what it does."""
        job = next((one for one in reversed(self._jobs.visible_jobs()) if one.slot == JOB), None)
        return (job.part or 0.0, job.text) if job is not None and job.state == "running" else (0.0, "")

    def shutdown(self) -> None:
        """Close the other sessions; for a window that closes."""
        self.readers.close()

    def _note_left_out(self, found: Comparison) -> None:
        """Offer what only one window had to be left out, beside what is left out already."""
        known = {one.window for one in self.out}
        new = [
            LeftOut(one.name, one.title, one.when, one.side, is_out=False)
            for one in found.load.only_in_one
            if one.when not in known
        ]
        self.out = (*(one for one in self.out if one.is_out), *new)

    def _fail(self, error: HyperscopeError) -> None:
        self.state, self.error = "failed", error
        self.changed.emit()

    def _clear(self) -> None:
        self._jobs.cancel(JOB)
        self.shutdown()
        self.pair, self.out, self.state, self.error = None, (), "nothing", None
        self.found = self.page = None
        self.changed.emit()
