"""The legend of a chart: names of curves with their values, as many as fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from resources.foreign_text import shown, tooltip_text
from viewmodels.curve import NamedCurve
from widgets.dragging import Draggable
from widgets.eliding import NameElider
from widgets.theme import Tokens

_MAX_ENTRIES = 6
_ENTRY_GAP = 14
MAX_NAME_PX = 200
_MIN_NAME_PX = 72
_DASH = 12, 3
_DASH_GAP = 5


def fit_names(widths: Sequence[tuple[int, int]], room: int, more: int, *, unnamed: bool) -> tuple[int, int]:
    """Return how many entries fit into ``room`` pixels, and the maximum width of a name in them.

    ``widths`` are, for each entry, the width of its whole name and of its other parts. ``more`` is the width
    of the number of curves without an entry; it is needed if there are any (``unnamed``) or if entries are
    left out. Names are shortened to fit more of them, but not below a minimum; the first entry is always
    shown.
    """
    for count in range(len(widths), 1, -1):
        names = [name for name, _ in widths[:count]]
        beside = sum(rest for _, rest in widths[:count])
        left = room - beside - (more if unnamed or count < len(widths) else 0)
        max_width = _shared(names, left)
        if max_width >= min(_MIN_NAME_PX, max(names)):
            return count, max_width
    if not widths:
        return 0, MAX_NAME_PX
    left = room - widths[0][1] - (more if unnamed or len(widths) > 1 else 0)
    return 1, min(max(left, _MIN_NAME_PX // 2), MAX_NAME_PX)


def _shared(names: Sequence[int], room: int) -> int:
    """Return the maximum width of names with which all fit into ``room``; short names leave room to
    others.
    """
    for number, name in enumerate(sorted(names)):
        share = room // (len(names) - number)
        if name > share:
            return share
        room -= name
    return MAX_NAME_PX


class LegendEntry(QWidget):
    """An entry: a dash in the curve's colour, its name, and its value."""

    entered = Signal(object)

    def __init__(self, number: int, names: NameElider) -> None:
        super().__init__()
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
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_DASH_GAP)
        for widget in (self._dash, self._name, self._value):
            row.addWidget(widget)

    def describe(self, name: str, colour: str, about: Callable[[], str]) -> None:
        """Set name and colour; ``about`` returns the tooltip's lines when the tooltip is shown."""
        if shown(name) != self._full:
            self._full = shown(name)
            self._value.setMinimumWidth(0)
        self.fit(MAX_NAME_PX)
        self._about = about
        if colour != self._colour:
            self._colour = colour
            self._dash.setStyleSheet(f"background: {colour}; border-radius: 1px")

    def show_value(self, value: str) -> None:
        """Show a value; its width only grows, so that the legend does not jump."""
        self._value.setText(value)
        self._value.setMinimumWidth(max(self._value.minimumWidth(), self._value.sizeHint().width()))

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
        return name, _DASH[0] + self._value.minimumWidth() + 2 * _DASH_GAP + _ENTRY_GAP

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


class Legend(QWidget):
    """Entries for the first curves, and the number of further ones.

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
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(_ENTRY_GAP)
        self._more = QLabel()
        self._more.setProperty("role", "muted")
        self._row.addWidget(self._more)

    @property
    def entries(self) -> Sequence[LegendEntry]:
        """The entries of the first curves."""
        return self._entries

    @property
    def more(self) -> str:
        """The shown number of curves without a visible name: ``+3``; empty if all have one."""
        return "" if self._more.isHidden() else self._more.text()

    def show_curves(
        self, curves: Sequence[NamedCurve], tokens: Tokens, about: Callable[[NamedCurve], str]
    ) -> None:
        """Show entries for the first curves; ``about(curve)`` returns the lines of an entry's tooltip."""
        self._names = [shown(named.name) for named in curves]
        self._elider.set_names(self._names)
        while len(self._entries) > min(len(curves), _MAX_ENTRIES):
            gone = self._entries.pop()
            self._row.removeWidget(gone)
            gone.deleteLater()
        while len(self._entries) < min(len(curves), _MAX_ENTRIES):
            self._add_entry(len(self._entries))
        for number, (entry, named) in enumerate(zip(self._entries, curves, strict=False)):
            entry.describe(named.name, tokens.curve(number), partial(about, named))

    def fits_in(self, room: int) -> bool:
        """Return True if every curve has an entry and all whole names fit into ``room`` pixels."""
        return len(self._names) == len(self._entries) and sum(map(sum, self._widths)) <= room

    def fit(self, room: int) -> None:
        """Show as many entries as fit into ``room`` pixels, with shortened names, and the number of the
        others.
        """
        widths = self._widths
        more = self._more.fontMetrics().horizontalAdvance("+000")
        fitting, name_px = fit_names(widths, room, more, unnamed=len(self._names) > len(widths))
        for number, entry in enumerate(self._entries):
            entry.fit(name_px)
            entry.setVisible(number < fitting)
        hidden = len(self._names) - fitting
        self._more.setText(f"+{hidden}")
        self._more.setVisible(hidden > 0)
        self._more.setToolTip(tooltip_text("\n".join(self._names[fitting:])))

    @property
    def _widths(self) -> list[tuple[int, int]]:
        return [entry.widths for entry in self._entries]

    def _add_entry(self, number: int) -> None:
        entry = LegendEntry(number, self._elider)
        Draggable(entry, lambda _at: self._dragged(number))
        entry.entered.connect(self.entered)
        self._entries.append(entry)
        self._row.insertWidget(number, entry)
