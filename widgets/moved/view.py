"""The pane of what moved with a series, a finding or in a window."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import breakable
from viewmodels.correlation_rows import CorrelationView
from widgets.empty_state import EmptyState
from widgets.moved.rows import MovedList
from widgets.pane import Pane
from widgets.theme import Theme

_MIN_WIDTH = 300
_MOST_EVENTS = 4
_BELOW_MARGINS, _GAP = (12, 6, 12, 10), 4
_MOST_PART, _LEAST_BELOW = 0.16, 46
"""The part of a pane that what stands below the list takes at most, and at least: two lines."""


class MovedView(Pane):
    """Signals: ``cancelled``; ``again`` when the same is to be asked once more. ``list`` has its own."""

    cancelled = Signal()
    again = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = _label("title")
        self._about = _label("muted")
        self._rhythms = _label("")
        self._events = _label("muted")
        self._foot = _label("faint")
        self._bar = QProgressBar(maximum=1000, textVisible=False)
        self._bar.setAccessibleName("How far the search is")
        self.cancel = QPushButton("Cancel")
        self.cancel.clicked.connect(self.cancelled)
        self._busy = QWidget()
        busy = QHBoxLayout(self._busy)
        busy.setContentsMargins(0, 0, 0, 0)
        busy.addWidget(self._bar, 1)
        busy.addWidget(self.cancel)
        self.list = MovedList(theme)
        self.empty = EmptyState()
        self.empty.wanted.connect(self.again)
        self._below = _Below(self._events, self._foot)
        head = QVBoxLayout()
        head.setContentsMargins(12, 4, 12, 8)
        head.setSpacing(4)
        for one in (self._title, self._about, self._rhythms, self._busy):
            head.addWidget(one)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        column.addWidget(self.empty, 1)
        column.addWidget(self._below)
        self.setMinimumWidth(_MIN_WIDTH)
        self.setAccessibleName("What moved with it")
        self.setFocusProxy(self.list)
        self.show_words("Ask in the menu of a chart, an esxtop cell or a finding what moved with it.")

    def _give_keys(self, part: QWidget) -> None:
        """Let the keys go to a part, now too if they are here: before the one that had them is hidden."""
        window = self.window()
        keys_at = window.focusWidget()
        self.setFocusProxy(part)
        if keys_at is not None and self.isAncestorOf(keys_at):
            part.show()
            part.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_words(self, reason: str, button: str = "") -> None:
        """Show why there is no answer, and a button that helps."""
        self._show_texts("", "", "", "", "")
        self.empty.show_reason(reason, button)
        self.empty.show()
        self._give_keys(self.empty.button if button else self.list)
        self._busy.hide()
        self.list.hide()
        self.list.show_rows(())

    def show_progress(self, part: float) -> None:
        """Show how far the search is."""
        self._show_texts("Looking for what moved…", "", "", "", "")
        self._bar.setValue(round(part * 1000))
        self._busy.show()
        self._give_keys(self.cancel)
        self.empty.show_reason("")
        self.empty.show()
        self.list.hide()

    def show_answer(self, view: CorrelationView) -> None:
        """Show an answer."""
        events = [f"• {one}" for one in view.events[:_MOST_EVENTS]]
        if len(view.events) > _MOST_EVENTS:
            events.append(f"• and {len(view.events) - _MOST_EVENTS} more events")
        about_then = "\n".join(["What happened about then:", *events]) if events else ""
        more = view.left_out
        left = f"{more:,} more {'entity' if more == 1 else 'entities'} moved." if more else ""
        foot = " ".join(part for part in (left, view.itself, view.compared) if part)
        self._show_texts(view.title, view.about, "\n".join(view.patterns), about_then, foot)
        self.list.title = view.title
        self.list.show_rows(view.rows)
        if view.rows:
            self._give_keys(self.list)
        self._busy.hide()
        self.list.setVisible(bool(view.rows))
        self.empty.show_reason(view.empty)
        self.empty.setVisible(not view.rows)

    def _show_texts(self, *texts: str) -> None:
        labels = (self._title, self._about, self._rhythms, self._events, self._foot)
        for label, text in zip(labels, texts, strict=True):
            label.setText(breakable(text))
            label.setVisible(bool(text))
        self._below.fit(self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Leave the list the most of a low pane."""
        super().resizeEvent(event)
        self._below.fit(event.size().height())


class _Below(QScrollArea):
    """What stands below the list, as high as it is, but no more than a part of the pane: then it scrolls."""

    def __init__(self, *labels: QLabel) -> None:
        super().__init__(widgetResizable=True)
        self._labels = labels
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(*_BELOW_MARGINS)
        column.setSpacing(_GAP)
        for label in labels:
            column.addWidget(label)
        column.addStretch(1)
        self.setWidget(body)

    def fit(self, pane: int) -> None:
        """Take the height of what is shown in a pane that is ``pane`` pixels high."""
        visible = [one for one in self._labels if not one.isHidden()]
        self.setVisible(bool(visible))
        left, top, right, bottom = _BELOW_MARGINS
        width = max(self.viewport().width() - left - right, 1)
        height = sum(one.heightForWidth(width) for one in visible) + _GAP * max(len(visible) - 1, 0)
        self.setFixedHeight(min(height + top + bottom, max(int(pane * _MOST_PART), _LEAST_BELOW)))


def _label(role: str) -> QLabel:
    made = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    made.setProperty("role", role)
    return made
