"""What a monkey must not do to the machine: write outside its folder, start programs, open a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices

from app.gui import exporting, saving, workbench
from resources.failures import AccessDeniedError


class Fence(QObject):
    """Stands around the window until the process ends; files may be written below ``home``."""

    def __init__(self, home: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._home = home.resolve()
        services: Any = QDesktopServices  # its types ask for bytes, and it takes only str
        for scheme in ("file", "http", "https"):
            services.setUrlHandler(scheme, self, "swallow")
        parts: Any = (saving, exporting, workbench)
        save, export = parts[0].replace_file, parts[1].export_session
        parts[0].replace_file = lambda path, content: save(self._within(path), content)
        parts[0].reveal = lambda _path: True
        parts[1].export_session = lambda session, out, **more: export(session, self._within(out), **more)
        # Another window, a process of its own, would lie over this one, take its mouse, and stay.
        parts[2].open_another = lambda _jobs, _session: None

    @Slot(QUrl)
    def swallow(self, _url: QUrl) -> None:
        """Ignore an address that the window would open in another program."""

    def _within(self, path: Path) -> Path:
        if not path.resolve().is_relative_to(self._home):
            raise AccessDeniedError(f"{path} is outside of the monkey's folder.")
        return path
