"""The shortcut sheet: every key of the window and of its views, drawn from the tables."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.gui.actions import ActionSpec

_CONTEXTS = {
    "window": "Everywhere",
    "charts": "In the charts",
    "esxtop": "In the esxtop view",
    "timeline": "On the timeline",
    "inventory": "In the inventory",
    "findings": "In the findings",
    "heatmap": "In the heat map",
}


def key_text(keys: str) -> str:
    """A key as this platform writes it: ⌘K on macOS, Ctrl+K elsewhere."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


class ShortcutSheet(QDialog):
    """All shortcuts, grouped by where they work."""

    def __init__(self, specs: Iterable[ActionSpec], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Shortcuts")
        self.setObjectName("shortcut-sheet")
        body = QWidget()
        grid = QGridLayout(body)
        grid.setContentsMargins(20, 16, 20, 16)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        row = 0
        with_keys = [spec for spec in specs if spec.keys]
        for context, title in _CONTEXTS.items():
            members = [spec for spec in with_keys if spec.context == context]
            if not members:
                continue
            head = QLabel(title.upper())
            head.setProperty("role", "pane-title")
            head.setContentsMargins(0, 12 if row else 0, 0, 2)
            grid.addWidget(head, row, 0, 1, 2)
            row += 1
            for spec in members:
                keys = QLabel("  ".join(key_text(key) for key in spec.keys))
                keys.setProperty("role", "chip")
                keys.setContentsMargins(0, 2, 0, 2)
                grid.addWidget(keys, row, 0, Qt.AlignmentFlag.AlignLeft)
                label = QLabel(spec.title.rstrip("…"))
                label.setToolTip(spec.help)
                grid.addWidget(label, row, 1)
                row += 1
        scroll = QScrollArea(widgetResizable=True)
        scroll.setWidget(body)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(scroll)
        layout.addWidget(buttons)
        self.resize(460, 620)
