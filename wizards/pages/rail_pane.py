"""The pane of the steps: the test's name and badges, its steps, its earlier runs, and the same without a
window.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from resources.foreign_text import shown
from widgets.pane import Pane
from widgets.theme import Theme
from wizards.flows.gallery import Level
from wizards.flows.steps import Step
from wizards.pages.badge import Badge
from wizards.pages.command_box import CommandBox
from wizards.pages.earlier_runs import EarlierRun, EarlierRuns
from wizards.pages.rail import StepsView


class RailPane(Pane):
    """Signals: ``chosen`` with a step's id, ``left`` for all tests, ``recalled`` with a run's id,
    ``copied`` with a message.
    """

    chosen = Signal(str)
    left = Signal()
    recalled = Signal(str)
    copied = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = QLabel(wordWrap=True)
        self._title.setProperty("role", "rail-title")
        self._badges = QHBoxLayout()
        self._badges.setSpacing(4)
        self._levels: tuple[Level, ...] = ()
        self.steps = StepsView(theme)
        self.steps.chosen.connect(self.chosen)
        everything = QPushButton("All tests")
        everything.setProperty("role", "ghost")
        everything.clicked.connect(self.left)
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 8, 0)
        head.addWidget(self._title, 1)
        head.addWidget(everything, 0, Qt.AlignmentFlag.AlignTop)
        badges = QHBoxLayout()
        badges.setContentsMargins(12, 0, 12, 6)
        badges.addLayout(self._badges)
        badges.addStretch(1)
        self._runs_title = QLabel("RUNS OF THIS TEST")
        self._runs_title.setProperty("role", "pane-title")
        self._runs_title.setContentsMargins(12, 10, 12, 4)
        self.runs = EarlierRuns(theme)
        self.runs.recalled.connect(self.recalled)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(badges)
        column.addWidget(self.steps)
        column.addWidget(self._runs_title)
        column.addWidget(self.runs)
        column.addStretch(1)
        self._command = CommandBox()
        self._command.copied.connect(self.copied)
        column.addWidget(self._command)

    def show_test(self, title: str, levels: tuple[Level, ...]) -> None:
        """Show a test's name and safety classes."""
        self._title.setText(shown(title))
        if levels == self._levels:
            return
        self._levels = levels
        _empty(self._badges)
        for level in levels:
            self._badges.addWidget(Badge(self._theme, level, word=level == levels[-1]))

    def show_steps(self, steps: Sequence[Step], shown_step: str) -> None:
        """Show the steps; see ``StepsView``."""
        self.steps.show_steps(steps, shown_step)

    def show_runs(self, runs: Sequence[EarlierRun], shown_run: str) -> None:
        """List the runs of this test, the newest first; ``shown_run`` is the one on the right."""
        self._runs_title.setVisible(bool(runs))
        self.runs.setVisible(bool(runs))
        self.runs.show_runs(runs, shown_run)

    def show_command(self, command: str) -> None:
        """Show the command that does the same, empty for none."""
        self._command.show_command(command)


def _empty(layout: QHBoxLayout) -> None:
    while layout.count():
        item = layout.takeAt(0)
        widget = item.widget() if item is not None else None
        if widget is not None:
            widget.hide()
            widget.deleteLater()
