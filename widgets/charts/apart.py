"""What is not drawn of curves, and how far two sources are apart: a line of text below a chart's title, and
the area between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from resources.foreign_text import shown, tooltip_text
from sessions.model import FloatArray
from viewmodels.curve import NamedCurve
from viewmodels.joined_sources import SourcesApart
from viewmodels.sources_apart import sentence_of
from widgets.charts.decorations import Frame

_TINT = 0.28
_LEFT = 12
_MOST = 1000


class ApartLine(QLabel):
    """The line of text, shortened to the room that there is; its tooltip has the whole of each."""

    def __init__(self) -> None:
        super().__init__(textFormat=Qt.TextFormat.PlainText)
        self._text = ""
        self.setProperty("role", "muted")
        self.setContentsMargins(_LEFT, 0, 8, 0)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()

    @property
    def text_shown(self) -> str:
        """The whole sentence; empty if there is none."""
        return self._text

    def show_notes(self, curves: Sequence[NamedCurve]) -> None:
        """Say which samples are not drawn, and how far sources are apart; nothing where neither is so."""
        apart = [one for named in curves for one in named.apart]
        self._text = shown(notes_of(curves), _MOST)
        self.setVisible(bool(self._text))
        self.setAccessibleName(self._text)
        lines = [f"{named.full_name}: {named.left_out}." for named in curves if named.left_out]
        lines += [f"{one.counter}: {one.sentence}" for one in apart]
        self.setToolTip(tooltip_text("\n".join(lines)))
        self._fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Return a size of one line, however long it is."""
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Shorten the text anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = self.contentsRect().width()
        self.setText(self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, room))


def notes_of(curves: Sequence[NamedCurve]) -> str:
    """Return what is said of these curves in one line."""
    left_out = [f"{one.full_name}: {one.left_out}." for one in curves if one.left_out]
    return " ".join(filter(None, [*left_out, sentence_of([one for named in curves for one in named.apart])]))


@dataclass(frozen=True, slots=True)
class ApartPart:
    """The area between a coarser source's values and the means of the finer one, over each interval."""

    apart: SourcesApart
    colour: str

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Tint the area; intervals that share a column of pixels are drawn as one."""
        tint = QColor(self.colour)
        tint.setAlphaF(_TINT)
        for x, width, top, bottom in boxes(self.apart, frame).tolist():
            painter.fillRect(QRectF(x, top, width, max(bottom - top, 0.0)), tint)


def boxes(apart: SourcesApart, frame: Frame) -> FloatArray:
    """Return the boxes (n, 4) to tint in a frame: left, width, top and bottom, in pixels."""
    compared = apart.compared
    step = compared.steps_ms[1]
    seen = (compared.times > frame.area.left()) & (compared.times - step < frame.area.right())
    ends = compared.times[seen].astype(np.float64)
    if not ends.size:
        return np.zeros((0, 4))
    x = frame.pixels.left() + (ends - step - frame.area.left()) * (
        frame.pixels.width() / max(frame.area.width(), 1e-9)
    )
    width = step * frame.pixels.width() / max(frame.area.width(), 1e-9)
    y = [
        frame.pixels.bottom()
        - (values[seen] - frame.area.top()) * (frame.pixels.height() / max(frame.area.height(), 1e-12))
        for values in (compared.finer, compared.coarser)
    ]
    top, bottom = np.minimum(*y), np.maximum(*y)
    columns = np.floor(x)
    firsts = (
        np.flatnonzero(np.concatenate([[True], np.diff(columns) > 0])) if width < 1 else np.arange(x.size)
    )
    return np.column_stack(
        [
            x[firsts],
            np.full(firsts.size, max(width, 1.0)),
            np.minimum.reduceat(top, firsts),
            np.maximum.reduceat(bottom, firsts),
        ]
    )
