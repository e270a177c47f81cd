"""The pages of a report as they will be printed, painted when they come into sight."""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QHideEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from resources.units import format_count
from widgets.report_print import LaidReport
from widgets.theme import Theme

_GAP = 20
_LEAST, _MOST = 500, 880
"""How wide a page is: two stand side by side where each has the least width, one is never wider than most."""
_KEPT = 8
"""So many painted pages are kept, which is more than fit on a screen: four megabytes each."""
_ROW_STEP = 60


class ReportPages(QAbstractScrollArea):
    """``turned`` carries the number of the first page that is in sight (from 0)."""

    turned = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._laid: LaidReport | None = None
        self._painted: OrderedDict[int, QPixmap] = OrderedDict()
        self._first = -1
        self._idle = QTimer(self, interval=0)
        self._idle.timeout.connect(self._paint_next)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._scrolled())
        self.setAccessibleName("Pages of the report")
        theme.changed.connect(self.viewport().update)

    @property
    def count(self) -> int:
        """How many pages there are."""
        return len(self._laid.pages) if self._laid is not None else 0

    def show_pages(self, laid: LaidReport | None) -> None:
        """Show these pages; where somebody was in the report stays in sight if it can."""
        bar = self.verticalScrollBar()
        part = bar.value()
        self._laid = laid
        self._painted.clear()
        self._first = -1
        self._measure()
        bar.setValue(part)
        self.setAccessibleDescription(f"{format_count(self.count)} pages" if laid is not None else "")
        self._scrolled()

    def show_page(self, number: int) -> None:
        """Scroll to a page (from 0)."""
        if 0 <= number < self.count:
            self.verticalScrollBar().setValue(self._place(number).top() - _GAP)

    def page_in_sight(self) -> int:
        """Return the number of the first page that is in sight, from 0."""
        return max(self._first, 0)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the pages that are ready; those that are not are white until then."""
        tokens = self._theme.tokens
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), QColor(tokens.surface3))
        missing = False
        for number in self._in_sight():
            place = self._place(number).translated(0, -self.verticalScrollBar().value())
            pixmap = self._painted.get(number)
            if pixmap is None:
                painter.fillRect(place, QColor("#ffffff"))
                missing = True
            else:
                painter.drawPixmap(place.topLeft(), pixmap)
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.drawRect(place.adjusted(-1, -1, 0, 0))
        painter.end()
        if missing:
            self._idle.start()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Fit the pages to the width; the page in front stays in front."""
        super().resizeEvent(event)
        first = self.page_in_sight()
        before = self._size()
        self._measure()
        if self._size() != before or event.oldSize().width() != event.size().width():
            self._painted.clear()
            self.show_page(first)
        self._scrolled()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Let go of what was painted: it takes more memory than the report."""
        super().hideEvent(event)
        self._painted.clear()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Scroll: a row, a screen, to the first or the last page."""
        bar = self.verticalScrollBar()
        to = {
            Qt.Key.Key_Home: bar.minimum(),
            Qt.Key.Key_End: bar.maximum(),
            Qt.Key.Key_Down: bar.value() + _ROW_STEP,
            Qt.Key.Key_Up: bar.value() - _ROW_STEP,
            Qt.Key.Key_PageDown: bar.value() + bar.pageStep(),
            Qt.Key.Key_PageUp: bar.value() - bar.pageStep(),
            Qt.Key.Key_Space: bar.value() + bar.pageStep(),
        }.get(Qt.Key(event.key()))
        if to is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
            return
        bar.setValue(to)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Bring the page that is clicked into sight as a whole."""
        at = event.position().toPoint() + QPoint(0, self.verticalScrollBar().value())
        hit = next((number for number in range(self.count) if self._place(number).contains(at)), None)
        if hit is not None and event.button() == Qt.MouseButton.LeftButton:
            self.show_page(hit)
        else:
            super().mousePressEvent(event)

    def _columns(self) -> int:
        room = self.viewport().width() - _GAP
        return 2 if self.count > 1 and room >= 2 * (_LEAST + _GAP) else 1

    def _size(self) -> QSize:
        """The size of a page on the screen."""
        columns = self._columns()
        width = (self.viewport().width() - _GAP) // columns - _GAP
        width = max(min(width, _MOST), 120)
        if self._laid is None:
            return QSize(width, width)
        paper = self._laid.paper
        return QSize(width, round(width * paper.height() / paper.width()))

    def _place(self, number: int) -> QRect:
        """Where a page stands, from the top of the first one."""
        size, columns = self._size(), self._columns()
        left = (self.viewport().width() - columns * size.width() - (columns - 1) * _GAP) // 2
        row, column = divmod(number, columns)
        x = left + column * (size.width() + _GAP)
        return QRect(QPoint(x, _GAP + row * (size.height() + _GAP)), size)

    def _measure(self) -> None:
        bar, view = self.verticalScrollBar(), self.viewport().height()
        height = self._place(self.count - 1).bottom() + _GAP if self.count else 0
        bar.setRange(0, max(0, height - view))
        bar.setPageStep(max(view - _ROW_STEP, 1))
        bar.setSingleStep(_ROW_STEP)

    def _in_sight(self) -> range:
        if not self.count:
            return range(0)
        top, step = self.verticalScrollBar().value(), self._size().height() + _GAP
        columns = self._columns()
        first = max(0, (top - _GAP) // step) * columns
        last = ((top + self.viewport().height()) // step + 1) * columns
        return range(first, min(last, self.count))

    def _scrolled(self) -> None:
        self.viewport().update()
        top = self.verticalScrollBar().value()
        seen = (number for number in self._in_sight() if self._place(number).bottom() > top + _GAP)
        first = next(seen, -1)
        if first != self._first:
            self._first = first
            self.turned.emit(max(first, 0))

    def _paint_next(self) -> None:
        """Paint one page that is in sight; the next one in the next turn."""
        missing = [number for number in self._in_sight() if number not in self._painted]
        if self._laid is None or not missing:
            self._idle.stop()
            return
        number, ratio, size = missing[0], self.devicePixelRatioF(), self._size()
        image = QImage(size * ratio, QImage.Format.Format_RGB32)
        image.fill(QColor("#ffffff"))
        painter = QPainter(image)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.scale(image.width() / self._laid.paper.width(), image.height() / self._laid.paper.height())
        self._laid.paint(painter, number)
        painter.end()
        pixmap = QPixmap.fromImage(image)
        pixmap.setDevicePixelRatio(ratio)
        self._painted[number] = pixmap
        while len(self._painted) > _KEPT:
            self._painted.popitem(last=False)
        self.viewport().update()
