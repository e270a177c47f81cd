"""A page of the connect dialog: what a kind of source gives, needs and costs, and its rows to fill in."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from resources.source_kinds import SourceKind
from widgets.connect.place_row import PlaceRow
from widgets.connect.values import Kind, Place
from widgets.number_box import NumberBox
from widgets.theme import Theme

_LONGEST_S = 300
_ANOTHER: dict[Kind, str] = {
    "vcenter": "Another vCenter",
    "esxi": "Another host",
    "esxtop": "Hosts of another vCenter",
    "ssh": "Another host",
    "guest": "Another guest",
    "tools": "Guests of another vCenter",
    "lab": "",
}


class KindPage(QWidget):
    """The page of one kind; it has one row at least, which may be empty.

    Signals: ``changed``; ``readdressed`` with a Place of another kind whose address was pasted; ``paced``
    with the seconds between samples.
    """

    changed = Signal()
    readdressed = Signal(object)
    paced = Signal(int)

    def __init__(self, theme: Theme, kind: SourceKind, scenarios: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.kind = kind
        self.rows: list[PlaceRow] = []
        self._theme, self._scenarios = theme, scenarios
        title = QLabel(kind.title)
        title.setProperty("role", "display")
        facts = QFormLayout()
        facts.setVerticalSpacing(2)
        facts.setHorizontalSpacing(12)
        for head, text in (("Gives", kind.gives), ("Needs", kind.needs), ("Costs", kind.costs)):
            facts.addRow(_muted(head), _muted(text, wrapped=True))
        self.add = QPushButton(_ANOTHER[kind.id])
        self.add.setProperty("role", "ghost")
        self.add.setIcon(theme.icons.get("add"))
        self.add.setVisible(bool(_ANOTHER[kind.id]))
        self.add.clicked.connect(lambda: self.add_row(Place(kind.id)).first_field().setFocus())
        self.every = NumberBox(round(kind.least_s or 1), _LONGEST_S, " s")
        self.every.setAccessibleName("Every")
        self.every.valueChanged.connect(self.paced)
        self._places = QVBoxLayout()
        self._places.setSpacing(8)
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self.add)
        below.addStretch(1)
        if kind.least_s is not None:
            below.addWidget(_muted(f"A sample every (at least {kind.least_s:g} s)"))
            below.addWidget(self.every)
        else:
            self.every.setParent(self)
            self.every.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(title)
        column.addLayout(facts)
        column.addSpacing(4)
        column.addLayout(self._places)
        column.addLayout(below)
        self.below = QVBoxLayout()
        column.addLayout(self.below)
        column.addStretch(1)
        self.show_places(())

    def show_places(self, places: Sequence[Place]) -> None:
        """Show rows of these places of this kind; an empty one if there are none."""
        for old in list(self.rows):
            self._drop(old)
        for place in places or (Place(self.kind.id),):
            self.add_row(place)

    def add_row(self, place: Place) -> PlaceRow:
        """Add a row; the empty one that there was gives way to it."""
        for old in [one for one in self.rows if one.is_empty and len(self.rows) == 1 and place.label]:
            self._drop(old)
        row = PlaceRow(self._theme, place, self._scenarios)
        row.changed.connect(self._changed)
        row.readdressed.connect(self.readdressed)
        row.removed.connect(lambda: self._drop(row))
        before = self.rows[-1:]
        self.rows.append(row)
        self._places.addWidget(row)
        for last in before:
            order_stops(last.remove, [row])
        self._changed()
        return row

    def _drop(self, row: PlaceRow) -> None:
        self.rows.remove(row)
        self._places.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._changed()

    def _changed(self) -> None:
        for row in self.rows:
            row.remove.setVisible(len(self.rows) > 1)
        self.changed.emit()


def _muted(text: str, *, wrapped: bool = False) -> QLabel:
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText, wordWrap=wrapped)
    label.setProperty("role", "muted")
    return label


def order_stops(before: QWidget, parts: Sequence[QWidget]) -> None:
    """Let Tab go from a widget through these parts and what is in them."""
    for part in parts:
        for one in (part, *part.findChildren(QWidget)):
            takes_focus = one.focusPolicy() & Qt.FocusPolicy.TabFocus and one.focusProxy() is None
            if takes_focus and one.window() is before.window():  # the list of a box is a window of its own
                QWidget.setTabOrder(before, one)
                before = one
