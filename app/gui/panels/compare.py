"""The Compare page: shows the comparison that is open, reads what its table and charts show in workers."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.gui.comparison_opening import LIKELIEST, ask_moved_with, nothing_to_compare, open_line, open_row
from app.gui.comparison_reading import ComparisonReading
from app.gui.desk import Desk
from app.gui.report_material import put_comparison
from resources.foreign_text import shown
from viewmodels.comparison_problems import problem_note
from viewmodels.comparison_surroundings import surroundings_of
from widgets.copying import copy_text
from wizards.pages.compare_page import ComparePage

_PULSE_MS = 100
_CHOOSE_FIRST = "Nothing is compared yet: choose A and B first."


class ComparePanel(QObject):
    """Connects the page to the comparison; when it is seen without one, the likeliest pair is compared."""

    def __init__(self, desk: Desk) -> None:
        self.view = ComparePage(desk.theme)
        super().__init__(self.view)
        self._desk, self._model = desk, desk.comparison
        self._pulse = QTimer(self, interval=_PULSE_MS)
        self._pulse.timeout.connect(self._show_progress)
        self._reading = ComparisonReading(self._model, desk.session, self)
        self._join_view()
        self._join_reading()
        self._model.changed.connect(self._show_state)
        self._model.compared.connect(lambda _page: self._show_result())
        self._model.filtered.connect(self.view.set_filter)
        desk.session.changed.connect(lambda _change: self._note_growth())
        desk.findings.changed.connect(self._begin_judged)
        desk.findings.changed.connect(self._show_problems)
        desk.times.changed.connect(lambda _clock: self._show_surroundings())
        self._show_state()
        self._show_result()

    def _join_view(self) -> None:
        view, model, desk = self.view, self._model, self._desk
        view.swapped.connect(self._swap)
        view.again.connect(self._again)
        view.head.again.connect(model.renew)
        view.head.cancelled.connect(model.cancel)
        view.head.put.connect(lambda: put_comparison(desk))
        view.head.copied.connect(lambda: desk.notify(copy_text(model.command, "The command"), "ok"))
        view.ticked.connect(model.kind_wanted)
        model.table_wanted.connect(view.table.setFocus)
        view.search_wanted.connect(model.search_wanted)
        view.act_wanted.connect(model.begin)
        view.appeared.connect(model.begin_first)
        view.copied.connect(lambda text: desk.notify(text, "ok"))
        view.save_wanted.connect(desk.save_file)
        view.table.opened.connect(lambda row: open_row(desk, row))
        view.table.only.connect(model.only_wanted)
        view.table.moved_with.connect(lambda row: ask_moved_with(desk, row))
        for lines in (view.lists.settings, view.lists.gone):
            lines.opened.connect(lambda line: open_line(desk, line))

    def _join_reading(self) -> None:
        view, reading = self.view, self._reading
        view.charts_wanted.connect(reading.read_charts)
        view.others_wanted.connect(
            lambda verdict: reading.read_others("undecided" if verdict == "undecided" else "same")
        )
        view.table.visible.connect(reading.read_shapes)
        reading.added.connect(view.show_others)
        reading.shaped.connect(view.table.changes.add_shapes)
        reading.drawn.connect(view.show_charts)

    def _show_state(self) -> None:
        model, view = self._model, self.view
        computing = model.state == "computing"
        if computing:
            view.show_progress(*model.progress)
            self._pulse.start()
        else:
            self._pulse.stop()
        if model.state == "nothing":
            view.show_nothing(*nothing_to_compare(self._desk))
        elif model.state == "cancelled":
            view.show_failure("Comparing was stopped.", "Nothing was changed. Compare again when you like.")
        elif model.state == "failed" and model.error is not None:
            error = model.error
            button = LIKELIEST if model.pair is None else ""
            view.show_failure(error.happened, f"{error.meaning} {error.advice}".strip(), button)

    def _swap(self) -> None:
        """Swap A and B; where nothing is compared, say what there has to be first."""
        if self._model.pair is not None:
            self._model.swap()
        else:
            self._desk.notify(
                nothing_to_compare(self._desk)[0] if self._model.known() is None else _CHOOSE_FIRST, "info"
            )

    def _again(self) -> None:
        """Compare again, or for the first time; without samples say what there has to be first."""
        if self._model.known() is None:
            self._desk.notify(nothing_to_compare(self._desk)[0], "info")
        else:
            self._model.renew()

    def _begin_judged(self) -> None:
        """Compare the likeliest pair of a session that was opened while this page is in front: that is known
        once it is judged.
        """
        if self.view.isVisible() and self._desk.findings.diagnosis is not None:
            self._model.begin_first()

    def _show_progress(self) -> None:
        if self._model.state == "computing":
            self.view.show_progress(*self._model.progress)

    def _show_result(self) -> None:
        model = self._model
        if model.page is None or model.pair is None or model.found is None:
            return
        title = f"{shown(model.pair.a.title)} against {shown(model.pair.b.title)}"
        self.view.show_page(model.page, title, has_grown=model.has_grown)
        self._show_problems()
        self._show_surroundings()

    def _show_problems(self) -> None:
        """Findings are known of the open session alone, and may come after the comparison."""
        pair = self._model.pair
        if pair is not None:
            both_here = pair.a.session is None and pair.b.session is None
            findings = self._desk.findings.findings if both_here else ()
            self.view.head.show_problems(problem_note(findings, pair.a.window, pair.b.window))

    def _show_surroundings(self) -> None:
        if self._model.found is not None:
            self.view.lists.show_surroundings(surroundings_of(self._model.found, self._desk.times.clock))

    def _note_growth(self) -> None:
        if self._model.state == "nothing":
            self.view.show_nothing(*nothing_to_compare(self._desk))
        elif self._model.state == "ready":
            self.view.show_grown(on=self._model.has_grown)


def make(desk: Desk) -> QWidget:
    """Return the view of the panel; the view owns the panel."""
    return ComparePanel(desk).view
