"""The scope bar itself: at rest the path, time and sources; while typing a field with suggestions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QStackedLayout, QToolButton, QWidget

from resources.foreign_text import tooltip_text
from widgets.elided_label import ElidedLabel
from widgets.scope_bar.field import ScopeField
from widgets.scope_bar.path import PathView, Step
from widgets.scope_bar.suggestions import Suggestion, Suggestions
from widgets.theme import Theme

_HEIGHT = 30


class ScopeBar(QFrame):
    """The bar.

    Signals: ``picked`` with the number of a step that was clicked; ``widened`` when all entities are wanted;
    ``wanted`` when somebody wants to type; ``typed`` with each text; ``entered`` with the text to look at.
    """

    picked = Signal(int)
    widened = Signal()
    wanted = Signal()
    typed = Signal(str)
    entered = Signal(str)

    def __init__(self, theme: Theme, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("scope-bar")
        self.setFixedHeight(_HEIGHT)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.path = PathView(theme)
        self.path.picked.connect(self._pick)
        self._last = 0
        self._rest = ElidedLabel()
        self._rest.setProperty("role", "muted")
        self.everything = QToolButton()
        self.everything.setProperty("role", "ghost")
        self.everything.setProperty("compact", True)
        self.everything.setIconSize(QSize(12, 12))
        self.everything.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.everything.setCursor(Qt.CursorShape.PointingHandCursor)
        self.everything.setToolTip("Look at everything again, in the same time")
        self.everything.setAccessibleName("Look at everything")
        self.everything.clicked.connect(self.widened)
        keys = QLabel(hint)
        keys.setProperty("role", "faint")
        rest = QWidget()
        row = QHBoxLayout(rest)
        row.setContentsMargins(10, 2, 6, 2)
        row.setSpacing(8)
        row.addWidget(self.path)
        row.addWidget(self.everything)
        row.addWidget(self._rest, 1)
        row.addWidget(keys)
        self.field = ScopeField()
        self.field.setFrame(False)
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(rest)
        self._pages.addWidget(self.field)
        self._suggestions: Suggestions | None = None
        self.field.textEdited.connect(self.typed)
        self.field.entered.connect(self._enter)
        self.field.completed.connect(self._complete)
        self.field.moved.connect(self._move)
        self.field.left.connect(self.end)
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def suggestions(self) -> Suggestions:
        """The card below the field."""
        if self._suggestions is None:
            self._suggestions = Suggestions(self._theme, self.window())
            self._suggestions.taken.connect(self._take)
        return self._suggestions

    @property
    def text(self) -> str:
        """The text that is shown at rest."""
        return " · ".join(part for part in (self.path.text, self._rest.text()) if part)

    @property
    def is_typing(self) -> bool:
        """True while the field is open."""
        return self._pages.currentWidget() is self.field

    def show_scope(self, steps: Sequence[Step], rest: str, details: str, *, is_all: bool) -> None:
        """Show the path, time and sources (``rest``); ``details`` is the tooltip.

        ``is_all``: all entities are shown, there is nothing to widen.
        """
        self._last = len(steps) - 1
        self.path.show_steps(steps)
        self._rest.show_text(rest)
        self.everything.setVisible(not is_all)
        self.setToolTip(tooltip_text(details))
        self.setAccessibleName(f"Scope, what all views show: {self.text}")

    def begin(self, text: str) -> None:
        """Open the field with ``text``, all of it selected."""
        self._pages.setCurrentWidget(self.field)
        self._mark_typing(on=True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.field.setText(text)
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.setCursorPosition(len(text))
        self.field.selectAll()
        self.typed.emit("")

    def end(self) -> None:
        """Close the field; the scope stays as it is."""
        if not self.is_typing:
            return
        had_keys = self.field.hasFocus()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        if had_keys:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._pages.setCurrentIndex(0)
        self._mark_typing(on=False)
        if self._suggestions is not None:
            self._suggestions.hide()

    def show_suggestions(
        self, meaning: str, rows: Sequence[Suggestion], *, is_understood: bool | None = None
    ) -> None:
        """Show below the field what is understood, or why not, and how the text can go on.

        ``is_understood`` None: nothing is typed yet.
        """
        if self.is_typing:
            self.suggestions.show_rows(rows)
            self.suggestions.show_meaning(meaning, is_understood=is_understood)
            self.suggestions.show_under(self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Open the field on a click."""
        inside = self.rect().contains(event.position().toPoint())
        if inside and event.button() == Qt.MouseButton.LeftButton:
            self.wanted.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Open the field on Enter, Space and F2."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_F2}:
            self.wanted.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Keep the suggestions below the field."""
        super().resizeEvent(event)
        if self.is_typing and self.suggestions.isVisible():
            self.suggestions.show_under(self)

    def _pick(self, number: int) -> None:
        if 0 <= number < self._last:
            self.picked.emit(number)
        else:
            self.wanted.emit()

    def _move(self, step: int) -> None:
        self.suggestions.move_by(step)

    def _enter(self) -> None:
        row = self.suggestions.current
        if row >= 0:
            self._take(row)
        else:
            self.entered.emit(self.field.text())

    def _take(self, row: int) -> None:
        """Look at a suggestion; one that wants more words goes into the field."""
        chosen = self.suggestions.rows[row]
        if chosen.is_whole:
            self.field.setText(chosen.text)
            self.entered.emit(chosen.text)
        else:
            self._put(chosen)

    def _complete(self) -> None:
        """Put a suggestion into the field and go on typing."""
        rows = self.suggestions.rows
        if rows:
            self._put(rows[max(self.suggestions.current, 0)])

    def _mark_typing(self, *, on: bool) -> None:
        self.setProperty("typing", on)
        self.style().polish(self)

    def _put(self, suggestion: Suggestion) -> None:
        self.field.setText(suggestion.text if suggestion.is_whole else f"{suggestion.text} ")
        self.typed.emit(self.field.text())

    def _dress(self) -> None:
        self.everything.setIcon(self._theme.icons.get("close"))
