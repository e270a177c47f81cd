"""The head of a run: its phase in words, how far it is, and the two buttons that stop it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QFontMetrics, QHideEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from resources.foreign_text import shown
from widgets.elided_label import ElidedLabel
from widgets.theme import Theme
from wizards.flows.result_sheet import Chip
from wizards.flows.run_sheet import RunHead
from wizards.pages.fact_list import paint_chip
from wizards.pages.fonts import sized


class ChipView(QWidget):
    """One chip that is as wide as its text."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._chip = Chip("")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_chip(self, chip: Chip) -> None:
        """Show this chip; nothing for an empty text."""
        if chip != self._chip:
            self._chip = chip
            self.setAccessibleName(shown(chip.text))
            self.setVisible(bool(chip.text))
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the room of symbol and text."""
        self.ensurePolished()
        wide = QFontMetrics(sized(self.font(), 11, bold=True)).horizontalAdvance(shown(self._chip.text))
        return QSize(wide + 14 + (0 if self._chip.state in ("part", "info") else 13), 20)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the chip."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.font())
        paint_chip(painter, float(self.width()), 1, self._chip, self._theme.tokens)


class RunHeadView(QFrame):
    """Signals: ``paused`` for the pause button (also to go on), ``stopped`` for Stop and restore."""

    paused = Signal()
    stopped = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._head = RunHead("", "info", "", "")
        self._is_stopping = False
        self.setProperty("role", "bar")
        self.title = ElidedLabel()
        self.title.setProperty("role", "page-title")
        self.progress = ChipView(theme)
        self.note = ElidedLabel()
        self.note.setProperty("role", "muted")
        self.pause = QPushButton()
        self.pause.clicked.connect(self.paused)
        self.stop = QPushButton("Stop and restore")
        self.stop.setProperty("role", "danger")
        self.stop.setToolTip("The load stops within 2 s; then everything is put back. It is always safe.")
        self.stop.clicked.connect(self._begin_to_stop)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 9, 16, 9)
        row.setSpacing(10)
        row.addWidget(self.title, 100)
        row.addWidget(self.progress)
        row.addWidget(self.note, 60)
        row.addStretch(1)
        row.addWidget(self.pause)
        row.addWidget(self.stop)
        theme.changed.connect(self._dress)
        self.progress.hide()
        self._show_stop()
        self._dress()

    def show_head(self, head: RunHead) -> None:
        """Show what goes on."""
        if head == self._head:
            return
        before, self._head = self._head, head
        _show_at_most(self.title, head.title)
        self.progress.show_chip(Chip(head.progress, head.state))
        _show_at_most(self.note, head.note)
        self.pause.setText(head.pause)
        self.pause.setToolTip(
            "Goes on with the next phase."
            if head.is_paused
            else "Ends the phase and holds; settings stay. After 30 min it puts them back by itself."
        )
        self._is_stopping &= head.can_stop
        self._show_stop()
        if before.title != head.title:
            self.setAccessibleName(f"{shown(head.title)}, {shown(head.progress)}")
        self._dress()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Forget that a run was told to stop: another one may be shown next."""
        self._is_stopping = False
        self._show_stop()
        super().hideEvent(event)

    def _begin_to_stop(self) -> None:
        """Say at once that the click was heard: the load takes up to 2 s to end."""
        self._is_stopping = True
        self._show_stop()
        self._dress()
        self.stopped.emit()

    def _show_stop(self) -> None:
        head = self._head
        self.pause.setVisible(bool(head.pause) and not self._is_stopping)
        self.stop.setEnabled(head.can_stop and not self._is_stopping)
        self.stop.setVisible(not head.is_over)
        going = "Stopping…" if self._is_stopping else "Putting back…"
        self.stop.setText("Stop and restore" if self.stop.isEnabled() else going)

    def _dress(self) -> None:
        tokens, icons = self._theme.tokens, self._theme.icons
        self.pause.setIcon(icons.get("play" if self._head.is_paused else "pause"))
        self.stop.setIcon(icons.get("stop", tokens.critical if self.stop.isEnabled() else tokens.faint))


def _show_at_most(label: ElidedLabel, text: str) -> None:
    """Show a text in a label that takes the room of its text, and less where there is less."""
    label.show_text(text)
    label.ensurePolished()
    label.setMaximumWidth(label.fontMetrics().horizontalAdvance(label.text()) + 6)
