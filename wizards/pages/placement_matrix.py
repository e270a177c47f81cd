"""Where VMs were, painted: a row for each host, a block for each VM; those that moved are framed."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from resources.foreign_text import shown
from resources.units import format_value
from widgets.theme import Theme
from widgets.theme.tokens import mix_colours
from wizards.flows.result_sheet import HostRow, PlacedVm, PlacementView
from wizards.pages.chart_frame import HEAD, PAD, paint_card, paint_title, paint_words
from wizards.pages.result_charts import ResultChart

_HOST, _DEMAND, _GAP = 64, 66, 4
_CENTRE, _RIGHT = Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignRight
_FULL = 100.0


class PlacementMatrix(ResultChart):
    """Shows one ``PlacementView``."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._placed = PlacementView("", "", "", True, ())

    def show_placement(self, placed: PlacementView) -> None:
        """Show this placement."""
        self._placed = placed
        self.setAccessibleName(f"{shown(placed.title)}, {placed.imbalance}")
        said = [
            f"{shown(row.host)}: {', '.join(one.name for one in row.vms)}; {format_value(row.demand, '%')}"
            for row in placed.hosts
        ]
        self.setAccessibleDescription("\n".join(said))
        self.update()

    def tip(self, at: QPointF) -> str:
        """Return what is on the host under the mouse."""
        row = int((at.y() - HEAD - 18) // max(1.0, self._step()))
        return self.accessibleDescription().split("\n")[row] if 0 <= row < len(self._placed.hosts) else ""

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint title, hosts and VMs."""
        painter, tokens, placed = QPainter(self), self._theme.tokens, self._placed
        paint_card(painter, QRectF(self.rect()), tokens)
        right = self.width() - PAD
        colour = tokens.ok if placed.is_balanced else tokens.critical
        room = QRectF(right - 110, 0, 110, HEAD)
        paint_words(painter, self.font(), colour, room, placed.imbalance, _RIGHT, bold=True)
        paint_title(painter, self.font(), tokens, placed.title, placed.note, right - 116)
        head = QRectF(PAD, HEAD - 2, self.width() - 2 * PAD, 18)
        paint_words(painter, self.font(), tokens.muted, head, "host", pixels=11)
        paint_words(painter, self.font(), tokens.muted, head.adjusted(_HOST, 0, 0, 0), "VMs", pixels=11)
        paint_words(painter, self.font(), tokens.muted, head, "demand", _RIGHT, pixels=11)
        step = self._step()
        for number, row in enumerate(placed.hosts):
            self._paint_host(painter, row, HEAD + 18 + number * step, step)
        foot = QRectF(PAD, self.height() - 26, self.width() - 2 * PAD, 18)
        paint_words(painter, self.font(), tokens.muted, foot, placed.sentence)

    def _step(self) -> float:
        return min(30.0, (self.height() - HEAD - 18 - 30) / max(1, len(self._placed.hosts)))

    def _paint_host(self, painter: QPainter, row: HostRow, top: float, step: float) -> None:
        tokens = self._theme.tokens
        height = step - _GAP
        name = QRectF(PAD, top, _HOST - 6, height)
        paint_words(painter, self.font(), tokens.text, name, row.host)
        room = self.width() - 2 * PAD - _HOST - _DEMAND
        most = max((len(one.vms) for one in self._placed.hosts), default=1)
        width = min(76.0, (room - _GAP * (most - 1)) / max(1, most))
        for number, one in enumerate(row.vms):
            area = QRectF(PAD + _HOST + number * (width + _GAP), top, width, height)
            self._paint_vm(painter, one, area)
        colour = tokens.critical if row.demand > _FULL else tokens.text
        end = QRectF(self.width() - PAD - _DEMAND, top, _DEMAND, height)
        text = format_value(row.demand, "%")
        paint_words(painter, self.font(), colour, end, text, _RIGHT, bold=row.demand > _FULL)

    def _paint_vm(self, painter: QPainter, one: PlacedVm, area: QRectF) -> None:
        tokens = self._theme.tokens
        heavy, light = tokens.curve(5), mix_colours(tokens.surface2, tokens.accent, 0.32)
        painter.setPen(QPen(QColor(tokens.text), 1.5) if one.is_moved else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(heavy if one.is_heavy else light))
        painter.drawRoundedRect(area.adjusted(0.75, 0.75, -0.75, -0.75), 4, 4)
        ink = tokens.on_accent if one.is_heavy else tokens.text
        text = f"{one.name} ⇄" if one.is_moved else one.name
        room = area.adjusted(3, 0, -3, 0)
        paint_words(painter, self.font(), ink, room, text, _CENTRE, pixels=11, bold=True, least=9)
