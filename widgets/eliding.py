"""Shortens names that have no room so that they can still be told apart."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics

_TO_LAST_DIGIT = re.compile(r"(?P<head>.*\d)(?P<tail>\D+)", re.DOTALL)


def elided_name(name: str, room: int, metrics: QFontMetrics) -> str:
    """Return ``name`` in at most ``room`` pixels: ``JBOSS 05…ng)`` for ``JBOSS 05 (billing)``.

    Names of machines and devices differ in their last number: it stays, and what follows is cut first. Of a
    name that ends in a number, or has none, the middle is cut.
    """
    middle, left = Qt.TextElideMode.ElideMiddle, Qt.TextElideMode.ElideLeft
    parts = _TO_LAST_DIGIT.fullmatch(name)
    if parts is None or metrics.horizontalAdvance(name) <= room:
        return metrics.elidedText(name, middle, room)
    beside = room - metrics.horizontalAdvance(parts["head"])
    if beside >= metrics.horizontalAdvance("…"):
        return parts["head"] + metrics.elidedText(parts["tail"], left, beside)
    return metrics.elidedText(f"{parts['head']}…", middle, room)
