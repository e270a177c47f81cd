"""Which docks are where and which are wanted: saved when the window closes, restored when it opens."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtWidgets import QApplication, QMainWindow

from app.gui.settings import read_json, write_json

VERSION = 1


class SavedLayout:
    """Keeps a window's geometry and docks in ``layout.json``; a damaged file means the standard layout."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "layout.json"

    def save(self, window: QMainWindow, wanted: Mapping[str, bool]) -> None:
        """Remember where things are now, and which docks the user opened or closed."""
        values = {
            "version": VERSION,
            "screens": _screens(),
            "wanted": dict(wanted),
            "geometry": base64.b64encode(window.saveGeometry().data()).decode("ascii"),
            "state": base64.b64encode(window.saveState(VERSION).data()).decode("ascii"),
        }
        write_json(self._path, values)

    def wanted(self) -> dict[str, bool]:
        """Which docks the user opened or closed himself."""
        found = read_json(self._path).get("wanted")
        return {str(key): value is True for key, value in found.items()} if isinstance(found, dict) else {}

    def restore(self, window: QMainWindow) -> bool:
        """Put things where they were; False when nothing fits these screens, or is remembered."""
        values = read_json(self._path)
        if values.get("version") != VERSION or values.get("screens") != _screens():
            return False
        try:
            geometry = base64.b64decode(str(values.get("geometry", "")), validate=True)
            state = base64.b64decode(str(values.get("state", "")), validate=True)
        except (ValueError, binascii.Error):
            return False
        return bool(window.restoreGeometry(geometry) and window.restoreState(state, VERSION))


def _screens() -> str:
    return ",".join(f"{screen.size().width()}x{screen.size().height()}" for screen in QApplication.screens())
