"""One finding as a card: a line and a sentence; opened, its evidence, causes and steps."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from sessions.findings import Finding
from widgets.findings.words import VERDICTS, Label, by_verdict, evidence_row, lasted
from widgets.foreign_text import shown
from widgets.theme import SYMBOLS, Theme

_CAUSES = 6
_CHIP = 62


class FindingCard(QFrame):
    """Signals: ``opened`` when the user unfolds it, ``wanted`` when "Show me" is pressed."""

    opened = Signal(object)
    wanted = Signal(object)

    def __init__(self, finding: Finding, followers: int, label: Label, theme: Theme) -> None:
        super().__init__()
        self.finding = finding
        self._label, self._theme, self._followers = label, theme, followers
        self._body: QWidget | None = None
        self._steps: QWidget | None = None
        self.setProperty("role", "card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._symbol = QLabel()
        self._symbol.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._title = _text("", "title")
        self._title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._time = _text("", "muted", wrap=False)
        self._time.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
        self._conclusion = _text("", "muted")
        self._follow = _text("", "faint")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._symbol)
        head.addWidget(self._title, 1)
        head.addWidget(self._time)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 10, 12, 10)
        self._column.setSpacing(6)
        self._column.addLayout(head)
        self._column.addWidget(self._conclusion)
        self._column.addWidget(self._follow)
        theme.changed.connect(self._dress)
        self._say()

    @property
    def is_open(self) -> bool:
        """Whether evidence and causes are shown."""
        return self._body is not None

    def renew(self, finding: Finding, followers: int) -> None:
        """Say what is found now of the same problem and entity; what has not changed stays as it is."""
        if finding == self.finding and followers == self._followers:
            return
        self.finding, self._followers = finding, followers
        self._say()
        if self.is_open:
            self.set_open(False)
            self.set_open(True)

    def set_open(self, on: bool) -> None:
        """Unfold or fold it."""
        if on == self.is_open:
            return
        if self._body is not None:
            self._body.hide()
            self._body.deleteLater()
            self._body, self._steps = None, None
        else:
            self._body = self._make_body()
            self._column.addWidget(self._body)
        self.setProperty("state", self.finding.severity if on else "")
        self.style().polish(self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A click unfolds it, or folds it again."""
        if self.rect().contains(event.position().toPoint()):
            self._toggle()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Space folds, Enter shows the evidence in the charts."""
        if event.key() == Qt.Key.Key_Space:
            self._toggle()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.wanted.emit(self.finding)
        else:
            super().keyPressEvent(event)

    def _toggle(self) -> None:
        self.set_open(not self.is_open)
        if self.is_open:
            self.opened.emit(self)

    def _make_body(self) -> QWidget:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(8)
        column.addLayout(self._evidence())
        column.addLayout(self._causes())
        for note in self.finding.notes:
            column.addWidget(_text(note, "faint"))
        show = QPushButton("Show me")
        show.setProperty("role", "primary")
        show.setToolTip("Scope and charts go to this finding's evidence")
        show.clicked.connect(lambda: self.wanted.emit(self.finding))
        steps = QPushButton("What to do")
        steps.setCheckable(True)
        steps.toggled.connect(self._show_steps)
        steps.setEnabled(bool(self.finding.remedies))
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(show)
        row.addWidget(steps)
        row.addStretch(1)
        column.addLayout(row)
        self._steps = self._make_steps()
        self._steps.hide()
        column.addWidget(self._steps)
        return body

    def _evidence(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(0, 1)
        for number, item in enumerate(self.finding.evidence):
            row = evidence_row(item, self._label)
            value = _text(row.value, "", wrap=False)
            value.setStyleSheet("font-weight: 600; font-size: 12px")
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            limit = _text(row.limit, "faint", wrap=False)
            limit.setAlignment(Qt.AlignmentFlag.AlignTop)
            what = _text(row.what, "")
            what.setStyleSheet("font-size: 12px")
            grid.addWidget(what, number, 0)
            grid.addWidget(value, number, 1)
            grid.addWidget(limit, number, 2)
        return grid

    def _causes(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        for number, (verdict, title, because) in enumerate(by_verdict(self.finding)[:_CAUSES]):
            chip = QLabel(verdict)
            chip.setProperty("role", "chip")
            chip.setProperty("state", VERDICTS[verdict])
            chip.setAlignment(Qt.AlignmentFlag.AlignCenter)
            chip.setFixedSize(_CHIP, 18)
            words = _text(
                title if verdict == "ruled out" and not because else f"{title}. {because}".rstrip(), ""
            )
            words.setStyleSheet("font-size: 12px")
            grid.addWidget(chip, number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(words, number, 1)
        return grid

    def _make_steps(self) -> QWidget:
        box = QWidget()
        grid = QGridLayout(box)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for number, step in enumerate(self.finding.remedies):
            count = _text(f"{number + 1}.", "muted", wrap=False)
            count.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
            words = _text(step, "")
            words.setStyleSheet("font-size: 12px")
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(count, number, 0)
            grid.addWidget(words, number, 1)
        return box

    def _show_steps(self, on: bool) -> None:
        if self._steps is not None:
            self._steps.setVisible(on)

    def _say(self) -> None:
        finding = self.finding
        self.setAccessibleName(f"{finding.severity}: {shown(finding.title)}, {shown(finding.entity_name)}")
        self._symbol.setText(SYMBOLS[finding.severity])
        self._title.setText(shown(f"{finding.title}: {finding.entity_name}", 600))
        self._time.setText(lasted(finding) if finding.severity != "info" else "info")
        self._conclusion.setText(shown(finding.conclusion, 600))
        self._follow.setText(_follow_words(self._followers))
        self._follow.setVisible(self._followers > 0)
        self._dress()

    def _dress(self) -> None:
        colour = self._theme.tokens.health(self.finding.severity)
        self._symbol.setStyleSheet(f"color: {colour}")


def _follow_words(followers: int) -> str:
    return (
        "1 more finding follows from this"
        if followers == 1
        else f"{followers} more findings follow from this"
    )


def _text(text: str, role: str, *, wrap: bool = True) -> QLabel:
    label = QLabel(shown(text, 600), textFormat=Qt.TextFormat.PlainText, wordWrap=wrap)
    if role:
        label.setProperty("role", role)
    return label
