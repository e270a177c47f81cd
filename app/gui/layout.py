"""Saves positions and visibility of the docks when the window closes, and restores them when it opens."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow

from app.gui.json_files import read_json, write_json
from connections.file_lock import locked
from resources.failures import BusyError

VERSION = 1
_MAX_WINDOWS = 10


class SavedLayout:
    """Keeps the window's geometry and docks in ``layout.json``; a damaged file gives the standard layout.

    A second window at the same time has ``layout-2.json``, and so on.
    """

    def __init__(self, folder: Path) -> None:
        self._held = ExitStack()
        number = self._free_number(folder)
        self._first = folder / "layout.json"
        self._path = self._first if number == 1 else folder / f"layout-{number}.json"

    def _free_number(self, folder: Path) -> int:
        """Return the lowest number that no other window holds, and hold it until ``save``."""
        for number in range(1, _MAX_WINDOWS):
            try:
                folder.mkdir(parents=True, exist_ok=True)
                self._held.enter_context(locked(folder / f".window-{number}.lock", 0))
            except BusyError:
                continue
            except OSError:
                break  # where nothing can be written, there is nothing to fight over
            return number
        return 1

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
        self._held.close()

    def wanted(self) -> dict[str, bool]:
        """Return which docks the user opened (True) or closed (False) himself."""
        found = self._stored().get("wanted")
        return {str(key): value is True for key, value in found.items()} if isinstance(found, dict) else {}

    def _stored(self) -> dict[str, Any]:
        """What this window saved, or else the first window."""
        return read_json(self._path) or read_json(self._first)

    def restore(self, window: QMainWindow) -> bool:
        """Restore geometry and docks; returns False if nothing was saved for these screens."""
        values = self._stored()
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
