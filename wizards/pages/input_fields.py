"""The fields of a test's inputs: one for each, by its kind, with unit, limits and default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLabel, QLineEdit, QSpinBox, QWidget

from resources.guided_tests import InputKind, InputValue, TestInput
from widgets.number_box import NumberBox

_UNITS: Mapping[InputKind, str] = {"percent": " %", "seconds": " s", "bytes": " B", "ms": " ms"}
_MOST = (1 << 31) - 1
_LISTS = ("counts", "bytes list", "texts")


class InputFields(QObject):
    """Puts a field for each input into a grid. ``changed`` when a value was changed to another valid one.

    ``problem`` is a sentence on the first field that holds no valid value, empty if all do.
    """

    changed = Signal()

    def __init__(self, inputs: Sequence[TestInput], grid: QGridLayout, parent: QWidget) -> None:
        super().__init__(parent)
        self._inputs = {one.name: one for one in inputs}
        self._fields: dict[str, QWidget] = {}
        row = grid.rowCount()
        for one in inputs:
            field = self._field(one)
            field.setAccessibleName(one.title)
            field.setToolTip("\n".join(text for text in (one.help, one.source) if text))
            self._fields[one.name] = field
            if isinstance(field, QCheckBox):
                grid.addWidget(field, row, 0, 1, 2)
            else:
                label = QLabel(one.title)
                label.setBuddy(field)
                label.setToolTip(field.toolTip())
                grid.addWidget(label, row, 0)
                grid.addWidget(field, row, 1)
            row += 1

    @property
    def values(self) -> dict[str, InputValue]:
        """The values of all inputs; those of fields that hold no valid one are left out."""
        found = {name: self._value(name) for name in self._fields}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def problem(self) -> str:
        """What is wrong with the first field that holds no valid value."""
        for name, one in self._inputs.items():
            if self._value(name) is None:
                return f"{one.title}: write numbers with commas between them, such as 1, 4, 16."
        return ""

    def set_values(self, values: Mapping[str, InputValue]) -> None:
        """Show these values; inputs that are left out stay as they are."""
        for name, value in values.items():
            field = self._fields.get(name)
            if field is None:
                continue
            field.blockSignals(True)
            if isinstance(field, QSpinBox) and isinstance(value, int | float):
                field.setValue(round(value))
            elif isinstance(field, QCheckBox):
                field.setChecked(bool(value))
            elif isinstance(field, QComboBox):
                field.setCurrentText(str(value))
            elif isinstance(field, QLineEdit):
                field.setText(_list_text(value))
                field.setCursorPosition(0)  # a list that has no room is cut at its end
            field.blockSignals(False)

    def _field(self, one: TestInput) -> QWidget:
        if one.kind == "flag":
            box = QCheckBox(one.title)
            box.setChecked(bool(one.default))
            box.toggled.connect(lambda _on: self.changed.emit())
            return box
        if one.kind == "choice":
            combo = QComboBox()
            combo.addItems(list(one.choices))
            combo.setCurrentText(str(one.default))
            combo.currentTextChanged.connect(lambda _text: self.changed.emit())
            return combo
        if one.kind in _LISTS:
            line = QLineEdit(_list_text(one.default))
            line.setCursorPosition(0)
            line.editingFinished.connect(self.changed)
            return line
        least = 0 if one.least is None else round(one.least)
        most = _MOST if one.most is None else min(_MOST, round(one.most))
        spin = NumberBox(least, most, _UNITS.get(one.kind, ""))
        spin.setGroupSeparatorShown(True)
        spin.setKeyboardTracking(False)
        if isinstance(one.default, int | float):
            spin.setValue(round(one.default))
        spin.valueChanged.connect(lambda _value: self.changed.emit())
        return spin

    def _value(self, name: str) -> InputValue | None:
        field, one = self._fields[name], self._inputs[name]
        if isinstance(field, QSpinBox):
            return field.value()
        if isinstance(field, QCheckBox):
            return field.isChecked()
        if isinstance(field, QComboBox):
            return field.currentText()
        assert isinstance(field, QLineEdit)
        parts = [part.strip() for part in field.text().split(",") if part.strip()]
        if one.kind == "texts":
            return tuple(parts) or None
        if not parts or not all(part.isascii() and part.isdigit() and len(part) < 16 for part in parts):
            return None
        return tuple(int(part) for part in parts)


def _list_text(value: InputValue) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
