"""The lines above the esxtop table: the totals of the hosts, those over a limit in its colour."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy

from resources.foreign_text import tooltip_text
from widgets.theme import Theme

_GAP = "\N{NO-BREAK SPACE}" * 3


class TotalsLine(QLabel):
    """Shows totals one after the other; lines break only between them."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self._theme = theme
        self._totals: Sequence[str] = ()
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

    def _draw(self) -> None:
        self.setText(f"{_GAP} ".join(map(self._total, self._totals)))

    def _total(self, total: str) -> str:
        """Return a total as rich text that is not broken, in the colour of its state."""
        whole = total.replace(" ", "\N{NO-BREAK SPACE}").replace("/", "/\N{WORD JOINER}")
        tokens = self._theme.tokens
        colour = {"▲": tokens.critical, "◆": tokens.warning}.get(total[:1], tokens.muted)
        return f'<span style="color: {colour}">{escape(whole)}</span>'
