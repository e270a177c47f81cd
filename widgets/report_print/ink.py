"""Fonts and colours of paper, in the units of the device that is printed on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPaintDevice

from resources.report_words import report_style
from widgets.theme import body_font

POINTS_AN_INCH = 72.0
_LIGHT = re.compile(r":root \{(.*?)\}", re.DOTALL)
_COLOUR = re.compile(r"--(\w+): (#[0-9a-f]{6})")


@dataclass(frozen=True)
class Ink:
    """What is needed to measure and to paint: the device, its size of a point, fonts and colours."""

    device: QPaintDevice

    @property
    def point(self) -> float:
        """A point (1/72 inch) in units of the device."""
        return self.device.logicalDpiY() / POINTS_AN_INCH

    @cached_property
    def _colours(self) -> dict[str, QColor]:
        """The colours of the style sheet's light theme, which paper has, too."""
        found = _LIGHT.search(report_style())
        return {name: QColor(value) for name, value in _COLOUR.findall(found[1] if found else "")}

    def colour(self, name: str) -> QColor:
        """Return the colour of a role; that of text for a role without one."""
        return self._colours.get({"plain": "text", "none": "muted"}.get(name, name), QColor("#17212c"))

    def tint(self, name: str) -> QColor:
        """Return the colour of a role, pale as a background."""
        colour = self.colour(name)
        parts = [round(255 - (255 - part) * 0.1) for part in (colour.red(), colour.green(), colour.blue())]
        return QColor(*parts)

    def font(self, points: float, *, is_bold: bool = False) -> QFont:
        """Return the font of texts."""
        font = body_font()
        # Qt writes no text for glyphs that stand for another one: numbers could not be searched or copied.
        font.clearFeatures()
        font.setFeature(QFont.Tag("calt"), 0)
        font.setPointSizeF(points)
        font.setWeight(QFont.Weight.DemiBold if is_bold else QFont.Weight.Normal)
        return font

    def metrics(self, font: QFont) -> QFontMetricsF:
        """Return the sizes of a font on the device."""
        return QFontMetricsF(font, self.device)
