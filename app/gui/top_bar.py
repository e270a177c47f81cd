"""The bar on top: menu, back and forward, the scope in words, and what is being recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QEnterEvent,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from resources.foreign_text import tooltip_text
from widgets.elided_label import ElidedLabel
from widgets.theme import Theme

_HEIGHT = 44
_NAME = ("hyper", "scope")
_LOGO_PADDING = 6


class ScopeBar(QFrame):
    """Says in words what is looked at, and opens the palette when clicked."""

    clicked = Signal()

    def __init__(self, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scope-bar")
        self.setFixedHeight(30)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Scope: what all views show")
        self._strong = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._strong.setProperty("role", "title")
        self._rest = ElidedLabel()
        self._rest.setProperty("role", "muted")
        keys = QLabel(hint)
        keys.setProperty("role", "faint")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 3, 10, 3)
        row.setSpacing(8)
        row.addWidget(self._strong)
        row.addWidget(self._rest, 1)
        row.addWidget(keys)

    def say(self, strong: str, rest: str) -> None:
        """Show the entities, and the time and sources."""
        self._strong.setText(strong)
        self._rest.setText(rest)
        self.setToolTip(tooltip_text(f"{strong} · {rest}" if rest else strong))

    @property
    def words(self) -> str:
        """What it shows, for those who read rather than look."""
        return " · ".join(part for part in (self._strong.text(), self._rest.text()) if part)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A click opens the palette."""
        if self.rect().contains(event.position().toPoint()):
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """So do Enter and Space."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            self.clicked.emit()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802
        """Brighten under the mouse."""
        self.setProperty("hover", True)
        self.style().polish(self)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """And dim again."""
        self.setProperty("hover", False)
        self.style().polish(self)
        super().leaveEvent(event)


class TopBar(QWidget):
    """Logo with the menu, back, forward, scope, and buttons of the recording on the right."""

    def __init__(self, theme: Theme, actions: Mapping[str, QAction], menu: QMenu) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("role", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(_HEIGHT)
        self._logo = _Logo(theme)
        self._logo.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._logo.setAccessibleName("Hyperscope menu")
        self._logo.setObjectName("logo")
        self._logo.setProperty("role", "ghost")
        self._logo.setMenu(menu)
        keys = actions["go.palette"].shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self.scope = ScopeBar(keys)
        self.scope.clicked.connect(actions["go.palette"].trigger)
        self.live = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.live.hide()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12 - _LOGO_PADDING, 0, 12, 0)
        self._row.setSpacing(8)
        self._row.addWidget(self._logo)
        for name in ("go.back", "go.forward"):
            self._row.addWidget(_button(actions[name], ghost=True))
        self._row.addWidget(self.scope, 1)
        self._row.addWidget(self.live)
        self.stop = _button(actions["record.stop"], text="Stop")
        self.mark = _button(actions["record.mark"], text="Mark")
        for button in (self.stop, self.mark):
            self._row.addWidget(button)
        theme.changed.connect(self._dress)
        self._dress()

    def add(self, button: QWidget) -> None:
        """Put another button at the right end."""
        self._row.addWidget(button)

    def show_recording(self, text: str, state: str = "") -> None:
        """Say what is being recorded, in the colour of ``state``; an empty text hides it and Stop."""
        self.live.setText(text)
        self.live.setVisible(bool(text))
        self.stop.setVisible(bool(text))
        tokens = self._theme.tokens
        colour = tokens.warning if state == "warning" else tokens.ok
        self.live.setStyleSheet(f"color: {colour}; font-weight: 600")

    def _dress(self) -> None:
        self._logo.update()


class _Logo(QToolButton):
    """The name in two colours; opens the menu."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setText("".join(_NAME))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setStyleSheet("QToolButton#logo { font-weight: 700; padding: 4px 6px; color: transparent; }")

    def sizeHint(self) -> QSize:  # noqa: N802
        """As wide as the name: no room for the arrow of a menu."""
        font = self.font()
        font.setBold(True)
        width = QFontMetrics(font).horizontalAdvance("".join(_NAME))
        return QSize(width + 2 * _LOGO_PADDING, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The button's own frame, and the two halves of the name over it."""
        super().paintEvent(event)
        painter = QPainter(self)
        font = self.font()
        font.setBold(True)
        painter.setFont(font)
        metrics = painter.fontMetrics()
        x = _LOGO_PADDING
        y = (self.height() + metrics.ascent() - metrics.descent()) // 2
        for part, colour in zip(_NAME, (self._theme.tokens.text, self._theme.tokens.accent), strict=True):
            painter.setPen(QColor(colour))
            painter.drawText(x, y, part)
            x += metrics.horizontalAdvance(part)


def _button(action: QAction, *, text: str = "", ghost: bool = False) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setIconSize(QSize(16, 16))
    if text:
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        keep: Callable[[], None] = lambda: button.setText(text)  # noqa: E731 - the action's title is longer
        action.changed.connect(keep)
        keep()
    if ghost:
        button.setProperty("role", "ghost")
        button.setProperty("compact", True)
    button.setAccessibleName(action.text().rstrip("…"))
    return button
