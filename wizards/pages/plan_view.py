"""The plan of a test: numbers, phases, changes, load, guards and the job file, on one page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QFontDatabase, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from widgets.copying import copy_text
from widgets.theme import Theme
from wizards.flows.plan_sheet import GuardLine, JobText, LoadLine, PlanSheet
from wizards.pages.numbers import NumbersRow
from wizards.pages.phase_bar import PhaseBar
from wizards.pages.sheet_table import Cell, Heading, SheetTable

_CHANGES = (
    Heading("Setting"),
    Heading("of", stretch=True),
    Heading("now"),
    Heading("during"),
    Heading("undone by the journal"),
)
_LOAD = (
    Heading("VM", stretch=True),
    Heading("host"),
    Heading("shares", right=True),
    Heading("due", right=True),
    Heading("of the I/O", width=84),
)
_GUARDS = (Heading("Guard", stretch=True), Heading("limit"), Heading("then"))
_JOB_HEIGHT = 232
_TWO_COLUMNS = 820


class PlanView(QScrollArea):
    """The page, read from top to bottom. Signals: ``copied`` with a message when the job file or a table was
    copied; ``save_wanted`` with a FileOffer of a table.
    """

    copied = Signal(str)
    save_wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._jobs: Sequence[JobText] = ()
        self.numbers = NumbersRow(theme)
        self.phases = PhaseBar(theme)
        self.changes = SheetTable(theme, "What will be changed", _CHANGES)
        self.load = SheetTable(theme, "Load per VM", _LOAD)
        self.guards = SheetTable(theme, "Guards while it runs", _GUARDS)
        for table in (self.changes, self.load, self.guards):
            table.copied.connect(self.copied)
            table.save_wanted.connect(self.save_wanted)
        self.order, self.load_note = _note(), _note()
        self.job = QPlainTextEdit(readOnly=True)
        self.job.setFont(_mono())
        self.job.setFixedHeight(_JOB_HEIGHT)
        self.job.setAccessibleName("The job file that fio gets")
        self.job.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.job_note = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.job_note.setProperty("role", "faint")
        self.choice = QComboBox()
        self.choice.setAccessibleName("Whose job file")
        self.choice.currentIndexChanged.connect(self._show_job)
        self._copy = QToolButton()
        self._copy.setProperty("compact", True)
        self._copy.setToolTip("Copy the job file")
        self._copy.setAccessibleName("Copy the job file")
        self._copy.clicked.connect(
            lambda: self.copied.emit(copy_text(self.job.toPlainText(), "The job file"))
        )
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(self._body())
        theme.changed.connect(self._dress)
        self._dress()

    def show_sheet(self, sheet: PlanSheet) -> None:
        """Show this plan."""
        self.numbers.show_numbers(sheet.numbers)
        self.phases.show_phases(sheet.phases)
        self.order.setText(sheet.order)
        self.changes.show_rows(
            [
                (
                    Cell(one.setting),
                    Cell(one.of, muted=True),
                    Cell(one.now, muted=True),
                    Cell(one.during, bold=True),
                    Cell(f"↶ {one.undone}", muted=True),
                )
                for one in sheet.changes
            ]
            or [(Cell("Nothing is changed"), Cell(), Cell(), Cell(), Cell())]
        )
        self.load_note.setText(sheet.load_note)
        largest = max((one.due or 0.0 for one in sheet.load), default=0.0) or 1.0
        self.load.show_rows([_load_row(number, one, largest) for number, one in enumerate(sheet.load)])
        self.guards.show_rows([_guard_row(one) for one in sheet.guards])
        chosen, self._jobs = self.choice.currentText(), sheet.jobs
        self.choice.blockSignals(True)
        self.choice.clear()
        self.choice.addItems([one.of for one in sheet.jobs])
        self.choice.setCurrentIndex(max(0, self.choice.findText(chosen)))
        self.choice.blockSignals(False)
        self._show_job(self.choice.currentIndex())

    def _show_job(self, number: int) -> None:
        job = self._jobs[number] if 0 <= number < len(self._jobs) else JobText("", "This test runs no fio.")
        if self.job.toPlainText() != job.text:
            self.job.setPlainText(job.text)
        self.job_note.setText(job.note)
        self.choice.setVisible(len(self._jobs) > 1)

    def _body(self) -> QWidget:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(6)
        column.addWidget(self.numbers)
        column.addLayout(_head("PHASES", self.order))
        column.addWidget(self.phases)
        column.addLayout(_head("WHAT WILL BE CHANGED, AND HOW IT IS UNDONE"))
        column.addWidget(self.changes)
        left, right = QVBoxLayout(), QVBoxLayout()
        left.setSpacing(6)
        right.setSpacing(6)
        left.addLayout(_head("LOAD PER VM", self.load_note))
        left.addWidget(self.load)
        left.addLayout(_head("GUARDS WHILE IT RUNS"))
        left.addWidget(self.guards)
        left.addStretch(1)
        right.addLayout(_head("THE JOB", self.choice, self._copy))
        right.addWidget(self.job)
        right.addWidget(self.job_note)
        right.addStretch(1)
        self._both = QHBoxLayout()
        self._both.setSpacing(16)
        self._both.addLayout(left, 11)
        self._both.addLayout(right, 9)
        column.addLayout(self._both)
        column.addStretch(1)
        return body

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Put the job below the load where both beside each other would cut names."""
        super().resizeEvent(event)
        is_wide = self.viewport().width() >= _TWO_COLUMNS
        way = QHBoxLayout.Direction.LeftToRight if is_wide else QHBoxLayout.Direction.TopToBottom
        self._both.setDirection(way)

    def _dress(self) -> None:
        self._copy.setIcon(self._theme.icons.get("copy"))


def _head(title: str, *beside: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setContentsMargins(0, 8, 0, 0)
    row.setSpacing(8)
    words = QLabel(title)
    words.setProperty("role", "pane-title")
    row.addWidget(words)
    row.addStretch(1)
    for one in beside:
        row.addWidget(one)
    return row


def _note() -> QLabel:
    label = QLabel(textFormat=Qt.TextFormat.PlainText)
    label.setProperty("role", "muted")
    return label


def _mono() -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(12)
    return font


def _load_row(number: int, one: LoadLine, largest: float) -> tuple[Cell, ...]:
    due = f"{one.due:.1%}".replace("%", " %") if one.due is not None else "–"
    bar = None if one.due is None else one.due / largest
    return (
        Cell(f"{one.worker} · {one.role}" if one.role else one.worker, swatch=number),
        Cell(one.host, muted=True),
        Cell(one.shares),
        Cell(due, bold=True),
        Cell(bar=bar, swatch=number if bar is not None else None),
    )


def _guard_row(one: GuardLine) -> tuple[Cell, ...]:
    return Cell(one.what), Cell(one.limit, bold=True), Cell(one.consequence, muted=True)
