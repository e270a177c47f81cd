"""The legend of a chart: names of curves with their values, in rows that can be scrolled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QWidget

from resources.foreign_text import shown, tooltip_text
from viewmodels.curve import NamedCurve
from widgets.dragging import Draggable
from widgets.eliding import NameElider
from widgets.theme import Tokens

_MAX_ENTRIES = 60
_ROWS_SEEN = 2
_ROW = 20
_ENTRY_GAP = 14
_CAPTION_GAP, _CAPTION_SIDE = 8, 6
MAX_NAME_PX = 200
_MIN_NAME_PX = 24
_DASH = 12, 3
_DASH_GAP = 5


def flowed(widths: Sequence[int], room: int) -> list[list[int]]:
    """Return the numbers of the entries in each row, if rows are ``room`` pixels wide; the gaps between
    entries are part of ``widths``. An entry wider than that has a row of its own.
    """
    rows: list[list[int]] = []
    left = 0
    for number, width in enumerate(widths):
        if not rows or left + width > room:
            rows.append([])
            left = 0
        rows[-1].append(number)
        left += width
    return rows


class LegendEntry(QWidget):
    """An entry: a dash in the curve's colour, its name, and its value."""

    entered = Signal(object)

    def __init__(self, number: int, names: NameElider, parent: QWidget) -> None:
        super().__init__(parent)
        self._number, self._names = number, names
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
        self._pinned = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._pinned.setProperty("role", "pinned value")
        self._pinned.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._pinned.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_DASH_GAP)
        for widget in (self._dash, self._name, self._value, self._pinned):
            row.addWidget(widget)

    def describe(self, name: str, colour: str, about: Callable[[], str]) -> None:
        """Set name and colour; ``about`` returns the tooltip's lines when the tooltip is shown."""
        if shown(name) != self._full:
            self._full = shown(name)
            self._value.setMinimumWidth(0)
            self._pinned.setMinimumWidth(0)
        self.fit(MAX_NAME_PX)
        self._about = about
        if colour != self._colour:
            self._colour = colour
            self._dash.setStyleSheet(f"background: {colour}; border-radius: 1px")

    @property
    def value(self) -> str:
        """The value at the moment that the legend's caption names."""
        return self._value.text()

    @property
    def pinned_value(self) -> str:
        """The value at the pinned moment, if it is shown beside that of another one."""
        return self._pinned.text()

    def show_value(self, value: str, pinned: str = "") -> None:
        """Show a value, and perhaps that at the pinned moment beside it; their widths only grow, so that the
        legend does not jump.
        """
        self._value.setText(value)
        self._pinned.setText(pinned)
        self._pinned.setVisible(bool(pinned) or self._pinned.minimumWidth() > 0)
        for label in (self._value, self._pinned):
            label.setMinimumWidth(max(label.minimumWidth(), label.sizeHint().width() if label.text() else 0))

    def fit(self, max_width: int) -> None:
        """Shorten the name to at most ``max_width`` pixels."""
        self._name.ensurePolished()
        text = self._names.elided(self._full, max_width, self._name.fontMetrics())
        if text != self._name.text():
            self._name.setText(text)

    @property
    def widths(self) -> tuple[int, int]:
        """The width of the whole name, and of all other parts including the gap to the next entry, in
        pixels.
        """
        name = min(self._name.fontMetrics().horizontalAdvance(self._full) + 2, MAX_NAME_PX)
        pinned = self._pinned.minimumWidth()
        values = self._value.minimumWidth() + (pinned + _DASH_GAP if pinned else 0)
        return name, _DASH[0] + values + 2 * _DASH_GAP + _ENTRY_GAP

    def event(self, event: QEvent) -> bool:
        """Compute the tooltip's text when it is about to be shown."""
        if event.type() == QEvent.Type.ToolTip:
            self.setToolTip(tooltip_text(self._about()))
        return super().event(event)

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802
        """Highlight the curve while the mouse is over its name."""
        self.entered.emit(self._number)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """Remove the highlight."""
        self.entered.emit(None)
        super().leaveEvent(event)


class Legend(QScrollArea):
    """Entries for all curves: in one row if they fit there, else in rows of which the first can be seen, and
    the others by scrolling. ``caption``, left of them, says of which moment their values are.

    ``entered`` carries the number of the curve under the mouse, None when the mouse leaves. Names can be
    dragged: ``dragged(number)`` returns the series ids of that curve and a label for the drag.
    """

    entered = Signal(object)

    def __init__(self, dragged: Callable[[int], tuple[Sequence[int], str]]) -> None:
        super().__init__()
        self._dragged = dragged
        self._entries: list[LegendEntry] = []
        self._names: Sequence[str] = ()
        self._elider = NameElider()
        self._rows = 1
        self.setFrameShape(self.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setProperty("role", "legend")
        self.setAccessibleName("Legend")
        self._body = QWidget()
        self.caption = QLabel(self._body)
        self.caption.setProperty("role", "caption")
        self.caption.setContentsMargins(_CAPTION_SIDE, 0, _CAPTION_SIDE, 0)
        self._has_caption = True
        self._more = QLabel(self._body)
        self._more.setProperty("role", "muted")
        self.setWidget(self._body)

    @property
    def entries(self) -> Sequence[LegendEntry]:
        """The entries of the curves."""
        return self._entries

    @property
    def extra_height(self) -> int:
        """By how many pixels the legend is higher than one row."""
        return (min(self._rows, _ROWS_SEEN) - 1) * _ROW

    def hide_caption(self) -> None:
        """Show no caption, now and later."""
        self._has_caption = False
        self.caption.hide()

    def show_caption(self, text: str, of: str) -> None:
        """Say of which moment the values are: ``of`` is ``last`` for the last ones, ``moment`` for the
        pointer's, ``pinned`` for the pinned one, and decides the look. The width only grows.
        """
        if (text, of) == (self.caption.text(), self.caption.property("of")):
            return
        self.caption.setProperty("of", of)
        self.caption.style().polish(self.caption)
        self.caption.setText(text)
        self.caption.setMinimumWidth(max(self.caption.minimumWidth(), self.caption.sizeHint().width()))

    def show_curves(
        self, curves: Sequence[NamedCurve], tokens: Tokens, about: Callable[[NamedCurve], str]
    ) -> None:
        """Show an entry for each curve; ``about(curve)`` returns the lines of an entry's tooltip."""
        self._names = [shown(named.name) for named in curves]
        self._elider.set_names(self._names)
        while len(self._entries) > min(len(curves), _MAX_ENTRIES):
            gone = self._entries.pop()
            gone.hide()
            gone.deleteLater()
        while len(self._entries) < min(len(curves), _MAX_ENTRIES):
            self._add_entry(len(self._entries))
        for number, (entry, named) in enumerate(zip(self._entries, curves, strict=False)):
            entry.describe(named.name, tokens.curve(number), partial(about, named))

    def fits_in(self, room: int) -> bool:
        """Return True if all whole names fit side by side into ``room`` pixels."""
        whole = self._caption_room + sum(map(sum, self._widths))
        return len(self._names) == len(self._entries) and whole <= room

    def fit(self, room: int) -> None:
        """Arrange the entries in rows of ``room`` pixels."""
        widths, caption = self._widths, self._caption_room
        self.caption.setVisible(bool(caption and widths))
        self.caption.setGeometry(0, 1, self.caption.minimumWidth(), _ROW - 2)
        room -= caption
        rows = flowed(list(map(sum, widths)), room)
        if len(rows) > _ROWS_SEEN:
            room -= self.verticalScrollBar().sizeHint().width()
            rows = flowed(list(map(sum, widths)), room)
        self._rows = max(len(rows), 1)
        for row, numbers in enumerate(rows):
            left = caption
            for number in numbers:
                entry, (name, rest) = self._entries[number], widths[number]
                entry.fit(max(min(name, room - rest), _MIN_NAME_PX))
                entry.setGeometry(left, row * _ROW, min(name + rest - _ENTRY_GAP, room), _ROW)
                entry.show()
                left += name + rest
        self._show_rest(len(rows), room)
        self._body.resize(caption + room, (self._rows + (not self._more.isHidden())) * _ROW)
        whole = caption + sum(map(sum, widths)) if len(rows) == 1 else self._body.width()
        scrolls = self._rows > _ROWS_SEEN
        bar = self.verticalScrollBar().sizeHint().width() if scrolls else 0
        self.setFixedSize(min(whole, caption + room) + bar, min(self._rows, _ROWS_SEEN) * _ROW)

    def _show_rest(self, rows: int, room: int) -> None:
        """Say below the entries how many curves have none."""
        rest = self._names[len(self._entries) :]
        self._more.setVisible(bool(rest))
        self._more.setText(f"and {len(rest)} more curves")
        self._more.setToolTip(tooltip_text("\n".join(rest)))
        self._more.setGeometry(0, rows * _ROW, room, _ROW)

    @property
    def _caption_room(self) -> int:
        return self.caption.minimumWidth() + _CAPTION_GAP if self._has_caption and self.caption.text() else 0

    @property
    def _widths(self) -> list[tuple[int, int]]:
        return [entry.widths for entry in self._entries]

    def _add_entry(self, number: int) -> None:
        entry = LegendEntry(number, self._elider, self._body)
        Draggable(entry, lambda _at: self._dragged(number))
        entry.entered.connect(self.entered)
        self._entries.append(entry)
