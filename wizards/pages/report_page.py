"""The Report page: the pages as they will print, and above them what is going on or has changed since."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from widgets.elided_label import ElidedLabel
from widgets.empty_state import EmptyState
from widgets.keys import KeyHandlers
from widgets.report_print import LaidReport
from widgets.theme import Theme
from wizards.pages.report_keys import PAGE_KEYS
from wizards.pages.report_pages import ReportPages


class ReportPage(QWidget):
    """Signals: ``appeared`` with True when the page comes in sight, False when it goes; ``again`` when the
    report is to be written anew; ``cancelled``; ``saved`` with "html", "pdf" or "paper"; ``act_wanted`` for
    the button of an empty page.
    """

    appeared = Signal(bool)
    again = Signal()
    cancelled = Signal()
    saved = Signal(str)
    act_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Report")
        self.pages = ReportPages(theme)
        self._empty = EmptyState()
        self._empty.wanted.connect(self.act_wanted)
        self._bar = QFrame()
        self._bar.setProperty("role", "bar")
        self.words = ElidedLabel()
        self.part = QProgressBar(maximum=1000, textVisible=False)
        self.part.setMaximumHeight(6)
        self.part.setFixedWidth(160)
        self.part.setAccessibleName("How far the report is")
        self.cancel = QPushButton("Cancel")
        self.cancel.clicked.connect(self.cancelled)
        self.renew = QPushButton("Update")
        self.renew.setProperty("role", "primary")
        self.renew.setToolTip("Write the report of the session as it is now (R)")
        self.renew.clicked.connect(self.again)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.pages)
        row = QHBoxLayout(self._bar)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(10)
        row.addWidget(self.words, 1)
        for one in (self.part, self.cancel, self.renew):
            row.addWidget(one)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._bar)
        column.addWidget(self._stack, 1)
        self._keys = KeyHandlers(
            PAGE_KEYS,
            {
                "html": lambda _key: self.saved.emit("html"),
                "pdf": lambda _key: self.saved.emit("pdf"),
                "paper": lambda _key: self.saved.emit("paper"),
                "again": lambda _key: self.again.emit(),
            },
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.show_nothing("")

    def show_nothing(self, reason: str, button: str = "") -> None:
        """Show why there is no report, and a button that changes that."""
        self._bar.hide()
        self._empty.show_reason(reason, button)
        self._stack.setCurrentWidget(self._empty)

    def show_pages(self, laid: LaidReport) -> None:
        """Show the pages."""
        self.pages.show_pages(laid)
        self._stack.setCurrentWidget(self.pages)
        if self.hasFocus():
            self.pages.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_busy(self, words: str, part: float | None) -> None:
        """Say what is being done and how far it is (0 to 1, None: unknown)."""
        self.part.setMaximum(0 if part is None else 1000)
        self.part.setValue(round((part or 0.0) * 1000))
        self._show_bar(words, busy=True, old=False)

    def show_old(self, words: str) -> None:
        """Say that the session has other findings or samples by now."""
        self._show_bar(words, busy=False, old=True)

    def show_ready(self) -> None:
        """Show the pages alone."""
        self._bar.hide()

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Hand the keys to the pages once there are any: a hidden widget can't take them."""
        super().focusInEvent(event)
        if self._stack.currentWidget() is self.pages:
            self.pages.setFocus(event.reason())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handle the keys of the page."""
        if not self._keys.press(event):
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Tell that the page is seen."""
        super().showEvent(event)
        self.appeared.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Tell that it is not."""
        super().hideEvent(event)
        self.appeared.emit(False)

    def _show_bar(self, words: str, *, busy: bool, old: bool) -> None:
        self.words.show_text(words)
        self.part.setVisible(busy)
        self.cancel.setVisible(busy)
        self.renew.setVisible(old)
        self._bar.show()
