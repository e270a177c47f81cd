"""Offers what A and B may be: pairs that are ready, windows, typed times, and other sessions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QFileDialog

from app.gui.comparison_model import Letter
from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.window_dialog import WindowDialog
from resources.failures import NotFoundError
from resources.foreign_text import shown
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.comparison_choices import ChosenSide, pair_offers, side_offers, whole_session
from widgets.dialog_opening import open_dialog
from wizards.pages.compare_rail import CompareRail
from wizards.pages.compare_sides import pairs_menu, side_menu

_SESSIONS = "Sessions (*.hscope)"


class ComparisonChoosing(QObject):
    """Opens the menus of the pane beside the Compare page; the pane owns it."""

    def __init__(self, desk: Desk, view: CompareRail) -> None:
        super().__init__(view)
        self._desk, self._model, self._view = desk, desk.comparison, view
        view.pairs_wanted.connect(self._offer_pairs)
        view.side_wanted.connect(self._offer_sides)

    def choose_session(self, letter: Letter, path: Path) -> None:
        """Take all of another session as a side."""

        def work(_job: Job) -> TimeRange:
            with SessionReader.open(path) as reader:
                span = reader.span()
            if span is None:
                raise NotFoundError(f"{path.name} has no samples.", meaning="There is nothing to compare.")
            return span

        def done(span: TimeRange) -> None:
            if self._model.pair is not None:
                self._model.choose_side(letter, whole_session(path, span))

        self._desk.jobs.start("compare.other", f"Opening {path.name}", work, done)

    def _offer_pairs(self) -> None:
        known = self._model.known()
        if known is not None:
            menu = pairs_menu(self._view, pair_offers(known), self._model.choose)
            menu.popup(self._view.offers.mapToGlobal(QPoint(0, self._view.offers.height())))

    def _offer_sides(self, letter: str) -> None:
        known = self._model.known()
        if known is None:
            return
        side: Letter = "a" if letter == "a" else "b"
        clock = self._desk.times.clock

        def describe(one: ChosenSide) -> str:
            what = f"{shown(one.title)}, {shown(one.note)}".replace("&", "&&")
            return f"{what}\t{clock.window(one.window)}"  # the times stand in a column of their own

        others: list[tuple[str, Callable[[], None]]] = [
            ("Other times…", lambda: self._ask_times(side)),
            ("Another session…", lambda: self._ask_session(side)),
        ]
        choose: Callable[[ChosenSide], None] = lambda one: self._model.choose_side(side, one)  # noqa: E731
        menu = side_menu(self._view, side_offers(known), describe, choose, others)
        button = self._view.sides[letter].change
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))

    def _ask_times(self, letter: Letter) -> None:
        pair = self._model.pair
        if pair is None:
            return
        side = pair.a if letter == "a" else pair.b
        dialog = WindowDialog(
            f"When is {letter.upper()}?", side.window, self._desk.times.clock, self._view.window()
        )
        dialog.chosen.connect(
            lambda window: self._model.choose_side(
                letter, ChosenSide("chosen", window, "typed times", side.session)
            )
        )
        dialog.open()

    def _ask_session(self, letter: Letter) -> None:
        own = self._desk.session.path
        folder = str(own.parent) if own is not None else ""
        dialog = QFileDialog(self._view.window(), "Another session", folder, _SESSIONS)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self.choose_session(letter, Path(path)))
        open_dialog(dialog)
