"""A list of widgets is one stop of the Tab key: Tab reaches the item that had the focus last."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

_LEFT_OUT = "leftOutOfTab"
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class OneTabStop(QObject):
    """Keeps Tab to one item of a list, and to what is in that item; ``renew`` after items came or went.

    ``items`` returns the widgets of the list, top to bottom. With ``arrows`` True, Up, Down, Home and End
    move the focus from item to item; otherwise the view does that itself.
    """

    def __init__(self, view: QWidget, items: Callable[[], Sequence[QWidget]], *, arrows: bool) -> None:
        super().__init__(view)
        self._view, self._items, self._arrows = view, items, arrows
        self._current: QWidget | None = None
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._follow)

    def renew(self) -> None:
        """Leave one item to Tab: the one that had the focus last, else the first."""
        items = self._items()
        if self._current not in items:
            self._current = items[0] if items else None
        for item in items:
            if self._arrows:
                item.installEventFilter(self)  # once more is the same as once
            else:
                for button in item.findChildren(QAbstractButton):
                    button.installEventFilter(self)
            _let_in(item, on=item is self._current)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Move from item to item on Up, Down, Home and End."""
        if self._arrows and isinstance(event, QKeyEvent):
            target = self._target(watched, event)
            if target is not None and event.type() == QEvent.Type.ShortcutOverride:
                event.accept()  # Home is a key of the window, too
                return True
            if target is not None and event.type() == QEvent.Type.KeyPress:
                target.setFocus(Qt.FocusReason.OtherFocusReason)
                return True
        is_button = not self._arrows and isinstance(watched, QAbstractButton)
        is_press = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress
        if is_button and is_press and isinstance(event, QKeyEvent) and Qt.Key(event.key()) in _STEPS:
            QApplication.sendEvent(self._view, event)  # a button would only go on to the next one
            return True
        return super().eventFilter(watched, event)

    def _target(self, item: QObject, event: QKeyEvent) -> QWidget | None:
        """Return the item that a key leads to; None for another key."""
        items, key = self._items(), Qt.Key(event.key())
        if item not in items or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return None
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: len(items) - 1}
        if key not in _STEPS and key not in ends:
            return None
        at = next(number for number, one in enumerate(items) if one is item) + _STEPS.get(key, 0)
        return items[ends.get(key, min(max(at, 0), len(items) - 1))]

    def _follow(self, _old: QWidget | None, now: QWidget | None) -> None:
        if now is None:
            return
        item = next((one for one in self._items() if one is now or one.isAncestorOf(now)), None)
        if item is not None and item is not self._current:
            self._current = item
            self.renew()


def _let_in(item: QWidget, *, on: bool) -> None:
    """Let Tab reach an item with all that is in it, or leave it out; the mouse reaches it either way."""
    for widget in (item, *item.findChildren(QWidget)):
        if on and widget.property(_LEFT_OUT):
            widget.setProperty(_LEFT_OUT, None)
            widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        elif not on and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            widget.setProperty(_LEFT_OUT, True)
            widget.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
