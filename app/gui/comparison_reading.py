"""Reads what the table and the charts of a comparison show, in workers, when they come into sight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from app.gui.comparison_model import ComparisonModel
from app.gui.jobs import Job
from app.gui.session_model import SessionModel
from diagnosis.comparison import Comparison
from diagnosis.comparison.values import Verdict
from sessions.store import SessionReader
from viewmodels.comparison_charts import OverlayChart, overlay_charts
from viewmodels.comparison_page import ComparedRow, RowShape, other_rows, row_shapes

Result = TypeVar("Result")


class ComparisonReading(QObject):
    """Signals: ``added`` with a verdict and its rows; ``shaped`` with the shapes of rows by their rank;
    ``drawn`` with charts.
    """

    added = Signal(str, object)
    shaped = Signal(object)
    drawn = Signal(object)

    def __init__(self, model: ComparisonModel, session: SessionModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model, self._session = model, session

    def read_others(self, verdict: Verdict) -> None:
        """Read the rows that are undecided or the same."""
        self._ask(
            f"compare.{verdict}",
            lambda found, _job: other_rows(found, verdict, self._model.catalogue),
            lambda rows: self.added.emit(verdict, rows),
        )

    def read_shapes(self, rows: Sequence[ComparedRow]) -> None:
        """Read how the samples of rows are distributed."""

        def work(found: Comparison, job: Job) -> dict[int, RowShape]:
            shapes: dict[int, RowShape] = {}
            for at in range(0, len(rows), 8):
                job.check()
                shapes |= row_shapes(found, rows[at : at + 8])
            return shapes

        self._ask("compare.shapes", work, self.shaped.emit)

    def read_charts(self, rows: Sequence[ComparedRow]) -> None:
        """Read the charts of rows."""

        def work(found: Comparison, job: Job) -> list[OverlayChart]:
            charts = []
            for row in rows:
                job.check()
                charts += overlay_charts(found, [row])
            return charts

        self._ask("compare.charts", work, self.drawn.emit)

    def _ask(
        self, slot: str, work: Callable[[Comparison, Job], Result], done: Callable[[Result], None]
    ) -> None:
        """Read something of the result with readers of its own; dropped if it is of another one by then."""
        found, pair = self._model.found, self._model.pair
        if found is None or pair is None:
            return

        def ask(reader: SessionReader, job: Job) -> Result:
            with ExitStack() as held:
                return work(found.read_by(*self._model.readers.of(pair, reader, held)), job)

        def here(answer: Result) -> None:
            if self._model.found is found:
                done(answer)

        self._session.query(slot, ask, here, title="Reading what is compared")
