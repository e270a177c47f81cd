"""The About dialog: the versions of Hyperscope, Python, Qt and the system."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from resources.installation import installation
from widgets.theme import program_icon

_ICON = 64


class About(QDialog):
    """Shows the versions as text that can be selected and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("About Hyperscope")
        picture = QLabel()
        picture.setPixmap(program_icon().pixmap(_ICON, _ICON))
        title = QLabel("Hyperscope")
        title.setProperty("role", "display")
        here = installation()
        text = QLabel(
            f"Version {here.hyperscope} ({here.form})\nPython {here.python}, Qt {here.qt}\n{here.system}\n\n"
            "Finds what is slow in a vSphere environment, why, and whether the fix worked.\n"
            "Everything that it sees is one file that opens anywhere, offline, years later."
        )
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        for widget in (picture, title, text, buttons):
            layout.addWidget(widget)
