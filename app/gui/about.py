"""The About dialog: the versions of Hyperscope, Python, Qt and the system."""

from __future__ import annotations

import platform

import PySide6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from resources.version import VERSION


class About(QDialog):
    """Shows the versions as text that can be selected and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("About Hyperscope")
        title = QLabel("Hyperscope")
        title.setProperty("role", "display")
        text = QLabel(
            f"Version {VERSION}\nPython {platform.python_version()}, Qt {PySide6.__version__}, "
            f"{platform.system()} {platform.release()}\n\n"
            "Finds what is slow in a vSphere environment, why, and whether the fix worked.\n"
            "Everything that it sees is one file that opens anywhere, offline, years later."
        )
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        for widget in (title, text, buttons):
            layout.addWidget(widget)
