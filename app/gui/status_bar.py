"""The bar at the bottom: one entry for each source, and the session's name and size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from widgets.theme import SYMBOLS, Health, Theme

_HEIGHT = 28
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """What the bar says of a source: its state, a few words, and more on hover."""

    state: Health
    text: str
    details: str = ""


class StatusBar(QWidget):
    """Sources on the left, a running job in the middle, the session on the right."""

    jobs_clicked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._entries: Sequence[SourceEntry] = ()
        self.setProperty("role", "status")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(_HEIGHT)
        self._sources = QLabel(textFormat=Qt.TextFormat.RichText)
        self._sources.setObjectName("sources")
        self._sources.setProperty("role", "muted")
        self._sources.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._sources.setAccessibleName("Sources")
        self.jobs = QToolButton()
        self.jobs.setObjectName("jobs")
        self.jobs.setProperty("role", "ghost")
        self.jobs.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.jobs.clicked.connect(self.jobs_clicked)
        self.jobs.hide()
        self._session = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._session.setProperty("role", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(16)
        row.addWidget(self._sources, 1)
        row.addWidget(self.jobs)
        row.addWidget(self._session)
        theme.changed.connect(self._show)

    def show_sources(self, entries: Sequence[SourceEntry]) -> None:
        """Say how the sources are; the first few in full, the worst first."""
        if list(entries) != list(self._entries):
            self._entries = list(entries)
            self._show()

    def show_session(self, text: str) -> None:
        """Say the session's name and size."""
        self._session.setText(text)

    def show_jobs(self, text: str) -> None:
        """Say what runs in the background; empty hides it."""
        self.jobs.setText(text)
        self.jobs.setVisible(bool(text))
        self.jobs.setIcon(self._theme.icons.get("jobs"))

    def _show(self) -> None:
        parts = [
            f'<span style="color:{self._theme.tokens.health(entry.state)}">{SYMBOLS[entry.state]}</span> '
            f"{escape(entry.text)}"
            for entry in self._entries[:_SHOWN]
        ]
        more = len(self._entries) - _SHOWN
        if more > 0:
            parts.append(f"and {more} more")
        self._sources.setText("&nbsp;&nbsp;&nbsp;&nbsp;".join(parts))
        self._sources.setToolTip("<br>".join(escape(entry.details or entry.text) for entry in self._entries))


def escape(text: str) -> str:
    """Foreign text for a rich-text label: shown as it is, on one line."""
    plain = " ".join(text.split())[:300]
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
