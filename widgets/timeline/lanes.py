"""Paints the timeline's other lanes: load, findings, sources, and the time axis."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from resources.units import format_value
from sessions.findings import Severity
from sessions.times import TimeRange
from viewmodels.time_labels import Clock, time_label, time_ticks
from viewmodels.timeline import Bar, GapBar, Load, SourceLane
from widgets.theme import Tokens
from widgets.timeline import geometry as at
from widgets.timeline.geometry import Scale

RANK: dict[Severity, int] = {"info": 0, "warning": 1, "critical": 2}
_FLAG_GAP = 2
_TICK_PIXELS = 96
_LABEL_LEFT = 12
_HOLE = 4.0


def paint_labels(painter: QPainter, load: Load, tokens: Tokens) -> None:
    """Draw the name of each lane on the left, with the highest load."""
    painter.setPen(QColor(tokens.muted))
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    label = painter.fontMetrics().elidedText(
        load.label or "Load", Qt.TextElideMode.ElideRight, at.GUTTER - _LABEL_LEFT - 8
    )
    half = at.LOAD_HEIGHT // 2
    highest = f"up to {format_value(load.top, load.unit)}" if np.isfinite(load.top) else ""
    for top, height, text in (
        (at.LOAD_TOP, half, label),
        (at.LOAD_TOP + half, half, highest),
        (at.FINDINGS_TOP, at.FINDINGS_HEIGHT, "Findings"),
        (at.EVENTS_TOP, at.EVENTS_HEIGHT, "Events, marks"),
        (at.SOURCES_TOP - 6, 16, "Sources"),
    ):
        painter.drawText(QRectF(_LABEL_LEFT, top, at.GUTTER - _LABEL_LEFT, height), left, text)


def paint_load(painter: QPainter, load: Load, scale: Scale, tokens: Tokens) -> None:
    """Draw the load as a filled curve with gaps."""
    if not np.isfinite(load.top):
        return
    top = max(load.top, 1e-9)
    bottom = at.LOAD_TOP + at.LOAD_HEIGHT
    accent, area = QColor(tokens.accent), QColor(tokens.accent)
    area.setAlphaF(0.2)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for run in _runs(load.values):
        points = [
            QPointF(scale.x(load.times[i]), bottom - load.values[i] / top * (at.LOAD_HEIGHT - 4)) for i in run
        ]
        closed = QPolygonF([QPointF(points[0].x(), bottom), *points, QPointF(points[-1].x(), bottom)])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(area)
        painter.drawPolygon(closed)
        painter.setPen(QPen(accent, 1))
        for a, b in pairwise(points):
            painter.drawLine(a, b)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def paint_unjudged(painter: QPainter, unjudged: TimeRange | None, scale: Scale, tokens: Tokens) -> None:
    """Hatch the findings lane where nobody has looked for findings yet: it is not empty, it is unknown."""
    if unjudged is None:
        return
    left, right = scale.x_within(unjudged.start), scale.x_within(unjudged.end)
    box = QRectF(left, at.FINDINGS_TOP + 2, max(right - left, 1), at.FINDINGS_HEIGHT - 4)
    painter.fillRect(box, QBrush(QColor(tokens.faint), Qt.BrushStyle.BDiagPattern))


def paint_findings(painter: QPainter, bars: Sequence[Bar], scale: Scale, tokens: Tokens) -> None:
    """Draw the bars of findings, the worst on top."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for bar in sorted(bars, key=lambda bar: RANK[bar.severity]):
        painter.setBrush(QColor(tokens.health(bar.severity)))
        painter.drawRoundedRect(bar_box(bar, scale), 3, 3)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def bar_box(bar: Bar, scale: Scale) -> QRectF:
    """Return the rectangle of a finding's bar."""
    left, right = scale.x(bar.window.start), scale.x(bar.window.end)
    return QRectF(left, at.FINDINGS_TOP + 2, max(right - left, 3), at.FINDINGS_HEIGHT - 4)


def paint_sources(painter: QPainter, lanes: Sequence[SourceLane], scale: Scale, tokens: Tokens) -> None:
    """Draw when each source was recorded, with holes for its gaps; one of a single entity is half a hole."""
    painter.setPen(Qt.PenStyle.NoPen)
    for number, lane in enumerate(lanes):
        top = at.SOURCES_TOP + number * at.SOURCE_STEP
        start, end = scale.x(lane.window.start), scale.x(lane.window.end)
        painter.setBrush(QColor(tokens.ok))
        painter.drawRoundedRect(QRectF(start, top, max(end - start, 2), 4), 2, 2)
        painter.setBrush(QColor(tokens.surface1))
        drawn = {True: -1.0, False: -1.0}
        for gap in lane.gaps:
            left, right = gap_ends(gap, scale)
            if right > drawn[gap.is_partial] + 1:  # of ten thousand gaps, those that show
                height = 3.0 if gap.is_partial else 6.0
                painter.drawRect(QRectF(left, top - 1, right - left, height))
                drawn[gap.is_partial] = right


def gap_ends(gap: GapBar, scale: Scale) -> tuple[float, float]:
    """Return the pixels from and to which a gap is a hole: a short one is as wide as can be seen."""
    left, right = scale.x(gap.window.start), scale.x(gap.window.end)
    more = max(_HOLE - (right - left), 0) / 2
    return left - more, right + more


def paint_axis(
    painter: QPainter,
    scale: Scale,
    height: int,
    clock: Clock,
    tokens: Tokens,
    flag: tuple[float, float] | None = None,
) -> None:
    """Draw a line and a label at round times, and on the left the zone that they are of.

    ``flag`` are the left and right pixel column of the pinned moment's flag: no label lies below it.
    """
    span, top = scale.span, height - at.AXIS_HEIGHT
    middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignHCenter
    ticks, step = time_ticks(span.start, span.end, scale.pixels, clock, _TICK_PIXELS)
    painter.setPen(QPen(QColor(tokens.line), 1))
    for tick in ticks:
        painter.drawLine(QPointF(scale.x(tick), at.LOAD_TOP), QPointF(scale.x(tick), top))
    painter.setPen(QColor(tokens.muted))
    zone = QRectF(_LABEL_LEFT, top, at.GUTTER - _LABEL_LEFT, at.AXIS_HEIGHT)
    painter.drawText(zone, Qt.AlignmentFlag.AlignVCenter, f"Time ({clock.zone_of(span)})")
    for tick in ticks:
        text = time_label(tick, step, clock)
        half = painter.fontMetrics().horizontalAdvance(text) / 2 + 2
        x = min(max(scale.x(tick), scale.left + half), scale.width - half)
        if flag is None or x + half + _FLAG_GAP < flag[0] or x - half - _FLAG_GAP > flag[1]:
            painter.drawText(QRectF(x - half, top, 2 * half, at.AXIS_HEIGHT), middle, text)


def _runs(values: np.ndarray) -> list[range]:
    """Return the runs of finite values as ranges of indices."""
    finite = np.isfinite(values).astype(np.int8)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], finite, [0]])))
    return [range(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
