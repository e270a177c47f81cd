"""Icons by meaning, in the theme's colours: drawings of the Phosphor set, kept in ``resources/icons``."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from widgets.theme.tokens import Tokens, mix_colours

_DISABLED = 0.45
_FILLS = 0.875  # of the square it is drawn into
_SHARPEST = 16  # pixels: a line is one pixel wide, and lies on two unless it is moved by half of one
_SHARP_UP_TO = 21
_PROGRAM_PIXELS = (16, 24, 32, 48, 64, 128, 256)
_RENDERERS = 512  # an icon has three colours, and a theme's icons are about a hundred

NAMES = {
    "host": "hard-drives",
    "vm": "desktop-tower",
    "vcpu": "cpu",
    "world": "gear-six",
    "cluster": "circles-three-plus",
    "pool": "stack",
    "vcenter": "buildings",
    "datastore": "database",
    "device": "hard-drive",
    "adapter": "swap",
    "path": "git-branch",
    "nic": "share-network",
    "port": "git-commit",
    "vdisk": "disc",
    "guest": "monitor",
    "vsan": "cube",
    "worker": "lightning",
    "redo": "arrow-u-up-right",
    "back": "caret-left",
    "forward": "caret-right",
    "search": "magnifying-glass",
    "record": "record",
    "stop": "stop",
    "pause": "pause",
    "play": "play",
    "mark": "flag",
    "pin": "push-pin",
    "pinned": "push-pin-fill",
    "more": "dots-three",
    "findings": "warning",
    "charts": "chart-line",
    "table": "table",
    "heatmap": "grid-four",
    "overview": "squares-four",
    "timeline": "clock",
    "jobs": "list-bullets",
    "messages": "chat-text",
    "menu": "list",
    "save": "floppy-disk",
    "export": "export",
    "window": "app-window",
    "folder": "folder",
    "connect": "link",
    "open": "folder-open",
    "import": "file-arrow-down",
    "lab": "flask",
    "settings": "gear",
    "keyboard": "keyboard",
    "close": "x",
    "grip": "dots-six-vertical",
    "copy": "copy",
    "image": "image",
    "follow": "arrow-line-right",
    "expand": "arrows-out-simple",
    "columns": "columns",
    "help": "question",
    "lock": "lock",
    "info": "info",
    "check": "check",
    "down": "caret-down",
    "up": "caret-up",
    "add": "plus",
    "remove": "minus",
    "theme": "moon",
    "undo": "arrow-u-up-left",
    "events": "lightning",
    "inventory": "tree-structure",
    "shield": "shield",
    "refresh": "arrow-clockwise",
    "print": "printer",
    "tests": "test-tube",
    "troubleshoot": "first-aid-kit",
    "compare": "scales",
    "swap": "arrows-down-up",
    "moved": "arrows-left-right",
}
"""The drawing's name for each meaning: its name in the Phosphor set."""


def program_icon() -> QIcon:
    """Return the icon of the program itself, which windows and the system's lists of them show."""
    renderer = QSvgRenderer(QByteArray((files("resources") / "hyperscope.svg").read_bytes()))
    icon = QIcon()
    for pixels in _PROGRAM_PIXELS:
        picture = QPixmap(pixels, pixels)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        renderer.render(painter)
        painter.end()
        icon.addPixmap(picture)
    return icon


class Icons:
    """Creates icons in the colours of one set of tokens."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def get(self, name: str, colour: str = "") -> QIcon:
        """Return the icon for a meaning in NAMES; ``colour`` replaces the theme's colour for muted text."""
        tokens = self._tokens
        return QIcon(
            _Drawing(
                NAMES[name],
                usual=colour or tokens.muted,
                active=tokens.text,
                disabled=mix_colours(tokens.surface1, tokens.muted, _DISABLED),
            )
        )


class _Drawing(QIconEngine):
    """Draws one icon, sharp at any size, in the colour of its state."""

    def __init__(self, name: str, *, usual: str, active: str, disabled: str) -> None:
        super().__init__()
        self._name = name
        self._usual, self._active, self._disabled = usual, active, disabled

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        """Draw the icon into the middle of ``rect``."""
        room = min(rect.width(), rect.height())
        is_small = _SHARPEST <= room < _SHARP_UP_TO
        side = _SHARPEST if is_small else round(room * _FILLS)
        offset = 0.5 if is_small else 0.0
        left, top = (rect.width() - side) // 2, (rect.height() - side) // 2
        square = QRectF(rect.x() + left + offset, rect.y() + top + offset, side, side)
        _renderer(self._name, self._colour(mode)).render(painter, square)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """Return the icon on a transparent ground."""
        picture = QPixmap(size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        try:
            self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        finally:
            painter.end()
        return picture

    def clone(self) -> QIconEngine:
        """Return a drawing of the same icon."""
        return _Drawing(self._name, usual=self._usual, active=self._active, disabled=self._disabled)

    def _colour(self, mode: QIcon.Mode) -> str:
        if mode == QIcon.Mode.Disabled:
            return self._disabled
        return self._usual if mode == QIcon.Mode.Normal else self._active


@lru_cache(_RENDERERS)
def _renderer(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_drawing(name).replace("currentColor", colour).encode()))


@lru_cache(None)
def _drawing(name: str) -> str:
    return (files("resources") / "icons" / f"{name}.svg").read_text(encoding="ascii")
