"""The verdict of a test: one line, one sentence, how it was made, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import breakable, shown, tooltip_text
from widgets.theme import Theme
from widgets.theme.tokens import mix_colours
from wizards.flows.result_sheet import Chip, ResultHead
from wizards.pages.fact_list import SymbolView, chip_colour, paint_chip
from wizards.pages.fonts import sized

_ICONS = {
    "again": "refresh",
    "export": "export",
    "restore": "undo",
    "resume": "play",
    "steps": "copy",
    "measure": "play",
    "report": "print",
}
_ALONE_IN_A_ROW = 2
"""The first buttons have a row each; the others share one by two."""
_LOAD = ("again", "resume")
_HELD_MS = 2_000
_HELD = "In 2 s: a late click on Stop and restore starts no load."


class ChipsView(QWidget):
    """Chips in a line; those without room move to the next line."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._chips: tuple[Chip, ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self.update)

    def show_chips(self, chips: tuple[Chip, ...]) -> None:
        """Show these chips."""
        self._chips = chips
        self.setAccessibleName(", ".join(shown(one.text) for one in chips))
        self.setVisible(bool(chips))
        self.updateGeometry()
        self.update()

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """Return the height of the lines that the chips need."""
        return max((line for _, line in self._places(width)), default=0) * 23 + 20

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the size of one line."""
        return QSize(240, self.heightForWidth(self.width()))

    def wanted_width(self) -> int:
        """Return the width at which all chips stand in one line."""
        return round(max((right for right, _ in self._places(100_000)), default=0.0)) + 1

    def _places(self, width: int) -> list[tuple[float, int]]:
        metrics, at, line = QFontMetrics(sized(self.font(), 11, bold=True)), 0.0, 0
        found: list[tuple[float, int]] = []
        for one in self._chips:
            wide = (
                metrics.horizontalAdvance(shown(one.text)) + 14 + (0 if one.state in ("part", "info") else 13)
            )
            if found and at + wide > width:
                at, line = 0.0, line + 1
            found.append((at + wide, line))
            at += wide + 6
        return found

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the chips."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for one, (right, line) in zip(self._chips, self._places(self.width()), strict=True):
            painter.setFont(self.font())
            paint_chip(painter, right, 1 + line * 23, one, self._theme.tokens)


class ResultHeadView(QFrame):
    """The card. ``acted`` carries what a button does (``result_sheet.Act``)."""

    acted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._head = ResultHead("none", "", "")
        self._symbol = SymbolView(theme)
        self.line = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.line.setProperty("role", "page-title")
        self.sentence = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self._chips = ChipsView(theme)
        self.buttons: dict[str, QPushButton] = {}
        self._held = QTimer(self, singleShot=True, interval=_HELD_MS)
        self._held.timeout.connect(self._allow)
        self._acts = QGridLayout()
        self._acts.setSpacing(6)
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(self.line)
        words.addWidget(self.sentence)
        words.addSpacing(2)
        words.addWidget(self._chips)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 11, 14, 11)
        row.setSpacing(10)
        row.addWidget(self._symbol, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addLayout(self._acts)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        theme.changed.connect(self._dress)

    def show_head(self, head: ResultHead) -> None:
        """Show this verdict."""
        if head == self._head:
            return
        acts_changed = head.acts != self._head.acts
        self._head = head
        self._symbol.show_state(head.state)
        self.line.setText(breakable(shown(head.line, 400)))
        self.sentence.setText(breakable(shown(head.sentence, 900)))
        self.sentence.setVisible(bool(head.sentence))
        self._chips.show_chips(head.chips)
        self.setAccessibleName(f"Verdict: {shown(head.line, 400)}")
        if acts_changed:
            self._make_buttons()
        self._dress()

    def hold_load(self) -> None:
        """Have no button start load for 2 s: this page came by itself, under a hand that may still stop."""
        self._held.start()
        self._allow()

    def _allow(self) -> None:
        """Switch on the buttons that have no reason to be off, but not yet those that start load."""
        for one in self._head.acts:
            why_not = _HELD if one.act in _LOAD and self._held.isActive() else one.why_not
            self.buttons[one.act].setEnabled(not why_not)
            self.buttons[one.act].setToolTip(tooltip_text(why_not))
        self._dress()

    def _make_buttons(self) -> None:
        for button in self.buttons.values():
            self._acts.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = {}
        for number, one in enumerate(self._head.acts):
            button = QPushButton(one.text)
            button.clicked.connect(lambda _on=False, act=one.act: self.acted.emit(act))
            if number == 0:
                button.setProperty("role", "primary")
                button.setMinimumWidth(168)
            if number < _ALONE_IN_A_ROW:
                self._acts.addWidget(button, number, 0, 1, 2)
            else:
                row, column = divmod(number - _ALONE_IN_A_ROW, 2)
                is_last = number == len(self._head.acts) - 1
                columns = 2 if is_last and column == 0 else 1
                self._acts.addWidget(button, _ALONE_IN_A_ROW + row, column, 1, columns)
            self.buttons[one.act] = button
        self._acts.setRowStretch(9, 1)
        self._allow()

    def _dress(self) -> None:
        tokens, icons = self._theme.tokens, self._theme.icons
        for number, (act, button) in enumerate(self.buttons.items()):
            colour = tokens.on_accent if number == 0 and button.isEnabled() else tokens.muted
            button.setIcon(icons.get(_ICONS[act], colour))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the tinted ground of the state."""
        painter, tokens = QPainter(self), self._theme.tokens
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = chip_colour(self._head.state, tokens)
        is_plain = self._head.state == "none"
        painter.setPen(QPen(QColor(tokens.line if is_plain else colour), 1))
        painter.setBrush(QColor(mix_colours(tokens.surface1, colour, 0.06 if is_plain else 0.12)))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
