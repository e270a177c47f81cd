"""The top bar: button of the menu, back and forward, the scope as text, and the state of the recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import (
    QAction,
    QColor,
    QFontMetrics,
    QKeySequence,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from app.gui.moment_pill import MomentPill
from widgets.scope_bar import ScopeBar
from widgets.theme import Theme

_HEIGHT = 44
_NAME = ("hyper", "scope")
_LOGO_PADDING = 6


class TopBar(QWidget):
    """Button of the menu, logo, back, forward, scope, and the buttons of the recording on the right."""

    def __init__(self, theme: Theme, actions: Mapping[str, QAction], menu: QMenu) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("role", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(_HEIGHT)
        self.menu_button = QToolButton()
        self.menu_button.setObjectName("menu-button")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setProperty("role", "ghost")
        self.menu_button.setProperty("compact", True)
        self.menu_button.setAccessibleName("Menu")
        self.menu_button.setToolTip("Menu (F10)")
        self.menu_button.setIconSize(QSize(18, 18))
        self.menu_button.setMenu(menu)
        self._logo = _Logo(theme)
        keys = actions["go.scope"].shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self.scope = ScopeBar(theme, keys)
        self.live = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.live.hide()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12 - _LOGO_PADDING, 0, 12, 0)
        self._row.setSpacing(8)
        self._row.addWidget(self.menu_button)
        self._row.addWidget(self._logo)
        for name in ("go.back", "go.forward"):
            self._row.addWidget(_button(actions[name], ghost=True))
        self._row.addWidget(self.scope, 1)
        self.moment = MomentPill(theme, actions["go.release"])
        self._row.addWidget(self.moment)
        self._row.addWidget(self.live)
        self.stop = _button(actions["record.stop"], text="Stop")
        self.mark = _button(actions["record.mark"], text="Mark")
        for button in (self.stop, self.mark):
            self._row.addWidget(button)
        theme.changed.connect(self._dress)
        self._dress()

    def add(self, button: QWidget) -> None:
        """Add another button at the right end."""
        self._row.addWidget(button)

    def show_recording(self, text: str, state: str = "") -> None:
        """Show the state of the recording in the colour of ``state``; an empty text hides it and Stop."""
        self.live.setText(text)
        self.live.setVisible(bool(text))
        self.stop.setVisible(bool(text))
        tokens = self._theme.tokens
        colour = tokens.warning if state == "warning" else tokens.ok
        self.live.setStyleSheet(f"color: {colour}; font-weight: 600")

    def _dress(self) -> None:
        self._logo.update()
        self.menu_button.setIcon(self._theme.icons.get("menu"))


class _Logo(QWidget):
    """The program's name in two colours."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the width of the name."""
        font = self.font()
        font.setBold(True)
        width = QFontMetrics(font).horizontalAdvance("".join(_NAME))
        return QSize(width + 2 * _LOGO_PADDING, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw the name in two colours."""
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
