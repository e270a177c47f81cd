"""Stores what the user made of the screens of the esxtop view: columns, widths, and sorting."""

from __future__ import annotations

from pathlib import Path

import msgspec

from app.gui.json_files import change_json, read_json
from viewmodels.esxtop_layout import ScreenLayout


class EsxtopLayouts:
    """Keeps a layout for each screen in ``esxtop.json``, by the screen's id; invalid entries are ignored."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "esxtop.json"
        self._layouts: dict[str, ScreenLayout] = {}
        for screen, found in read_json(self._path).items():
            try:
                self._layouts[screen] = msgspec.convert(found, ScreenLayout)
            except msgspec.ValidationError:
                continue

    def of(self, screen: str) -> ScreenLayout:
        """Return the layout of the screen with this id; the standard one if the user changed nothing."""
        return self._layouts.get(screen, ScreenLayout())

    def keep(self, screen: str, layout: ScreenLayout) -> None:
        """Store the layout of a screen."""
        if layout != self.of(screen):
            self._layouts[screen] = layout
            change_json(self._path, lambda stored: {**stored, screen: msgspec.to_builtins(layout)})
