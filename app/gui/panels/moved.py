"""The pane of what moved: shows the answer to what was asked in a chart, a cell or a finding."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from viewmodels.chart_choice import ChartChoice
from viewmodels.correlation_rows import CorrelationRow, correlation_view
from widgets.moved.view import MovedView

_PULSE_MS = 100


class MovedPanel(QObject):
    """Connects the pane to the question and its answer; a click charts a row with what was asked about."""

    def __init__(self, desk: Desk) -> None:
        self.view = MovedView(desk.theme)
        super().__init__(self.view)
        self._desk, self._model = desk, desk.moved
        self._pulse = QTimer(self, interval=_PULSE_MS)
        self._pulse.timeout.connect(lambda: self.view.show_progress(self._model.part))
        self._model.changed.connect(self._show)
        desk.times.changed.connect(lambda _clock: self._show())
        self.view.cancelled.connect(self._model.cancel)
        self.view.again.connect(self._model.again)
        self.view.list.opened.connect(self._open)
        self.view.list.copied.connect(lambda text: desk.notify(text, "ok"))
        self.view.list.save_wanted.connect(desk.save_file)
        self._show()

    def _show(self) -> None:
        model, view, desk = self._model, self.view, self._desk
        if model.state == "searching":
            view.show_progress(model.part)
            self._pulse.start()
            return
        self._pulse.stop()
        if model.state == "ready" and model.found is not None:
            view.show_answer(correlation_view(model.found, desk.times.clock, label=self._label))
        elif model.state == "cancelled":
            view.show_words("The search was stopped.", "Search again")
        elif model.state == "failed" and model.error is not None:
            error = model.error
            view.show_words(f"{error.happened} {error.meaning} {error.advice}".strip())
        elif model.state == "nothing":
            view.show_words("Ask in the menu of a chart, an esxtop cell or a finding what moved with it.")

    def _label(self, counter: str) -> str:
        known = self._desk.catalogue.get(counter)
        return known.label if known is not None else counter

    def _open(self, row: CorrelationRow) -> None:
        """Chart a row's leading series under what was asked about, over the window and its baseline."""
        desk, found, snapshot = self._desk, self._model.found, self._desk.session.whole
        if found is None or snapshot is None:
            return
        wanted = [found.reference] if found.reference is not None else []
        wanted += [snapshot.by_id[one] for one in row.series[:1] if one in snapshot.by_id]
        choice = ChartChoice()
        for series in wanted:
            choice = choice.with_series([series])
        entities = tuple(dict.fromkeys(one.entity for one in wanted))
        desk.scope.set(desk.scope.scope.on(entities).during(found.span.whole).of_sources(()))
        desk.charts.choose(choice.charts, entities)


def make(desk: Desk) -> QWidget:
    """Return the view of the panel; the view owns the panel."""
    return MovedPanel(desk).view
