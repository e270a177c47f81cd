"""Dragging counters from a view onto a chart, and a chart to another place."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from threading import Event

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, Qt
from PySide6.QtGui import QDrag, QDragEnterEvent, QDropEvent, QMouseEvent, QPixmap
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from shiboken6 import isValid

SERIES_MIME = "application/x-hyperscope-series"
CHART_MIME = "application/x-hyperscope-chart"
_MAX_SERIES = 1_000

_is_dragging = Event()
"""Set while a drag goes on: there is one mouse."""


def pack_series(ids: Sequence[int]) -> QMimeData:
    """Return series ids as the data of a drag."""
    data = QMimeData()
    data.setData(SERIES_MIME, json.dumps(list(ids[:_MAX_SERIES])).encode())
    return data


def unpack_series(data: bytes) -> list[int]:
    """Return the series ids in dropped data; anything but whole numbers is ignored, since any program may
    drop.
    """
    try:
        found = json.loads(data)
    except ValueError:
        return []
    numbers = found if isinstance(found, list) else []
    return [number for number in numbers[:_MAX_SERIES] if type(number) is int]


def pack_chart(_ids: Sequence[int]) -> QMimeData:
    """Return the data of a drag that moves a chart: nothing, since only its own stack takes it."""
    data = QMimeData()
    data.setData(CHART_MIME, b"")
    return data


Pack = Callable[[Sequence[int]], QMimeData]
"""Makes the data of a drag."""


def drag(source: QWidget, ids: Sequence[int], label_text: str, pack: Pack = pack_series) -> None:
    """Drag series or a chart, with a label under the mouse; returns when they are dropped."""
    if not ids or _is_dragging.is_set():
        return
    # Its owner is the window: what is dragged from may be renewed meanwhile, and Qt, which goes on using the
    # drag after its end, would write into memory that went with it.
    moving = QDrag(source.window())
    moving.setMimeData(pack(ids))
    moving.setPixmap(_picture_of(label_text))
    moving.setHotSpot(QPoint(-12, -8))
    _is_dragging.set()
    try:
        moving.exec(Qt.DropAction.CopyAction | Qt.DropAction.MoveAction)
    finally:
        _is_dragging.clear()


def _picture_of(text: str) -> QPixmap:
    """Draw a text as a chip. The label ends here: the window may be closed while the drag goes on."""
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText)
    label.setProperty("role", "chip")
    label.setMargin(6)
    return label.grab()


class Draggable(QObject):
    """Makes series draggable from a widget.

    ``what(position)`` returns the series ids and the label for where the mouse was pressed; ``pack`` makes
    the data of the drag.
    """

    def __init__(
        self,
        widget: QWidget,
        what: Callable[[QPoint], tuple[Sequence[int], str]],
        pack: Pack = pack_series,
    ) -> None:
        super().__init__(widget)
        self._widget, self._what, self._pack = widget, what, pack
        self._pressed: QPoint | None = None
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Start a drag when the mouse moves far enough after a press."""
        if isinstance(event, QMouseEvent):
            if event.type() == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
                self._pressed = event.position().toPoint()
            elif event.type() == QEvent.Type.MouseButtonRelease:
                self._pressed = None
            elif event.type() == QEvent.Type.MouseMove and self._far(event.position().toPoint()):
                pressed, self._pressed = self._pressed, None
                assert pressed is not None
                drag(self._widget, *self._what(pressed), self._pack)
                if not isValid(self._widget):
                    return True  # it was renewed while its series were dragged
                if isinstance(self._widget, QAbstractButton):
                    self._widget.setDown(False)  # the drag has taken the release that it waits for
                return True
        return super().eventFilter(watched, event)

    def _far(self, now: QPoint) -> bool:
        if self._pressed is None:
            return False
        return (now - self._pressed).manhattanLength() >= QApplication.startDragDistance()


class DropTarget(QObject):
    """Makes a widget accept dropped series; ``take`` is called with the data, for ``unpack_series``."""

    def __init__(self, widget: QWidget, take: Callable[[bytes], None]) -> None:
        super().__init__(widget)
        self._take = take
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Accept drags that carry series, and hand over their drop."""
        if isinstance(event, QDragEnterEvent) and event.mimeData().hasFormat(SERIES_MIME):
            event.acceptProposedAction()
            return True
        if isinstance(event, QDropEvent) and event.type() == QEvent.Type.Drop:
            event.acceptProposedAction()
            self._take(bytes(event.mimeData().data(SERIES_MIME).data()))
            return True
        return super().eventFilter(watched, event)
