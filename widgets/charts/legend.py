"""The legend of a chart: a name with its value for each curve, as many as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from resources.foreign_text import shown, tip

LEGEND_GAP = 14
MOST_NAME = 200
_LEAST_NAME = 72
_DASH = 12, 3
_DASH_GAP = 5


def names_in(widths: Sequence[tuple[int, int]], room: int, more: int, *, unnamed: bool) -> tuple[int, int]:
    """How many entries fit into ``room`` pixels, and how wide a name may be in them.

    ``widths`` are those of each entry's whole name and of all the rest of it; ``more`` is what the number of
    curves without an entry takes, where there are any (``unnamed``) or entries are left out. Names are
    shortened so that more of them fit, but not to shreds; the first is always there.
    """
    for count in range(len(widths), 1, -1):
        names = [name for name, _ in widths[:count]]
        beside = sum(rest for _, rest in widths[:count])
        left = room - beside - (more if unnamed or count < len(widths) else 0)
        most = _shared(names, left)
        if most >= min(_LEAST_NAME, max(names)):
            return count, most
    if not widths:
        return 0, MOST_NAME
    left = room - widths[0][1] - (more if unnamed or len(widths) > 1 else 0)
    return 1, min(max(left, _LEAST_NAME // 2), MOST_NAME)


def _shared(names: Sequence[int], room: int) -> int:
    """The width that names may have so that all of them fit: short ones leave theirs to the others."""
    for number, name in enumerate(sorted(names)):
        share = room // (len(names) - number)
        if name > share:
            return share
        room -= name
    return MOST_NAME


class LegendEntry(QWidget):
    """A dash in the curve's colour, its name, and its value."""

    entered = Signal(object)

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number
        self._full = ""
        self._about: Callable[[], str] = str
        self._colour = ""
        self._dash = QWidget()
        self._dash.setFixedSize(*_DASH)
        self._name = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._name.setProperty("role", "muted")
        self._value = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._value.setStyleSheet("font-size: 12px")
        self._value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_DASH_GAP)
        for widget in (self._dash, self._name, self._value):
            row.addWidget(widget)

    def describe(self, name: str, colour: str, about: Callable[[], str]) -> None:
        """Say which curve it is; ``about`` gives the lines of its tooltip when somebody asks for it."""
        if shown(name) != self._full:
            self._full = shown(name)
            self._value.setMinimumWidth(0)
            self.fit(MOST_NAME)
        self._about = about
        if colour != self._colour:
            self._colour = colour
            self._dash.setStyleSheet(f"background: {colour}; border-radius: 1px")

    def say(self, value: str) -> None:
        """Show a value; its place never shrinks, so that the legend stands still."""
        self._value.setText(value)
        self._value.setMinimumWidth(max(self._value.minimumWidth(), self._value.sizeHint().width()))

    def fit(self, most: int) -> None:
        """Show its name in so many pixels at most."""
        self._name.ensurePolished()
        text = self._name.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideMiddle, most)
        if text != self._name.text():
            self._name.setText(text)

    @property
    def widths(self) -> tuple[int, int]:
        """What its whole name takes, and all the rest of it with the gap to the next entry."""
        name = min(self._name.fontMetrics().horizontalAdvance(self._full) + 2, MOST_NAME)
        return name, _DASH[0] + self._value.minimumWidth() + 2 * _DASH_GAP + LEGEND_GAP

    def event(self, event: QEvent) -> bool:
        """The numbers of a tooltip are worked out when it is asked for."""
        if event.type() == QEvent.Type.ToolTip:
            self.setToolTip(tip(self._about()))
        return super().event(event)

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802
        """The curve stands out while the mouse is over its name."""
        self.entered.emit(self._number)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """And no longer."""
        self.entered.emit(None)
        super().leaveEvent(event)
