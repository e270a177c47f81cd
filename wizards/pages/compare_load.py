"""Was the load the same: the answer as a chip, each part of the load, and what can be left out."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import breakable, shown
from sessions.times import TimeRange
from viewmodels.comparison_surroundings import LoadBlock, LoadLine
from widgets.theme import Theme
from wizards.flows.result_sheet import Chip
from wizards.pages.badge import paint_symbol
from wizards.pages.chart_frame import paint_words
from wizards.pages.result_head import ChipsView

_ROW, _SYMBOL = 22, 8


class LoadLines(QWidget):
    """The parts of the load, painted: symbol, title, A → B."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: tuple[LoadLine, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Parts of the load")
        theme.changed.connect(self.update)

    def show_lines(self, lines: tuple[LoadLine, ...]) -> None:
        """Show these parts."""
        self._lines = lines
        self.setAccessibleDescription("; ".join(f"{one.title} {one.text}" for one in lines))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the height of all lines; a long one takes two."""
        return QSize(200, sum(self._height(one) for one in self._lines))

    def event(self, event: QEvent) -> bool:
        """Say the whole line under the mouse."""
        if isinstance(event, QHelpEvent):
            top, text = 0, ""
            for one in self._lines:
                if top <= event.pos().y() < top + self._height(one):
                    text = f"{one.tip}\n{one.text}"
                top += self._height(one)
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the lines."""
        painter, tokens, top = QPainter(self), self._theme.tokens, 0
        for one in self._lines:
            box = QRectF(2, top + (_ROW - _SYMBOL) / 2, _SYMBOL, _SYMBOL)
            paint_symbol(painter, box, one.state, QColor(tokens.health(one.state)))
            room = QRectF(18, top, self.width() - 20, _ROW)
            paint_words(painter, self.font(), tokens.text, room, one.title)
            below = room.translated(0, 16 if self._is_tall(one) else 0)
            paint_words(painter, self.font(), tokens.muted, below, one.text, Qt.AlignmentFlag.AlignRight)
            top += self._height(one)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Lines may need another height."""
        super().resizeEvent(event)
        self.updateGeometry()

    def _is_tall(self, one: LoadLine) -> bool:
        wide = self.fontMetrics().horizontalAdvance
        return wide(one.title) + wide(one.text) + 32 > max(self.width(), 120)

    def _height(self, one: LoadLine) -> int:
        return _ROW + (17 if self._is_tall(one) else 0)


class LeftOutCard(QFrame):
    """A load that one window had alone, with a check box that leaves its time out: ``toggled``."""

    toggled = Signal(object, bool)

    def __init__(
        self, title: str, text: str, window: TimeRange, *, is_out: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setProperty("state", "warning")
        name = QLabel(f"◆ {breakable(shown(title, 120))}", wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        name.setProperty("role", "title")
        words = QLabel(breakable(shown(text, 300)), wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        words.setProperty("role", "muted")
        self.box = QCheckBox("Left out" if is_out else "Leave it out")
        self.box.setChecked(is_out)
        self.box.setAccessibleName(f"Leave out: {shown(title, 120)}")
        self.box.toggled.connect(lambda on: self.toggled.emit(window, on))
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 7, 10, 8)
        column.setSpacing(2)
        column.addWidget(name)
        column.addWidget(words)
        column.addWidget(self.box)


class LoadSection(QWidget):
    """The section. ``left_out`` carries a window and whether it is to be left out."""

    left_out = Signal(object, bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        caps = QLabel("SAME LOAD?")
        caps.setProperty("role", "pane-title")
        self._chip = ChipsView(theme)
        self._lines = LoadLines(theme)
        self._because = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self._because.setProperty("role", "muted")
        self._cards: list[LeftOutCard] = []
        head = QHBoxLayout()
        head.addWidget(caps)
        head.addStretch(1)
        head.addWidget(self._chip)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self._column.addLayout(head)
        self._column.addWidget(self._lines)
        self._column.addWidget(self._because)

    def show_load(self, load: LoadBlock, out: Sequence[tuple[str, str, TimeRange, bool]]) -> None:
        """Show the answer; ``out`` is what can be left out: title, text, window, whether it is."""
        self._chip.show_chips((Chip(load.word, load.state),))
        self._chip.setMinimumWidth(110)
        self._lines.show_lines(load.lines)
        self._because.setText(shown(load.because, 400))
        for card in self._cards:
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._cards = [LeftOutCard(title, text, window, is_out=on) for title, text, window, on in out]
        for card in self._cards:
            card.toggled.connect(self.left_out)
            self._column.addWidget(card)
