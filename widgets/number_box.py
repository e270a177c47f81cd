"""A field for whole numbers, whose text stands as far from the edge as that of other fields."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QSpinBox, QWidget

_TEXT_LEFT = 6


class NumberBox(QSpinBox):
    """A spin box from ``least`` to ``most`` with a unit after the number."""

    def __init__(self, least: int, most: int, suffix: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent, minimum=least, maximum=most, suffix=suffix)
        line = self.findChild(QLineEdit)
        if line is not None:  # a style sheet's padding does not reach the line within
            line.setTextMargins(_TEXT_LEFT, 0, 0, 0)
