"""The About dialog names what a report of a problem needs, as text that can be copied."""

from __future__ import annotations

import platform

import PySide6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.gui.about import About
from resources.version import VERSION


def test_it_names_versions_and_system(qtbot: QtBot) -> None:
    about = About()
    qtbot.addWidget(about)

    [text] = [one for one in about.findChildren(QLabel) if "Version" in one.text()]
    for part in (VERSION, platform.python_version(), f"Qt {PySide6.__version__}", platform.platform()):
        assert part in text.text()
    assert text.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
    assert [one for one in about.findChildren(QLabel) if not one.pixmap().isNull()]
