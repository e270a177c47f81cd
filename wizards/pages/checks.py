"""The checks before a test: a line each, and those that block open, with why, how to mend, and buttons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown
from viewmodels.health import Health
from widgets.copying import copy_text
from widgets.one_tab_stop import OneTabStop
from widgets.theme import Theme
from wizards.flows.check_result import STATE_WORDS, CheckResult, CheckState, counts_text
from wizards.pages.badge import paint_symbol

_SYMBOL = 9
_STATES: Mapping[CheckState, Health] = {
    "block": "critical",
    "unknown": "none",
    "warn": "warning",
    "note": "info",
    "ok": "ok",
}


class _Sign(QWidget):
    """The symbol of a check's state."""

    def __init__(self, theme: Theme, state: CheckState) -> None:
        super().__init__()
        self._theme, self._state = theme, _STATES[state]
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the symbol's size."""
        return QSize(_SYMBOL + 3, 20)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the symbol."""
        colour = QColor(self._theme.tokens.health(self._state))
        area = QRectF(1, (self.height() - _SYMBOL) / 2, _SYMBOL, _SYMBOL)
        paint_symbol(QPainter(self), area, self._state, colour)


class CheckRow(QFrame):
    """One check. Signals, with the check's id: ``again`` to check it again, ``left_out`` to leave its
    workers out, ``shown_there`` to show its object. ``copied`` carries a message;
    ``login_wanted`` is emitted for another account.
    """

    again = Signal(str)
    left_out = Signal(str)
    shown_there = Signal(str)
    copied = Signal(str)
    login_wanted = Signal()

    def __init__(self, theme: Theme, check: CheckResult) -> None:
        super().__init__()
        self._theme, self.check = theme, check
        state = check.state
        self.setProperty("role", "check")
        if state in ("block", "warn"):
            self.setProperty("state", state)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"{check.id}, {STATE_WORDS[state]}: {shown(check.found)}")
        found = _label(check.found, bold=state == "block")
        identity = QLabel(check.id)
        identity.setProperty("role", "faint")
        identity.setToolTip(check.title)
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(_Sign(theme, state), 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(found, 1)
        head.addWidget(identity, 0, Qt.AlignmentFlag.AlignTop)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 3, 12, 3)
        self._column.setSpacing(4)
        self._column.addLayout(head)
        if state in ("block", "unknown"):
            self._open()
        elif state == "warn":
            self._column.addWidget(_indented(_label(check.mend or check.why, muted=True)))
        else:
            self.setToolTip("\n".join(shown(one) for one in (check.title, check.why) if one))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """R checks this one again."""
        if event.key() == Qt.Key.Key_R and not event.modifiers():
            self.again.emit(self.check.id)
        else:
            super().keyPressEvent(event)

    def _open(self) -> None:
        for what, gives in self.check.lacking:
            self._column.addLayout(self._lacking_row(what, gives))
        mend = "" if self.check.request else self.check.mend
        for name, text in (("Why", self.check.why), ("Mend", mend)):
            if text:
                row = QHBoxLayout()
                row.setContentsMargins(22, 0, 0, 0)
                row.setSpacing(8)
                word = QLabel(name)
                word.setProperty("role", "title")
                word.setFixedWidth(38)
                row.addWidget(word, 0, Qt.AlignmentFlag.AlignTop)
                row.addWidget(_label(text, muted=True), 1)
                self._column.addLayout(row)
        if self.check.request:
            self._column.addLayout(self._request_button())
        buttons = QHBoxLayout()
        buttons.setContentsMargins(22, 2, 0, 4)
        buttons.setSpacing(6)
        if self.check.leave_out:
            names = ", ".join(shown(one, 30) for one in self.check.leave_out[:2])
            more = len(self.check.leave_out) - 2
            leave = QPushButton(f"Leave {names}{f' and {more} more' if more > 0 else ''} out")
            leave.setProperty("role", "primary")
            leave.clicked.connect(lambda: self.left_out.emit(self.check.id))
            buttons.addWidget(leave)
        if self.check.request:
            login = QPushButton("Use another login…")
            login.setToolTip("Connects anew: a test acts with the account that records the vCenter.")
            login.clicked.connect(self.login_wanted)
            buttons.addWidget(login)
        again = QPushButton("Check again")
        again.clicked.connect(lambda: self.again.emit(self.check.id))
        buttons.addWidget(again)
        if self.check.objects:
            there = QPushButton("Show")
            there.setProperty("role", "ghost")
            there.setToolTip(f"Look at {shown(self.check.objects[0], 80)} in the charts")
            there.clicked.connect(lambda: self.shown_there.emit(self.check.id))
            buttons.addWidget(there)
        buttons.addStretch(1)
        self._column.addLayout(buttons)

    def _request_button(self) -> QHBoxLayout:
        """Return the button for what somebody else must grant."""
        copy = QPushButton("Copy for the vCenter admin")
        copy.setProperty("role", "primary")
        copy.setIcon(self._theme.icons.get("copy", self._theme.tokens.on_accent))
        copy.setToolTip(self.check.request)
        copy.clicked.connect(lambda: self.copied.emit(copy_text(self.check.request, "The request")))
        row = QHBoxLayout()
        row.setContentsMargins(22, 2, 0, 0)
        row.setSpacing(6)
        row.addWidget(copy)
        row.addStretch(1)
        return row

    def _lacking_row(self, what: str, gives: str) -> QHBoxLayout:
        """Return the line of a privilege: what lacks and what it is for, or how many are held."""
        row = QHBoxLayout()
        row.setContentsMargins(22, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(_Sign(self._theme, "block" if gives else "ok"), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(_label(what), 1)
        if gives:
            row.addWidget(_label(gives, muted=True), 1)
        return row


class ChecksView(QWidget):
    """All checks, in their order, with counts above and when they were made below; signals are those of the
    rows.
    """

    again = Signal(str)
    left_out = Signal(str)
    shown_there = Signal(str)
    copied = Signal(str)
    login_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.rows: list[CheckRow] = []
        title = QLabel("BEFORE THE START")
        title.setProperty("role", "pane-title")
        self.counts = QLabel()
        self.counts.setProperty("role", "muted")
        self._when = QLabel(wordWrap=True)
        self._when.setProperty("role", "faint")
        self._when.setContentsMargins(12, 4, 12, 8)
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 12, 6)
        head.addWidget(title)
        head.addStretch(1)
        head.addWidget(self.counts)
        self._list = QVBoxLayout()
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(0)
        body = QWidget()
        whole = QVBoxLayout(body)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addLayout(self._list)
        whole.addStretch(1)
        self._area = QScrollArea(widgetResizable=True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(body)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._area, 1)
        column.addWidget(self._when)
        self._stop = OneTabStop(self, lambda: self.rows, arrows=True)

    def show_checks(self, checks: Sequence[CheckResult], when: str) -> None:
        """Show these checks; ``when`` says when they were made, or what is being checked."""
        self.counts.setText(counts_text(checks))
        self._when.setText(when)
        if [row.check for row in self.rows] == list(checks):
            return
        held = next((row.check.id for row in self.rows if _has_focus(row)), "")
        for row in self.rows:
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = [CheckRow(self._theme, one) for one in checks]
        for row in self.rows:
            self._list.addWidget(row)
            if self.isVisible():
                row.show()  # now, not some events later: one of them may get the keys
            row.again.connect(self.again)
            row.left_out.connect(self.left_out)
            row.shown_there.connect(self.shown_there)
            row.copied.connect(self.copied)
            row.login_wanted.connect(self.login_wanted)
        self._stop.renew()
        if held:  # it was checked again by its key, which is to be pressed again
            self.go_to(held)

    def go_to(self, check: str) -> None:
        """Bring a check into view and give it the keys."""
        for row in self.rows:
            if row.check.id == check:
                self._area.ensureWidgetVisible(row)
                row.setFocus(Qt.FocusReason.OtherFocusReason)


def _has_focus(row: CheckRow) -> bool:
    focus = row.focusWidget()
    return row.hasFocus() or (focus is not None and focus.hasFocus())


def _label(text: str, *, bold: bool = False, muted: bool = False) -> QLabel:
    label = QLabel(shown(text), wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    if bold or muted:
        label.setProperty("role", "title" if bold else "muted")
    label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
    label.setMinimumWidth(40)
    return label


def _indented(label: QLabel) -> QLabel:
    label.setContentsMargins(22, 0, 30, 2)
    return label
