"""A card with lines that have a state: conditions of validity, what else a result shows, guards, changes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from resources.foreign_text import shown
from viewmodels.health import SPOKEN, Health
from widgets.theme import Theme, Tokens
from widgets.theme.tokens import mix_colours
from wizards.flows.result_sheet import Chip, FactLine, FactList
from wizards.pages.badge import paint_symbol
from wizards.pages.chart_frame import HEAD, PAD, paint_card, paint_title, paint_words
from wizards.pages.fonts import sized

_TWO, _ONE, _SYMBOL, _INDENT = 33, 24, 8, 18
_RIGHT = Qt.AlignmentFlag.AlignRight


def paint_chip(painter: QPainter, right: float, top: float, chip: Chip, tokens: Tokens) -> float:
    """Paint a chip that ends at ``right``; return where it begins."""
    painter.setFont(sized(painter.font(), 11, bold=True))
    symbol = 13.0 if chip.state not in ("part", "info") else 0.0
    wide = painter.fontMetrics().horizontalAdvance(shown(chip.text)) + 14 + symbol
    colour = chip_colour(chip.state, tokens)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(mix_colours(tokens.surface2, colour, 0.16)))
    area = QRectF(right - wide, top, wide, 18)
    painter.drawRoundedRect(area, 4, 4)
    if symbol:
        paint_symbol(painter, QRectF(area.left() + 7, top + 5, 8, 8), chip.state, QColor(colour))
    painter.setPen(QColor(colour))
    painter.drawText(
        area.adjusted(7 + symbol, 0, -4, 0), int(Qt.AlignmentFlag.AlignVCenter), shown(chip.text)
    )
    return right - wide


def chip_colour(state: Health, tokens: Tokens) -> str:
    """Return the colour of a chip's text: plain words are muted."""
    return tokens.muted if state in ("part", "none", "info") else tokens.health(state)


class _Lines(QWidget):
    chosen = Signal(int)

    def __init__(self, theme: Theme, *, is_wide: bool) -> None:
        super().__init__()
        self._theme, self._is_wide = theme, is_wide
        self._lines: tuple[FactLine, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        theme.changed.connect(self.update)

    def show_lines(self, lines: tuple[FactLine, ...]) -> None:
        """Show these lines."""
        self._lines = lines
        self.updateGeometry()
        self.setMinimumHeight(self.sizeHint().height())
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the height of all lines."""
        return QSize(240, round(sum(self._height(one) for one in self._lines)) + 6)

    def event(self, event: QEvent) -> bool:
        """Say the whole line under the mouse."""
        if isinstance(event, QHelpEvent):
            number = self._at(event.pos().y())
            QToolTip.showText(event.globalPos(), _tip(self._lines[number]) if number >= 0 else "", self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Take the click; it counts when the button is let go."""
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A click chooses a line."""
        number = self._at(event.position().y())
        if number >= 0:
            self.chosen.emit(number)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the lines."""
        painter, top = QPainter(self), 0.0
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for one in self._lines:
            self._paint(painter, one, top)
            top += self._height(one)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Make room for texts that need another number of lines."""
        super().resizeEvent(event)
        self.setMinimumHeight(self.sizeHint().height())

    def _height(self, one: FactLine) -> float:
        if not self._is_wide:
            return _TWO if one.text else _ONE
        if one.text:
            return _ONE + self._below(one)
        return _ONE - 15 + self._wrapped(one.title)

    def _below(self, one: FactLine) -> float:
        """Return the height of the lines below the title, 0 if the text stands beside it."""
        room = self.width() - 2 * PAD - _INDENT
        title = QFontMetricsF(sized(self.font(), 12, bold=True)).horizontalAdvance(shown(one.title)) + 6
        metrics = QFontMetricsF(sized(self.font(), 12))
        if title + metrics.horizontalAdvance(shown(one.text)) + self._limit(one) <= room:
            return 0.0
        return self._wrapped(one.text)

    def _wrapped(self, text: str) -> float:
        """Return the height of a text in as many lines as it needs."""
        room = QRectF(0, 0, max(40.0, self.width() - 2 * PAD - _INDENT), 400)
        metrics = QFontMetricsF(sized(self.font(), 12))
        return metrics.boundingRect(room, int(Qt.TextFlag.TextWordWrap), shown(text, 400)).height()

    def _limit(self, one: FactLine) -> float:
        wide = QFontMetricsF(sized(self.font(), 12)).horizontalAdvance(shown(one.limit))
        return min(wide + 10, self.width() / 2) if one.limit else 0.0

    def _at(self, y: float) -> int:
        top = 0.0
        for number, one in enumerate(self._lines):
            top += self._height(one)
            if y < top:
                return number
        return -1

    def _paint(self, painter: QPainter, one: FactLine, top: float) -> None:
        tokens, left, right = self._theme.tokens, PAD + float(_INDENT), float(self.width() - PAD)
        colour = QColor(tokens.health(one.state))
        paint_symbol(painter, QRectF(PAD, top + 8, _SYMBOL, _SYMBOL), one.state, colour)
        wide = self._limit(one)
        limit = QRectF(right - wide, top + 3, wide, 18)
        paint_words(painter, self.font(), tokens.muted, limit, one.limit, _RIGHT)
        title = QRectF(left, top + 3, right - left - wide, 18)
        if self._is_wide and not one.text:
            self._paint_wrapped(painter, one.title, tokens.text, QRectF(left, top + 4, right - left, 80))
            return
        paint_words(painter, self.font(), tokens.text, title, one.title, bold=self._is_wide)
        if not one.text:
            return
        if not self._is_wide:
            room = QRectF(left, top + 19, right - left, 15)
            paint_words(painter, self.font(), tokens.muted, room, one.text, pixels=11)
            return
        below = self._below(one)
        used = QFontMetricsF(sized(self.font(), 12, bold=True)).horizontalAdvance(shown(one.title)) + 6
        if not below:
            paint_words(painter, self.font(), tokens.text, title.adjusted(used, 0, 0, 0), one.text)
            return
        self._paint_wrapped(painter, one.text, tokens.muted, QRectF(left, top + 21, right - left, below + 2))

    def _paint_wrapped(self, painter: QPainter, text: str, colour: str, room: QRectF) -> None:
        painter.setFont(sized(self.font(), 12))
        painter.setPen(QColor(colour))
        painter.drawText(room, int(Qt.TextFlag.TextWordWrap), shown(text, 400))


def _tip(one: FactLine) -> str:
    parts = [shown(text, 300) for text in (one.title, one.text, one.limit) if text]
    return shown(one.tip, 600) or " ".join(parts)


class FactListView(QFrame):
    """The card; lines that have no room are scrolled to. ``chosen`` carries the number of a clicked line.

    ``is_wide`` writes a line's text beside its title instead of below it.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme, *, is_wide: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._facts = FactList("", ())
        self._note = ""
        self._lines = _Lines(theme, is_wide=is_wide)
        self._lines.chosen.connect(self.chosen)
        scroll = QScrollArea()
        scroll.setWidget(self._lines)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._scroll = scroll
        column = QVBoxLayout(self)
        column.setContentsMargins(1, HEAD, 1, 4)
        column.addWidget(scroll)
        self.setMinimumSize(180, 120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.changed.connect(self.update)

    def show_facts(self, facts: FactList, note: str = "") -> None:
        """Show these lines; ``note`` stands beside the title."""
        if facts == self._facts and note == self._note:
            return
        self._facts, self._note = facts, note
        self._lines.show_lines(facts.lines)
        chip = f", {facts.chip.text}" if facts.chip else ""
        said = [f"{SPOKEN[one.state]}: {_tip(one)}" for one in facts.lines[:60]]
        for one in (self, self._scroll):
            one.setAccessibleName(f"{shown(facts.title)}{shown(chip)}")
            one.setAccessibleDescription("\n".join(said))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the room of all lines."""
        return QSize(300, HEAD + self._lines.sizeHint().height() + 8)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint ground, title and chip."""
        painter, tokens, right = QPainter(self), self._theme.tokens, float(self.width() - PAD)
        paint_card(painter, QRectF(self.rect()), tokens)
        if self._facts.chip is not None:
            painter.setFont(self.font())
            right = paint_chip(painter, right, 8, self._facts.chip, tokens) - 8
        paint_title(painter, self.font(), tokens, self._facts.title, self._note, right)


class SymbolView(QWidget):
    """The symbol of a state in a disc, as large as a heading."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state: Health = "none"
        self.setFixedSize(24, 24)
        theme.changed.connect(self.update)

    def show_state(self, state: Health) -> None:
        """Show this state."""
        self._state = state
        self.setAccessibleName(SPOKEN[state])
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint a disc with a check for what is good, else the state's symbol."""
        painter, tokens = QPainter(self), self._theme.tokens
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(tokens.health(self._state))
        if self._state != "ok":
            paint_symbol(painter, QRectF(4, 4, 15, 15), self._state, colour)
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(QRectF(1, 1, 21, 21))
        painter.setPen(QPen(QColor(tokens.surface1), 2))
        painter.drawPolyline([QPointF(7, 12), QPointF(10.4, 15.4), QPointF(16.4, 8.4)])
