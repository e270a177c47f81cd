"""Finds the labels of a time axis in a picture of a view, and those that a flag covers in part."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage

_APART = 9
_FAINT = 20
_EDGE = 2


def labels_in(image: QImage, strip: QRect) -> list[tuple[int, int]]:
    """Return the first and last pixel column of each text in a strip of the picture."""
    columns = {
        x: [QColor(image.pixel(x, y)).lightness() for y in range(strip.top(), strip.bottom())]
        for x in range(strip.left(), strip.right())
    }
    ground = Counter(one for column in columns.values() for one in column).most_common(1)[0][0]
    inked = [x for x, column in columns.items() if any(abs(one - ground) > _FAINT for one in column)]
    found: list[tuple[int, int]] = []
    for x in inked:
        if found and x - found[-1][1] <= _APART:
            found[-1] = (found[-1][0], x)
        else:
            found.append((x, x))
    return found


def cut_labels(before: QImage, after: QImage, strip: QRect, flag: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the labels of ``before`` of which ``after`` shows a part only, beside the columns of a flag."""
    left, right = flag
    there = [one for one in labels_in(before, strip) if one[0] <= right and one[1] >= left]
    shown = [
        one
        for part in ((strip.left(), left), (right + 1, strip.right()))
        if part[0] < part[1]
        for beside in (QRect(part[0], strip.top(), part[1] - part[0], strip.height()),)
        for one in labels_in(after, beside)
    ]
    return [one for one in there if any(a <= one[1] and b >= one[0] for a, b in shown)]


def columns_of(image: QImage, strip: QRect, colour: str) -> tuple[int, int]:
    """Return the first and last pixel column of a strip in which a colour is, with its smooth edges."""
    wanted = QColor(colour).rgb()
    found = [
        x
        for x in range(strip.left(), strip.right())
        if any(image.pixel(x, y) == wanted for y in range(strip.top(), strip.bottom()))
    ]
    return found[0] - _EDGE, found[-1] + _EDGE
