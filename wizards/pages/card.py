"""A card of the gallery of tests: painted, with one real button on it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QIcon,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QPushButton, QSizePolicy, QToolTip, QWidget

from resources.foreign_text import shown
from viewmodels.health import Health
from widgets.theme import Theme
from wizards.flows.gallery import LEVEL_MEANINGS, Outcome, Readiness, TestCard
from wizards.pages.badge import badge_text, badge_width, paint_badge, paint_symbol, state_of
from wizards.pages.fonts import sized

_HEIGHT, _PAD, _BESIDE = 184, 12, 4
_LINE, _ICON = 18, 13
OUTCOME_STATES: dict[Outcome, Health] = {
    "good": "ok",
    "doubtful": "warning",
    "undecided": "none",
    "bad": "critical",
}
_TOP = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
_HERE: dict[Readiness, str] = {"ready": "check", "missing": "connect", "impossible": "close"}


def wrapped(text: str, metrics: QFontMetrics, width: int, most: int) -> str:
    """Return a text in at most so many lines of a width; the last one ends with … if words are left."""
    lines, words = [""], shown(text).split()
    for number, word in enumerate(words):
        longer = f"{lines[-1]} {word}".strip()
        if metrics.horizontalAdvance(longer) <= width or not lines[-1]:
            lines[-1] = longer
        elif len(lines) < most:
            lines.append(word)
        else:
            rest = " ".join([lines[-1], *words[number:]])
            lines[-1] = metrics.elidedText(rest, Qt.TextElideMode.ElideRight, width)
            break
    return "\n".join(lines)


def head_badges(card: TestCard, width: int, font: QFont) -> list[str]:
    """Return the texts of a card's badges beside its name, in a card of so many pixels: the highest class has
    its word unless the name would be cut for it.
    """
    texts = [badge_text(level, word=level == card.level) for level in card.levels]
    name = QFontMetrics(sized(font, 13, bold=True)).horizontalAdvance(shown(card.title))
    taken = sum(badge_width(one, font) + _BESIDE for one in texts)
    if name + taken + _BESIDE + 2 * _PAD <= width:
        return texts
    return [badge_text(level, word=False) for level in card.levels]


class CardView(QWidget):
    """Shows one ``TestCard``.

    Signals: ``chosen`` with the test's id when its button is pressed (or Enter on the card), ``set_up`` when
    the button beside one that runs at once is pressed, ``recalled`` with the id of its last run when that
    line is clicked.
    """

    chosen = Signal(str)
    set_up = Signal(str)
    recalled = Signal(str)

    def __init__(
        self, theme: Theme, card: TestCard, date: Callable[[int], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._date, self.card = theme, date, card
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(240)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.button = QPushButton(self)
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.clicked.connect(lambda: self.chosen.emit(self.card.id))
        self.setup = QPushButton("Set up…", self)
        self.setup.setProperty("role", "ghost")
        self.setup.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setup.setToolTip("See what it would do, and choose; nothing is touched before Start")
        self.setup.clicked.connect(lambda: self.set_up.emit(self.card.id))
        QWidget.setTabOrder(self.setup, self.button)
        theme.changed.connect(self.update)
        self.show_card(card)

    def show_card(self, card: TestCard) -> None:
        """Show this card."""
        self.card = card
        self.button.setText(card.button)
        self.button.setEnabled(card.readiness != "impossible" and not card.running)
        self.button.setToolTip(card.here if not self.button.isEnabled() else "")
        self.button.setAccessibleName(f"{card.button} {card.title}")
        self.setup.setVisible(card.button == "Run" and not card.running)
        self.setup.setAccessibleName(f"Set up {card.title}")
        if card.readiness == "ready" and not card.running and card.button == "Run":
            self.button.setProperty("role", "primary")
        self.setAccessibleName(f"{card.title}, {', '.join(badge_text(one) for one in card.levels)}")
        last = f"Last run: {card.last.text}" if card.last is not None else _without_run(card).capitalize()
        self.setAccessibleDescription(f"{card.question} {card.cost}. {card.risk}. {card.here}. {last}.")
        self._place()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return a card's usual size."""
        return QSize(360, _HEIGHT)

    def resizeEvent(self, event: object) -> None:  # noqa: N802, ARG002
        """Keep the button in its corner."""
        self._place()

    def _place(self) -> None:
        size = self.button.sizeHint().boundedTo(QSize(200, 26))
        corner = QPoint(self.width() - _PAD - size.width(), self.height() - 8 - size.height())
        self.button.setGeometry(QRect(corner, size))
        beside = self.setup.sizeHint().boundedTo(QSize(120, 26))
        self.setup.setGeometry(QRect(QPoint(corner.x() - 4 - beside.width(), corner.y()), beside))

    @property
    def _foot_end(self) -> int:
        """Where the buttons begin, from the left."""
        return self.button.x() if self.setup.isHidden() else self.setup.x()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter chooses the test."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.button.isEnabled():
            self.chosen.emit(self.card.id)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A click on the last result opens it."""
        if (
            event.button() == Qt.MouseButton.LeftButton
            and self.card.last is not None
            and self._on_last(event.pos())
        ):
            self.recalled.emit(self.card.last.run)
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Show that the last result can be clicked."""
        over = self.card.last is not None and self._on_last(event.pos())
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def event(self, event: QEvent) -> bool:
        """Show the whole text of the line under the mouse, and what the badges mean."""
        if event.type() == QEvent.Type.ToolTip:
            at = event.pos()  # type: ignore[attr-defined]
            QToolTip.showText(event.globalPos(), self._tip(at), self)  # type: ignore[attr-defined]
            return True
        return super().event(event)

    def _tip(self, at: QPoint) -> str:
        card = self.card
        if at.y() < 32:
            return "\n".join(f"{badge_text(one)}: {LEVEL_MEANINGS[one]}" for one in card.levels)
        if self._on_last(at) and card.last is not None:
            return f"{shown(card.last.text)}\n{self._date(card.last.at)}. Click to see the result."
        return "\n".join(shown(one) for one in (card.question, card.cost, card.risk, card.here))

    def _on_last(self, at: QPoint) -> bool:
        return at.y() > self.height() - 42 and at.x() < self._foot_end

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint title, badges, question, three facts and the last result."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens = self._theme.tokens
        is_lit = self.hasFocus() or bool(self.card.running)
        painter.setPen(QPen(QColor(tokens.accent if is_lit else tokens.line), 1))
        painter.setBrush(QColor(tokens.surface2))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        self._paint_head(painter)
        painter.setFont(sized(self.font(), 13))
        painter.setPen(QColor(tokens.muted))
        question = QRect(_PAD, 34, self.width() - 2 * _PAD, 36)
        lines = wrapped(self.card.question, painter.fontMetrics(), question.width(), 2)
        painter.drawText(question, int(_TOP), lines)  # not wrapped again: the painter measures in fractions
        impossible = self.card.readiness == "impossible"
        icons = self._theme.icons
        colour = {"ready": tokens.ok, "missing": tokens.warning, "impossible": tokens.faint}[
            self.card.readiness
        ]
        self._paint_fact(painter, 0, icons.get("timeline", tokens.muted), self.card.cost, tokens.muted)
        self._paint_fact(painter, 1, icons.get("shield", tokens.muted), self.card.risk, tokens.muted)
        here = icons.get(_HERE[self.card.readiness], colour)
        self._paint_fact(painter, 2, here, self.card.here, tokens.faint if impossible else tokens.muted)
        self._paint_foot(painter)

    def _paint_head(self, painter: QPainter) -> None:
        tokens, right = self._theme.tokens, float(self.width() - _PAD)
        painter.setFont(self.font())
        texts = head_badges(self.card, self.width(), self.font())
        for level, text in zip(reversed(self.card.levels), reversed(texts), strict=True):
            right -= badge_width(text, self.font())
            paint_badge(painter, QPointF(right, 10), text, state_of(level), tokens)
            right -= _BESIDE
        painter.setFont(sized(self.font(), 13, bold=True))
        painter.setPen(QColor(tokens.text))
        room = QRect(_PAD, 10, int(right) - _PAD - _BESIDE, _LINE)
        self._draw_line(painter, room, self.card.title)

    def _paint_fact(self, painter: QPainter, number: int, icon: QIcon, text: str, colour: str) -> None:
        top = 76 + number * _LINE
        icon.paint(painter, QRect(_PAD, top + 2, _ICON, _ICON))
        painter.setFont(sized(self.font(), 12))
        painter.setPen(QColor(colour))
        self._draw_line(
            painter, QRect(_PAD + _ICON + 8, top, self.width() - 2 * _PAD - _ICON - 8, _LINE), text
        )

    def _paint_foot(self, painter: QPainter) -> None:
        tokens, card = self._theme.tokens, self.card
        line = self.height() - 46
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.drawLine(_PAD, line, self.width() - _PAD, line)
        painter.setFont(sized(self.font(), 12))
        room = QRect(_PAD, line + 16, self._foot_end - _PAD - 10, _LINE)
        if card.running:
            paint_symbol(painter, QRectF(_PAD, line + 21, 8, 8), "ok", QColor(tokens.ok))
            painter.setPen(QColor(tokens.ok))
            self._draw_line(painter, room.adjusted(16, 0, 0, 0), f"Running: {card.running}")
        elif card.last is None:
            painter.setPen(QColor(tokens.faint))
            self._draw_line(painter, room, _without_run(card))
        else:
            state = OUTCOME_STATES[card.last.outcome]
            paint_symbol(painter, QRectF(_PAD, line + 21, 8, 8), state, QColor(tokens.health(state)))
            date = self._date(card.last.at)
            wide = QFontMetrics(painter.font()).horizontalAdvance(date)
            painter.setPen(QColor(tokens.faint))
            painter.drawText(room, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), date)
            painter.setPen(QColor(tokens.text))
            self._draw_line(painter, room.adjusted(16, 0, -wide - 8, 0), card.last.text)

    def _draw_line(self, painter: QPainter, room: QRect, text: str) -> None:
        elided = painter.fontMetrics().elidedText(shown(text), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), elided)


def _without_run(card: TestCard) -> str:
    """Return what stands in the place of the last run; a test that only reads has no runs."""
    return "not run yet" if card.level else "looks, and stores nothing"
