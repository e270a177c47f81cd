"""The lines above the esxtop table: the totals of the hosts, those over a limit in its colour."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from resources.foreign_text import tooltip_text
from widgets.theme import Theme

_MANY_LINES = 100
_GAP = "\N{NO-BREAK SPACE}" * 3


class TotalsLine(QLabel):
    """Shows totals one after the other; lines break only between them.

    Where there are more than ``limit_lines`` allows, those over a limit come first, and the rest is counted:
    the tooltip has all of them.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self._theme = theme
        self._totals: Sequence[str] = ()
        self._max_lines = _MANY_LINES
        self.setContentsMargins(12, 4, 12, 6)
        self.setProperty("role", "muted")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.setAccessibleName("Totals of the hosts")
        theme.changed.connect(self._draw)

    def show_totals(self, totals: Sequence[str], details: str) -> None:
        """Show these totals; one that begins with the symbol of a state has its colour.

        ``details`` is the tooltip.
        """
        self._totals = totals
        self._draw()
        self.setToolTip(tooltip_text(details))
        self.setVisible(bool(totals))

    def limit_lines(self, count: int) -> None:
        """Take at most ``count`` lines."""
        if count != self._max_lines:
            self._max_lines = count
            self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show what fits into the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._draw()

    def _draw(self) -> None:
        text = f"{_GAP} ".join(map(self._total, self._fitting()))
        if text != self.text():
            self.setText(text)

    def _fitting(self) -> Sequence[str]:
        """Return the totals that fit, and how many more there are."""
        if self._lines(self._totals) <= self._max_lines:
            return self._totals
        worst_first = sorted(self._totals, key=lambda total: total[:1] not in {"▲", "◆"})
        for count in range(len(worst_first) - 1, 0, -1):
            shown = [*worst_first[:count], f"and {len(worst_first) - count} more"]
            if self._lines(shown) <= self._max_lines:
                return shown
        return worst_first[:1]

    def _lines(self, totals: Sequence[str]) -> int:
        room, gap = self.contentsRect().width(), self.fontMetrics().horizontalAdvance(f"{_GAP} ")
        lines, left = 1, room
        for total in totals:
            width = self.fontMetrics().horizontalAdvance(total) + gap
            if width - gap > left and left < room:
                lines, left = lines + 1, room
            left -= width
        return lines

    def _total(self, total: str) -> str:
        """Return a total as rich text that is not broken, in the colour of its state."""
        whole = total.replace(" ", "\N{NO-BREAK SPACE}").replace("/", "/\N{WORD JOINER}")
        tokens = self._theme.tokens
        colour = {"▲": tokens.critical, "◆": tokens.warning}.get(total[:1], tokens.muted)
        return f'<span style="color: {colour}">{escape(whole)}</span>'
