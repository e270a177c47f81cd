"""The jobs pane: a row a job with progress bar and Stop, newest on top; ended ones stay until cleared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import breakable, shown
from viewmodels.text_table import TextTable
from widgets.context_menu import ContextMenu, Entries, MenuEntry, table_entries
from widgets.pane import Pane
from widgets.theme import SYMBOLS, Health, Theme

State = Literal["running", "done", "failed", "cancelled"]
_HEALTH: dict[State, Health] = {"running": "info", "done": "ok", "failed": "critical", "cancelled": "none"}
_WORDS: dict[State, str] = {"running": "", "done": "Done", "failed": "Failed", "cancelled": "Stopped"}
_RUNNING = "▶"
_STOPPING = "Stopping…"
_STEPS = 1000
_LONGEST = 2_000
_MIN_HEIGHT = 160


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job as it is shown. ``part`` is the part done, 0 to 1 (None: unknown); ``text`` is rate and time
    left.
    """

    number: int
    title: str
    state: State = "running"
    part: float | None = None
    text: str = ""


class JobsView(Pane):
    """The jobs pane.

    Signals: ``cancelled`` with the number of a job; ``cleared`` when ended jobs are to be removed;
    ``appeared`` when the pane becomes visible; ``copied`` with a message;
    ``save_wanted`` with a FileOffer.
    """

    cancelled = Signal(object)
    cleared = Signal()
    appeared = Signal()
    copied = Signal(str)
    save_wanted = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.cards: dict[int, _Card] = {}
        self._rows: Sequence[JobRow] = ()
        ContextMenu(self, lambda _at: self._entries())
        self._none = QLabel(
            "Imports and other work that takes a while are listed here. Drop a capture on the window to "
            "import it.",
            wordWrap=True,
        )
        self._none.setProperty("role", "muted")
        self._none.setContentsMargins(4, 4, 4, 4)
        self.clear = QPushButton("Clear those that have ended")
        self.clear.setProperty("role", "ghost")
        self.clear.clicked.connect(self.cleared)
        inner = QWidget()
        self._column = QVBoxLayout(inner)
        self._column.setContentsMargins(8, 4, 8, 8)
        self._column.setSpacing(8)
        self._column.addWidget(self._none)
        self._column.addStretch(1)
        self._column.addWidget(self.clear, 0, Qt.AlignmentFlag.AlignLeft)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inner)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(scroll)
        self.setMinimumHeight(_MIN_HEIGHT)
        theme.changed.connect(self._dress)
        self.show_jobs([])

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Emit ``appeared``."""
        super().showEvent(event)
        self.appeared.emit()

    def show_jobs(self, rows: Sequence[JobRow]) -> None:
        """Show these jobs, the last one on top; rows of known jobs are kept, with their focus."""
        self._rows = rows
        wanted = {row.number for row in rows}
        for number in [number for number in self.cards if number not in wanted]:
            card = self.cards.pop(number)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        for row in rows:
            if row.number not in self.cards:
                card = self.cards[row.number] = _Card(self._theme)
                card.stop.clicked.connect(lambda _checked=False, n=row.number: self.cancelled.emit(n))
                self._column.insertWidget(0, card)
            self.cards[row.number].show_job(row)
        self._none.setVisible(not rows)
        self.clear.setVisible(any(row.state != "running" for row in rows))
        running = sum(row.state == "running" for row in rows)
        self.note_changed.emit(f"{running} running" if running else "")

    def _entries(self) -> Entries:
        ended = any(row.state != "running" for row in self._rows)
        return [
            *table_entries(self._table, self.copied.emit, self.save_wanted.emit, enabled=bool(self._rows)),
            None,
            MenuEntry("Clear those that have ended", self.cleared.emit, enabled=ended),
        ]

    def _table(self) -> TextTable:
        rows = (
            (row.title, row.state, None if row.part is None else row.part * 100, row.text)
            for row in reversed(self._rows)
        )
        return TextTable("Jobs", ("job", "state", "done (%)", "details"), tuple(rows))

    def _dress(self) -> None:
        for card in self.cards.values():
            card.apply_theme()


class _Card(QFrame):
    """The row of one job."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._row = JobRow(0, "")
        self._is_stopping = False
        self.setProperty("role", "card")
        self._symbol = QLabel()
        self._title = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._title.setProperty("role", "title")
        self.stop = QToolButton()
        self.stop.setProperty("role", "ghost")
        self.stop.clicked.connect(self._say_stopping)
        self.stop.setStyleSheet("padding: 0; min-height: 16px; max-height: 18px;")
        self.bar = QProgressBar(textVisible=False)
        self._status = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._status.setProperty("role", "muted")
        self._percent = QLabel()
        self._percent.setProperty("role", "muted")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._symbol, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._title, 1)
        head.addWidget(self.stop, 0, Qt.AlignmentFlag.AlignTop)
        foot = QHBoxLayout()
        foot.addWidget(self._status, 1)
        foot.addWidget(self._percent, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 8, 10)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.bar)
        column.addLayout(foot)
        self.apply_theme()

    def show_job(self, row: JobRow) -> None:
        """Show the job's current state."""
        if row == self._row:
            return
        changed = row.state != self._row.state
        self._row = row
        running = row.state == "running"
        self._title.setText(breakable(shown(row.title)))
        self.stop.setVisible(running)
        self._is_stopping &= running
        self.stop.setEnabled(not self._is_stopping)
        self.stop.setAccessibleName(f"Stop: {shown(row.title)}")
        self.bar.setVisible(running)
        if row.part is None:
            self.bar.setRange(0, 0)
        else:
            self.bar.setRange(0, _STEPS)
            self.bar.setValue(round(row.part * _STEPS))
        words = (_STOPPING,) if self._is_stopping else (_WORDS[row.state], row.text)
        status = " · ".join(word for word in words if word)
        self._status.setText(breakable(shown(status, _LONGEST)))
        self._status.setVisible(bool(status))
        self._percent.setText(f"{row.part:.0%}" if running and row.part is not None else "")
        if changed:
            self.apply_theme()

    def _say_stopping(self) -> None:
        """Say at once that the click was heard: what goes on may take a moment to end."""
        self._is_stopping = True
        self.stop.setEnabled(False)
        self._status.setText(_STOPPING)
        self._status.show()

    def apply_theme(self) -> None:
        """Use the theme's colours."""
        health = _HEALTH[self._row.state]
        self._symbol.setText(_RUNNING if self._row.state == "running" else SYMBOLS[health])
        self._symbol.setStyleSheet(f"color: {self._theme.tokens.health(health)}")
        self.stop.setIcon(self._theme.icons.get("stop"))
        self.stop.setToolTip("Stop it")
