"""The pane beside the Compare page: what A and B are, whether the load was the same, which rows are shown."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.gui.comparison_choosing import ComparisonChoosing
from app.gui.desk import Desk
from diagnosis.comparison.windows import alignment
from resources.foreign_text import shown
from resources.units import format_duration
from viewmodels.comparison_surroundings import surroundings_of
from wizards.pages.compare_rail import CompareRail

_ALIKE = 0.98
"""Windows whose lengths differ by less are called equally long."""


class CompareRailPanel(QObject):
    """Connects the pane to the comparison."""

    def __init__(self, desk: Desk) -> None:
        self.view = CompareRail(desk.theme)
        super().__init__(self.view)
        self._desk, self._model = desk, desk.comparison
        view, model = self.view, self._model
        view.swapped.connect(model.swap)
        view.again.connect(model.renew)
        ComparisonChoosing(desk, view)
        view.copied.connect(lambda text: desk.notify(text, "ok"))
        view.load.left_out.connect(lambda window, on: model.leave_out(window, on=on))
        view.filter.changed.connect(model.filtered)
        view.filter.left.connect(model.table_wanted)
        model.search_wanted.connect(view.filter.search.setFocus)
        model.kind_wanted.connect(self._tick)
        model.only_wanted.connect(self._show_only)
        model.changed.connect(self._show)
        model.compared.connect(lambda _page: self._show_result())
        desk.times.changed.connect(lambda _clock: self._renew())
        self._renew()

    def _renew(self) -> None:
        self._show()
        self._show_result()

    def _show(self) -> None:
        model, view = self._model, self.view
        is_chosen = model.pair is not None
        for card in view.sides.values():
            card.setVisible(is_chosen)
        view.show_choices(can_swap=is_chosen, has_samples=model.known() is not None)
        view.command.show_command(model.command)
        if model.state != "ready":
            view.show_result(on=False)
        if model.pair is None:
            view.show_aligned("")
            return
        clock = self._desk.times.clock
        own = self._desk.session.path
        for letter, side in (("a", model.pair.a), ("b", model.pair.b)):
            file = side.session or own
            note = f"{side.note} · {file.name}" if side.session is not None and file else side.note
            view.sides[letter].show_side(side.title, clock.window(side.window), note)
        a, b = model.pair.a.window, model.pair.b.window
        shorter, longer = sorted((a.seconds, b.seconds))
        lengths = [longer] if shorter >= _ALIKE * longer else [a.seconds, b.seconds]
        long = " and ".join(format_duration(round(one)) for one in lengths)
        at = "time of day" if alignment(a, b) == "time of day" else "start of each"
        view.show_aligned(f"aligned at {at} · {long}")

    def _show_result(self) -> None:
        model, view = self._model, self.view
        if model.found is None or model.page is None:
            return
        clock = self._desk.times.clock
        load = surroundings_of(model.found, clock).load
        out = [
            (
                f"{shown(one.title, 60)} only in {one.side.upper()}",
                f"{one.text}, {clock.window(one.window)}. It would look like a change.",
                one.window,
                one.is_out,
            )
            for one in model.out
        ]
        view.load.show_load(load, out)
        head = model.page.head
        counts = {
            "better": head.better, "worse": head.worse, "to know": head.to_know,
            "undecided": head.undecided, "same": head.same,
        }  # fmt: skip
        view.filter.show_counts(counts, model.page.areas)
        view.show_result(on=True)
        model.filtered.emit(view.filter.filter)

    def _tick(self, verdict: str) -> None:
        self.view.filter.boxes[verdict].setChecked(True)

    def _show_only(self, entity: object) -> None:
        page = self._model.page
        names = [one.name for one in page.rows if one.entity == entity] if page is not None else []
        self.view.filter.show_only(entity, names[0] if names else "")  # type: ignore[arg-type]


def make(desk: Desk) -> QWidget:
    """Return the view of the panel; the view owns the panel."""
    return CompareRailPanel(desk).view
