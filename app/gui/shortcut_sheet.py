"""The shortcut sheet: all keys of the window and its views, from the tables of actions and keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.gui.actions import ActionSpec, Context

_IN_ROW = 4
_HEIGHT, _AROUND, _FOOT = 640, 80, 64
_LEFT: dict[Context, str] = {
    "window": "Everywhere",
    "troubleshoot": "In Troubleshoot",
    "tests": "In the tests",
    "compare": "In Compare",
    "report": "In the report",
}
_RIGHT: dict[Context, str] = {
    "charts": "In the charts",
    "esxtop": "In the esxtop view",
    "timeline": "On the timeline",
    "inventory": "In the inventory",
    "findings": "In the findings",
    "moved": "In what moved with it",
    "heatmap": "In the heat map",
}


def key_text(keys: str) -> str:
    """Return a key as this platform writes it: ⌘K on macOS, Ctrl+K elsewhere."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def esxtop_key(keys: str) -> str:
    """Return a key as esxtop writes it: ``V`` for Shift+V, ``v`` for the letter alone; others unchanged."""
    letter = keys.removeprefix("Shift+")
    if len(letter) > 1:
        return keys
    return letter.upper() if letter != keys else letter.lower()


class ShortcutSheet(QDialog):
    """Lists all shortcuts by context: those of the window and of guided work on the left, those of its
    views on the right.
    """

    def __init__(self, specs: Iterable[ActionSpec], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Shortcuts")
        self.setObjectName("shortcut-sheet")
        body = QWidget()
        halves = QHBoxLayout(body)
        halves.setContentsMargins(24, 16, 24, 8)
        halves.setSpacing(40)
        with_keys = [spec for spec in specs if spec.keys]
        for contexts in (_LEFT, _RIGHT):
            half = QVBoxLayout()
            half.setSpacing(4)
            for context, title in contexts.items():
                _add_group(half, title, [one for one in with_keys if one.context == context])
            half.addStretch(1)
            halves.addLayout(half, 1)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(body)
        scroll.setAccessibleName("Shortcuts")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(scroll)
        foot = QHBoxLayout()
        foot.setContentsMargins(24, 8, 24, 16)
        foot.addWidget(buttons)
        layout.addLayout(foot)
        room = parent.window().height() - _AROUND if parent is not None else _HEIGHT
        self.resize(920, min(body.sizeHint().height() + _FOOT, room))


def _add_group(column: QVBoxLayout, title: str, members: Sequence[ActionSpec]) -> None:
    if not members:
        return
    head = QLabel(title.upper())
    head.setProperty("role", "pane-title")
    head.setContentsMargins(0, 8, 0, 4)
    column.addWidget(head)
    for spec in members:
        row = QHBoxLayout()
        row.setSpacing(16)
        label = QLabel(spec.title.rstrip("…"), wordWrap=True)
        label.setToolTip(spec.help)
        row.addWidget(label, 1)
        texts = map(esxtop_key if spec.context == "esxtop" else key_text, spec.keys)
        row.addLayout(_chips(list(texts)))
        column.addLayout(row)


def _chips(texts: Sequence[str]) -> QGridLayout:
    """Return a layout with each key on a chip of its own, several in a row, aligned right."""
    grid = QGridLayout()
    grid.setSpacing(4)
    rows = -(-len(texts) // _IN_ROW)
    for number, text in enumerate(texts):
        chip = QLabel(text)
        chip.setProperty("role", "chip")
        chip.setAlignment(Qt.AlignmentFlag.AlignCenter)
        gap = _IN_ROW - len(texts) if rows == 1 else 0
        grid.addWidget(chip, number // _IN_ROW, number % _IN_ROW + gap, Qt.AlignmentFlag.AlignVCenter)
    return grid
