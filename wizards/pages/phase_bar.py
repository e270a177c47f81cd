"""The phases of a test to scale, with names and lengths; while it runs, with the part that is done and
*now*.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from resources.foreign_text import shown
from resources.units import format_duration
from widgets.theme import Theme, Tokens
from widgets.theme.tokens import mix_colours
from wizards.flows.plan_sheet import PhaseBlock, Tone

_BAR, _SCALE, _GAP = 26, 18, 3
_LEAST = 9.0
"""No phase is narrower than so many pixels, however short it is."""


def phase_colours(tone: Tone, tokens: Tokens) -> tuple[str, str]:
    """Return the colour of a phase, and of the text on it."""
    violet = tokens.series[6]
    ground = {
        "fill": tokens.surface3,
        "first": mix_colours(tokens.surface2, tokens.text, 0.16),
        "second": mix_colours(tokens.surface2, tokens.accent, 0.34),
        "third": tokens.accent,
        "after": mix_colours(tokens.surface1, violet, 0.8),
        "restore": tokens.surface3,
    }[tone]
    return ground, tokens.on_accent if tone in ("third", "after") else tokens.text


class PhaseBar(QWidget):
    """The bar. ``show_phases`` takes the phases in the order in which they run.

    ``done_s`` is how many seconds of them have passed, None before the start. ``labels`` are texts below the
    bar at the seconds that they belong to, as times of the day.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._phases: tuple[PhaseBlock, ...] = ()
        self._done: float | None = None
        self._labels: tuple[tuple[float, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(200)
        self.setAccessibleName("Phases of the test")
        theme.changed.connect(self.update)

    def show_phases(
        self,
        phases: Sequence[PhaseBlock],
        done_s: float | None = None,
        labels: Sequence[tuple[float, str]] = (),
    ) -> None:
        """Show these phases; see the class."""
        self._phases, self._done, self._labels = tuple(phases), done_s, tuple(labels)
        said = "; ".join(f"{one.title} {format_duration(one.seconds)}" for one in phases)
        self.setAccessibleDescription(said)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the height of the bar with its scale."""
        return QSize(600, _BAR + _SCALE)

    def spans(self) -> list[tuple[float, float]]:
        """Return where each phase begins and ends, in pixels."""
        room = self.width() - _GAP * max(0, len(self._phases) - 1)
        whole = sum(one.seconds for one in self._phases) or 1.0
        widths = [max(_LEAST, room * one.seconds / whole) for one in self._phases]
        spare = room - sum(width for width in widths if width <= _LEAST)
        wide = sum(width for width in widths if width > _LEAST) or 1.0
        widths = [width if width <= _LEAST else max(_LEAST, width * spare / wide) for width in widths]
        spans, at = [], 0.0
        for width in widths:
            spans.append((at, at + width))
            at += width + _GAP
        return spans

    def event(self, event: QEvent) -> bool:
        """Say which phase is under the mouse, and how long it is."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(event.pos()), self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the phases, those that are to come paler, and the line of now."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        spans, passed = self.spans(), 0.0
        small = QFont(self.font())
        small.setPixelSize(12)
        small.setWeight(QFont.Weight.DemiBold)
        for one, (left, right) in zip(self._phases, spans, strict=True):
            share = 1.0 if self._done is None else _clamped((self._done - passed) / (one.seconds or 1.0))
            self._paint(painter, small, one, QRectF(left, 0, right - left, _BAR), share)
            passed += one.seconds
        if self._done is not None and self._phases:
            self._paint_now(painter, spans)
        self._paint_scale(painter, spans)

    def _paint(self, painter: QPainter, font: QFont, one: PhaseBlock, area: QRectF, share: float) -> None:
        tokens = self._theme.tokens
        ground, ink = phase_colours(one.tone, tokens)
        pale = mix_colours(tokens.surface1, ground, 0.3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(pale if share < 1 else ground))
        painter.drawRoundedRect(area, 4, 4)
        if 0 < share < 1:
            painter.save()
            painter.setClipRect(QRectF(area.left(), area.top(), area.width() * share, area.height()))
            painter.setBrush(QColor(ground))
            painter.drawRoundedRect(area, 4, 4)
            painter.restore()
        painter.setFont(font)
        if painter.fontMetrics().horizontalAdvance(one.label) + 4 <= area.width():
            painter.setPen(QColor(ink if share >= 1 else tokens.text))
            painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), shown(one.label))

    def _paint_now(self, painter: QPainter, spans: Sequence[tuple[float, float]]) -> None:
        at = self.pixel_of(self._done or 0.0, spans)
        painter.setPen(QPen(QColor(self._theme.tokens.text), 2))
        painter.drawLine(round(at), 0, round(at), _BAR + 2)

    def _paint_scale(self, painter: QPainter, spans: Sequence[tuple[float, float]]) -> None:
        tokens = self._theme.tokens
        font = QFont(self.font())
        font.setPixelSize(11)
        painter.setFont(font)
        painter.setPen(QColor(tokens.muted))
        end = -1.0
        labels = self._labels or self._lengths(spans)
        for seconds, text in labels:
            middle = self.pixel_of(seconds, spans)
            wide = painter.fontMetrics().horizontalAdvance(text)
            left = min(max(0.0, middle - wide / 2), self.width() - wide)
            if left > end + 8 or end < 0:
                painter.drawText(QRectF(left, _BAR + 2, wide + 2, _SCALE - 2), 0, text)
                end = left + wide

    def _lengths(self, spans: Sequence[tuple[float, float]]) -> list[tuple[float, str]]:
        """Return the lengths of the phases that have room for them, at their middles."""
        found, at = [], 0.0
        for one, (left, right) in zip(self._phases, spans, strict=True):
            if right - left >= 40:
                found.append((at + one.seconds / 2, format_duration(one.seconds)))
            at += one.seconds
        return found

    def pixel_of(self, seconds: float, spans: Sequence[tuple[float, float]]) -> float:
        """Return where a second of the run lies, in pixels."""
        at = 0.0
        for one, (left, right) in zip(self._phases, spans, strict=True):
            if seconds <= at + one.seconds:
                return left + (right - left) * (seconds - at) / (one.seconds or 1.0)
            at += one.seconds
        return float(self.width())

    def _tip(self, at: QPoint) -> str:
        for one, (left, right) in zip(self._phases, self.spans(), strict=True):
            if left <= at.x() <= right:
                repeated = f", round {one.number}" if one.number > 1 else ""
                return f"{shown(one.title)}{repeated}: {format_duration(one.seconds)}"
        return ""


def _clamped(share: float) -> float:
    return min(1.0, max(0.0, share))
