"""The messages at the lower edge of the work area: at most three, the newest at the bottom."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QPushButton, QWidget

from sessions.times import now_ms
from widgets.messages.toast import Toast
from widgets.messages.values import Level, Message, MessageAction
from widgets.theme import Theme

MOST = 3
_KEPT = 200
_WIDTH, _MARGIN, _GAP = 620, 12, 6
_STEP = 12
"""Pixels between the points at which rows are looked for; no row is lower."""


class Messages(QWidget):
    """Shows messages over ``over`` without moving anything there; a new one displaces the oldest of three.

    They lie over no row of a list: where there is no other place ``over`` ends above them meanwhile, and its
    lists scroll.

    Errors stay until they are closed, all others leave by themselves. Escape closes the newest. Messages that
    come together get their cards together, in the next turn of the event loop: of a thousand only the last
    three need one. Signal ``changed``: messages came or left.
    """

    changed = Signal()

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__(over)
        self._theme, self._over = theme, over
        self._messages: list[Message] = []
        self._toasts: list[Toast] = []
        self._new = QTimer(self, singleShot=True, interval=0)
        self._new.timeout.connect(self._show_new)
        self._past: deque[Message] = deque(maxlen=_KEPT)
        self._is_below, self._edge = False, 0
        self.setObjectName("messages")
        self.setAccessibleName("Messages")
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)  # works while a message is visible
        self._escape.activated.connect(self.close_newest)
        over.installEventFilter(self)
        self.hide()

    @property
    def shown(self) -> Sequence[Message]:
        """The messages that are visible, oldest first."""
        return list(self._messages)

    @property
    def past(self) -> Sequence[Message]:
        """The messages since the window was opened, oldest first; only the last 200."""
        return list(self._past)

    @property
    def text(self) -> str:
        """The newest visible message; empty if there is none."""
        return self._messages[-1].text if self._messages else ""

    @property
    def action_button(self) -> QPushButton | None:
        """The button of the newest visible message; None if it has none."""
        self._show_new()
        buttons = self._toasts[-1].buttons if self._toasts else []
        return buttons[0] if buttons else None

    def notify(
        self,
        text: str,
        level: Level = "info",
        *,
        action: MessageAction | None = None,
        more: Sequence[MessageAction] = (),
    ) -> None:
        """Show a message; ``action`` is a button such as *Undo*, ``more`` are further ones. The same text is
        shown once.
        """
        self.dismiss(text)
        message = Message(text, level, now_ms(), action, tuple(more))
        self._past.append(message)
        while len(self._messages) >= MOST:
            passing = [one for one in self._messages if one.shown_ms]
            self._remove((passing or self._messages)[0])
        self._messages.append(message)
        self._new.start()

    def show_message(
        self, text: str, level: Level = "info", *, button: str = "", act: Callable[[], None] | None = None
    ) -> None:
        """Show a message; ``button`` is the text of a button that calls ``act``."""
        self.notify(text, level, action=MessageAction(button, act) if button and act is not None else None)

    def dismiss(self, text: str) -> None:
        """Take the message with this text away, if it is visible."""
        for message in [one for one in self._messages if one.text == text]:
            self._close(message)

    def clear(self) -> None:
        """Take all messages away; they stay in ``past``."""
        for message in [*self._messages]:
            self._close(message)

    def close_newest(self) -> None:
        """Take the newest message away."""
        if self._messages:
            self._close(self._messages[-1])

    def take_escape(self, *, on: bool) -> None:
        """Close a message on Escape; with ``on`` False leave the key to another shortcut of the window."""
        self._escape.setEnabled(on)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Stay at the lower edge of the work area."""
        if event.type() in {QEvent.Type.Resize, QEvent.Type.LayoutRequest} and self._toasts:
            self._place()
        return super().eventFilter(watched, event)

    def _show_new(self) -> None:
        """Show the cards of the messages that came since the last turn of the event loop."""
        self._new.stop()
        with_card = [toast.message for toast in self._toasts]
        fresh = [one for one in self._messages if not any(one is other for other in with_card)]
        if not fresh:
            return
        for message in fresh:
            toast = Toast(self._theme, message, self)
            toast.done.connect(partial(self._close, message))
            self._toasts.append(toast)
        self._place()
        for toast in self._toasts:
            toast.show()
        self.show()
        self.raise_()
        for message in fresh:
            self._announce(message)
        self.changed.emit()

    def _close(self, message: Message) -> None:
        if any(one is message for one in self._messages):
            self._remove(message)
            self._place()
            self.changed.emit()

    def _remove(self, message: Message) -> None:
        self._messages = [one for one in self._messages if one is not message]
        for toast in [one for one in self._toasts if one.message is message]:
            self._toasts.remove(toast)
            toast.hide()
            toast.deleteLater()

    def _place(self) -> None:
        """Lay the messages out above each other, as high as their sentences need, within the work area."""
        over = self._over
        if not self._toasts:
            self.hide()
            self._end_above(0)
            return
        width = min(_WIDTH, over.width() - 2 * _MARGIN)
        top = 0
        for toast in self._toasts:
            height = max(toast.heightForWidth(width), toast.minimumSizeHint().height())
            toast.setGeometry(0, top, width, height)
            top += height + _GAP
        height = top - _GAP
        above = max(over.height() - height - _MARGIN, 0)
        lefts = ((over.width() - width) // 2, over.width() - width - _MARGIN, _MARGIN)
        places = [QRect(left, above, width, height) for left in lefts]
        free = [] if self._is_below else [one for one in places if not self._has_rows(one)]
        if not free:
            self._end_above(height + 2 * _MARGIN)
        self.setGeometry((free or places)[0])

    def _has_rows(self, place: QRect) -> bool:
        """Return True if a list of the work area has a row there."""
        points = [
            QPoint(x, y)
            for y in (*range(place.top(), place.bottom(), _STEP), place.bottom())
            for x in (*range(place.left(), place.right(), 8 * _STEP), place.right())
        ]
        return any(
            view.indexAt(at).isValid()
            for view in self._over.findChildren(QAbstractItemView)
            if view.isVisible()
            for at in (view.viewport().mapFrom(self._over, point) for point in points)
            if view.viewport().rect().contains(at)
        )

    def _end_above(self, height: int) -> None:
        """Let what lies in the work area end so many pixels above its lower edge, if it can be as low."""
        column = self._over.layout()
        if column is None or not (height or self._is_below):
            return
        margins = column.contentsMargins()
        if not self._is_below:
            self._edge = margins.bottom()
        least = column.minimumSize().height() - margins.bottom()
        self._is_below = 0 < height <= self._over.height() - least
        margins.setBottom(height if self._is_below else self._edge)
        if margins != column.contentsMargins():
            column.setContentsMargins(margins)

    def _announce(self, message: Message) -> None:
        """Have a screen reader say it; an error interrupts what is being read."""
        event = QAccessibleAnnouncementEvent(self, message.spoken)
        if message.level == "critical":
            event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
        QAccessible.updateAccessibility(event)
