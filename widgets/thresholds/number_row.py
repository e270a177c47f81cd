"""One number of a threshold set: its field with the unit, the shipped number beside it, and a way back to
that.
"""

from __future__ import annotations

from PySide6.QtCore import QLocale, QObject, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QLabel, QLineEdit, QPushButton

from resources.units import format_value
from viewmodels.threshold_sets import NumberRow

_TEXT_LEFT = 6
_RATIO = " ×"
_STEP_PART = 0.1


class NumberRowWidgets(QObject):
    """The widgets of a number, in a row of a grid; ``changed`` when it was edited."""

    changed = Signal()

    def __init__(self, row: NumberRow, grid: QGridLayout, at: int, *, is_editable: bool) -> None:
        super().__init__(grid.parentWidget())
        self._row, self._is_editable = row, is_editable
        why = f"{row.meaning} Shipped: {_text(row)}. {row.source}."
        title = QLabel(row.title)
        title.setToolTip(why)
        self.box = _number_box(row)
        self.box.setAccessibleName(row.title)
        self.box.setAccessibleDescription(why)
        self.box.setToolTip(why)
        self.box.setEnabled(is_editable)
        title.setBuddy(self.box)
        plain = QLabel(_text(row))  # a field that takes nothing looks as if it could
        plain.setAccessibleName(f"{row.title}: {_text(row)}")
        plain.setToolTip(why)
        shipped = QLabel(f"shipped: {_text(row)}")
        shipped.setProperty("role", "muted")
        self.reset = QPushButton("Reset")
        self.reset.setProperty("role", "ghost")
        self.reset.setAutoDefault(False)
        self.reset.setAccessibleName(f"Reset {row.title} to the shipped number")
        self.reset.setToolTip(f"Back to {_text(row)}")
        note = QLabel(row.meaning, wordWrap=True)
        note.setProperty("role", "muted")
        note.setContentsMargins(0, 0, 0, 6)
        columns = (title, self.box, shipped, self.reset) if is_editable else (title, plain)
        for one in (self.box, plain, shipped, self.reset):
            one.setParent(grid.parentWidget())
            if one not in columns:
                one.hide()
        for column, widget in enumerate(columns):
            grid.addWidget(widget, 2 * at, column)
        grid.addWidget(note, 2 * at + 1, 0, 1, 4)
        self.box.valueChanged.connect(lambda _value: self._edited())
        self.reset.clicked.connect(lambda: self.box.setValue(row.shipped))
        self._enable()

    @property
    def name(self) -> str:
        """The name of the number."""
        return self._row.name

    @property
    def value(self) -> float:
        """The number as it stands in the field."""
        return self.box.value()

    def show_value(self, value: float) -> None:
        """Put a number into the field."""
        self.box.setValue(value)

    def to_shipped(self) -> None:
        """Put the shipped number into the field."""
        self.box.setValue(self._row.shipped)

    def _edited(self) -> None:
        self._enable()
        self.changed.emit()

    def _enable(self) -> None:
        self.reset.setEnabled(self._is_editable and self.box.value() != self._row.shipped)


def _text(row: NumberRow) -> str:
    """The shipped number, with the unit that the field has."""
    return (
        f"{format_value(row.shipped, row.unit)}{_RATIO}"
        if row.unit == "ratio"
        else format_value(row.shipped, row.unit)
    )


def _number_box(row: NumberRow) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setLocale(QLocale.c())
    box.setDecimals(2)
    box.setRange(row.low, row.high)
    box.setSuffix(_RATIO if row.unit == "ratio" else f" {row.unit}")
    box.setSingleStep(max(_STEP_PART, round(row.shipped * _STEP_PART, 1)))
    box.setValue(row.value)
    line = box.findChild(QLineEdit)
    if line is not None:  # a style sheet's padding does not reach the line within
        line.setTextMargins(_TEXT_LEFT, 0, 0, 0)
    return box
