"""Saves positions and visibility of the docks when the window closes, and restores them when it opens."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow

from app.gui.settings import read_json, write_json

VERSION = 1


class SavedLayout:
    """Keeps the window's geometry and docks in ``layout.json``; a damaged file gives the standard layout."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "layout.json"

    def save(self, window: QMainWindow, wanted: Mapping[str, bool]) -> None:
        """Save the window's geometry and docks, and which docks the user opened (True) or closed (False)."""
        values = {
            "version": VERSION,
            "screens": _screens(),
            "wanted": dict(wanted),
            "geometry": base64.b64encode(window.saveGeometry().data()).decode("ascii"),
            "state": base64.b64encode(window.saveState(VERSION).data()).decode("ascii"),
        }
        write_json(self._path, values)

    def wanted(self) -> dict[str, bool]:
        """Return which docks the user opened (True) or closed (False) himself."""
        found = read_json(self._path).get("wanted")
        return {str(key): value is True for key, value in found.items()} if isinstance(found, dict) else {}

    def restore(self, window: QMainWindow) -> bool:
        """Restore geometry and docks; returns False if nothing was saved for these screens."""
        values = read_json(self._path)
        if values.get("version") != VERSION or values.get("screens") != _screens():
            return False
        try:
            geometry = base64.b64decode(str(values.get("geometry", "")), validate=True)
            state = base64.b64decode(str(values.get("state", "")), validate=True)
        except (ValueError, binascii.Error):
            return False
        return bool(window.restoreGeometry(geometry) and window.restoreState(state, VERSION))


def put_dock(window: QMainWindow, dock: QDockWidget, area: Qt.DockWidgetArea) -> None:
    """Put a dock at the end of an area, out of any tabs or window of its own."""
    dock.setFloating(False)
    window.removeDockWidget(dock)
    window.addDockWidget(area, dock)


def _screens() -> str:
    return ",".join(f"{screen.size().width()}x{screen.size().height()}" for screen in QApplication.screens())
