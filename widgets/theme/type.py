"""The two fonts: the system's own for text, a monospaced one for tables."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase

from widgets.theme.tokens import BODY_PX

_PREFERRED = ("Segoe UI Variable Text", "Segoe UI", ".AppleSystemUIFont", "Inter", "Noto Sans", "Cantarell")
_FIGURES = (
    "Cascadia Mono",
    "Consolas",
    "SF Mono",
    "Menlo",
    "JetBrains Mono",
    "Noto Sans Mono",
    "DejaVu Sans Mono",
)


def body_font(pixels: int = BODY_PX) -> QFont:
    """Return the system's font with digits of equal width, so that a changing number does not jump."""
    font = _first(_PREFERRED, QFontDatabase.SystemFont.GeneralFont)
    font.setPixelSize(pixels)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def figures_font(pixels: int = BODY_PX) -> QFont:
    """Return a monospaced font, for tables as dense as esxtop's."""
    font = _first(_FIGURES, QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(pixels)
    return font


def _first(names: tuple[str, ...], otherwise: QFontDatabase.SystemFont) -> QFont:
    families = set(QFontDatabase.families())
    for name in names:
        if name in families:
            return QFont(name)
    return QFontDatabase.systemFont(otherwise)
