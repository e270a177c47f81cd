"""Which rows of the comparison are shown: by verdict, by area, by words, by entity."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from resources.foreign_text import shown
from resources.units import format_count
from sessions.model import EntityRef
from viewmodels.comparison_page import AREAS, RowFilter
from widgets.elided_label import ElidedLabel
from widgets.search_field import SearchField

_KINDS = (
    ("better", "Better"),
    ("worse", "Worse"),
    ("to know", "To know"),
    ("undecided", "Undecided"),
    ("same", "The same  ~"),
)
_SHOWN_FIRST = frozenset({"better", "worse", "to know"})


class FilterSection(QWidget):
    """The section. ``changed`` carries a RowFilter; ``left`` when the keys are to go on to the table."""

    changed = Signal(object)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entity: EntityRef | None = None
        self.search = SearchField("Search names, counters", "Search the rows")
        self.search.textChanged.connect(lambda _text: self._tell())
        self.search.left.connect(self.left)
        self.boxes = {judged: QCheckBox(text) for judged, text in _KINDS}
        self._counts = {judged: QLabel() for judged, _ in _KINDS}
        rows = QGridLayout()
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setVerticalSpacing(3)
        rows.setColumnStretch(0, 1)
        for number, (judged, box) in enumerate(self.boxes.items()):
            box.setChecked(judged in _SHOWN_FIRST)
            box.toggled.connect(lambda _on: self._tell())
            self._counts[judged].setProperty("role", "muted")
            rows.addWidget(box, number, 0)
            rows.addWidget(self._counts[judged], number, 1, Qt.AlignmentFlag.AlignRight)
        self.areas = {area: QPushButton(area) for area in AREAS}
        areas = QGridLayout()
        areas.setSpacing(6)
        for number, (area, button) in enumerate(self.areas.items()):
            button.setCheckable(True)
            button.setChecked(True)
            button.setProperty("role", "toggle")
            button.setAccessibleName(f"Show counters of {area}")
            button.toggled.connect(lambda _on: self._tell())
            areas.addWidget(button, number // 2, number % 2)
        self._only = ElidedLabel()
        everyone = QPushButton("All")
        everyone.setProperty("role", "ghost")
        everyone.setAccessibleName("Show the rows of all entities")
        everyone.clicked.connect(lambda: self.show_only(None, ""))
        self._of = QWidget()
        of = QHBoxLayout(self._of)
        of.setContentsMargins(0, 0, 0, 0)
        of.addWidget(self._only, 1)
        of.addWidget(everyone)
        self._of.hide()
        caps = QLabel("SHOW")
        caps.setProperty("role", "pane-title")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(caps)
        column.addWidget(self.search)
        column.addLayout(rows)
        column.addLayout(areas)
        column.addWidget(self._of)

    @property
    def filter(self) -> RowFilter:
        """What is chosen."""
        return RowFilter(
            frozenset(judged for judged, box in self.boxes.items() if box.isChecked()),
            frozenset(area for area, button in self.areas.items() if button.isChecked()),
            self.search.text(),
            self._entity,
        )

    def show_counts(self, counts: Mapping[str, int], areas: Mapping[str, int]) -> None:
        """Show how many rows each choice has."""
        for judged, label in self._counts.items():
            label.setText(format_count(counts.get(judged, 0)))
        for area, button in self.areas.items():
            button.setText(f"{area} {areas[area]}" if areas.get(area) else area)
            button.setVisible(area in areas)

    def show_only(self, entity: EntityRef | None, name: str) -> None:
        """Show the rows of one entity, None: of all."""
        self._entity = entity
        self._only.show_text(f"Only {shown(name)}" if entity is not None else "")
        self._of.setVisible(entity is not None)
        self._tell()

    def _tell(self) -> None:
        self.changed.emit(self.filter)
