"""Fonts of painted parts."""

from __future__ import annotations

from PySide6.QtGui import QFont


def sized(font: QFont, pixels: int, *, bold: bool = False) -> QFont:
    """Return a font in another size in pixels, of normal or strong weight."""
    found = QFont(font)
    found.setPixelSize(pixels)
    found.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return found
