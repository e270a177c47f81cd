"""The two cards of A and B: what each is, from when to when, and a menu that changes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from resources.foreign_text import shown
from viewmodels.comparison_choices import ChosenSide, PairOffer
from widgets.elided_label import ElidedLabel
from widgets.theme import Theme
from wizards.pages.compare_cells import side_colour

_EDGE = 3


class SideCard(QFrame):
    """The card of a side. ``menu_wanted`` when its menu is to be opened."""

    menu_wanted = Signal()

    def __init__(self, theme: Theme, letter: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._letter = theme, letter
        self.setProperty("role", "card")
        self._name = ElidedLabel()
        self._name.setProperty("role", "title")
        self.change = QToolButton()
        self.change.setText("Change…")
        self.change.setProperty("role", "ghost")
        self.change.setAccessibleName(f"Choose what {letter.upper()} is")
        self.change.clicked.connect(self.menu_wanted)
        self._window, self._note = ElidedLabel(), ElidedLabel()
        self._note.setProperty("role", "muted")
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self._name, 1)
        head.addWidget(self.change)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 4, 6, 7)
        column.setSpacing(1)
        column.addLayout(head)
        column.addWidget(self._window)
        column.addWidget(self._note)
        theme.changed.connect(self._dress)
        self._dress()

    def show_side(self, title: str, window: str, note: str) -> None:
        """Show what the side is."""
        self._name.show_text(f"{self._letter.upper()}  {title}")
        self._window.show_text(window)
        self._note.show_text(note)
        self.setAccessibleName(f"{self._letter.upper()}: {shown(title)}, {window}, {shown(note)}")

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paint the edge in the side's colour."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(0, 0, 0, 0))
        painter.setBrush(QColor(side_colour(self._theme.tokens, self._letter)))
        painter.drawRoundedRect(QRectF(1, 6, _EDGE, self.height() - 12), 1.5, 1.5)

    def _dress(self) -> None:
        self._name.setStyleSheet(f"color: {side_colour(self._theme.tokens, self._letter)};")
        self.update()


def side_menu(
    parent: QWidget,
    offers: Sequence[ChosenSide],
    describe: Callable[[ChosenSide], str],
    choose: Callable[[ChosenSide], None],
    others: Sequence[tuple[str, Callable[[], None]]],
) -> QMenu:
    """Return the menu of a side: windows that are offered, then ``others`` (texts and what they do)."""
    menu = QMenu(parent)
    for one in offers:
        menu.addAction(describe(one)).triggered.connect(lambda _on=False, one=one: choose(one))
    menu.addSeparator()
    for text, act in others:
        menu.addAction(text).triggered.connect(lambda _on=False, act=act: act())
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def pairs_menu(parent: QWidget, offers: Sequence[PairOffer], choose: Callable[[PairOffer], None]) -> QMenu:
    """Return the menu of pairs that are ready to be compared."""
    menu = QMenu(parent)
    for one in offers:
        menu.addAction(one.why).triggered.connect(lambda _on=False, one=one: choose(one))
    menu.aboutToHide.connect(menu.deleteLater)
    return menu
