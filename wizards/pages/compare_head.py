"""The head of the Compare page: the answer in a sentence, counts as chips, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import breakable, shown
from resources.units import format_count
from viewmodels.comparison_page import PageHead
from widgets.elided_label import ElidedLabel
from widgets.theme import Theme
from wizards.flows.result_sheet import Chip
from wizards.pages.fact_list import SymbolView
from wizards.pages.result_head import ChipsView


class CompareHead(QFrame):
    """Signals: ``copied`` and ``saved`` when the command or the table is wanted; ``cancelled``; ``again``;
    ``put`` to put the comparison into the report.
    """

    copied = Signal()
    saved = Signal()
    put = Signal()
    cancelled = Signal()
    again = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._symbol = SymbolView(theme)
        self.line = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.line.setProperty("role", "page-title")
        self._chips = ChipsView(theme)
        self._chips.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._about = ElidedLabel()
        self._about.setProperty("role", "muted")
        self._limits = ElidedLabel()
        self._limits.setProperty("role", "muted")
        self.problems = ElidedLabel()
        self._has_result = False
        self.bar = QProgressBar(maximum=1000, textVisible=False)
        self.bar.setAccessibleName("How far the comparison is")
        self.bar.setMaximumHeight(6)
        self.command = QPushButton("Copy command")
        self.csv = QPushButton("CSV…")
        self.csv.setAccessibleName("Save the table as CSV")
        self.report = QPushButton("Report")
        self.report.setAccessibleName("Put into the report")
        self.report.setToolTip("Put this comparison into the report (Ctrl+Shift+A)")
        self.cancel = QPushButton("Cancel")
        self.renew = QPushButton("Compare again")
        self.renew.setProperty("role", "primary")
        for button, signal in (
            (self.command, self.copied),
            (self.csv, self.saved),
            (self.cancel, self.cancelled),
            (self.report, self.put),
            (self.renew, self.again),
        ):
            button.clicked.connect(signal)
        self._arrange()
        theme.changed.connect(self._dress)
        self._dress()

    def _arrange(self) -> None:
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self._chips)
        below.addWidget(self._about, 1)
        below.addStretch()  # without it this row, hidden, holds the words as narrow as can be
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(self.line)
        words.addLayout(below)
        words.addWidget(self.problems)
        words.addWidget(self._limits)
        words.addWidget(self.bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 16, 8)
        row.setSpacing(10)
        row.addWidget(self._symbol, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        for button in (self.renew, self.cancel, self.report, self.command, self.csv):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)

    def show_head(self, head: PageHead, *, has_grown: bool) -> None:
        """Show the answer; ``has_grown`` if the session has more samples than were compared."""
        self._has_result = True
        self._symbol.show_state(head.state)
        self.line.setText(breakable(shown(head.line, 300)))
        chips = (
            Chip(f"{format_count(head.better)} better", "ok" if "better" in head.sure else "part"),
            Chip(f"{format_count(head.worse)} worse", "critical" if "worse" in head.sure else "part"),
            Chip(f"{format_count(head.to_know)} to know", "info"),
        )
        self._chips.show_chips(chips)
        self._chips.setFixedWidth(self._chips.wanted_width())
        self._about.show_text(head.about)
        notes = [head.limits] * bool(head.limits)
        if has_grown:
            notes.append("The session has grown since: Compare again takes the new samples in.")
        self._limits.show_text(" ".join(notes))
        self._show(line=True, about=True, limits=bool(notes), busy=False, renew=has_grown)
        self.setAccessibleName(f"Comparison: {shown(head.line, 300)} {head.about}")

    def show_problems(self, text: str) -> None:
        """Show beside a result which known problems only one side has; empty for none."""
        self.problems.show_text(text)
        self.problems.setVisible(self._has_result and bool(text))

    def show_words(self, line: str, about: str, *, renew: bool = False) -> None:
        """Show a sentence without a result: why there is none."""
        self._has_result = False
        self._symbol.show_state("none")
        self.line.setText(breakable(shown(line, 300)))
        self._about.show_text(about)
        self._chips.show_chips(())
        self._show(line=True, about=bool(about), limits=False, busy=False, renew=renew)
        self.report.hide()

    def show_progress(self, part: float, text: str) -> None:
        """Show how far the comparison is."""
        self._has_result = False
        self._symbol.show_state("none")
        self.line.setText("Comparing…")
        self._chips.show_chips(())
        self._about.show_text(text)
        self.bar.setValue(round(part * 1000))
        self._show(line=True, about=True, limits=False, busy=True, renew=False)

    def _show(self, *, line: bool, about: bool, limits: bool, busy: bool, renew: bool) -> None:
        self.line.setVisible(line)
        self._about.setVisible(about)
        self.problems.setVisible(self._has_result and bool(self.problems.text()))
        self._limits.setVisible(limits)
        self.bar.setVisible(busy)
        self.cancel.setVisible(busy)
        self.renew.setVisible(renew)
        for button in (self.command, self.csv, self.report):
            button.setVisible(not busy)

    def _dress(self) -> None:
        icons, tokens = self._theme.icons, self._theme.tokens
        self.command.setIcon(icons.get("copy"))
        self.csv.setIcon(icons.get("export"))
        self.report.setIcon(icons.get("add"))
        self.renew.setIcon(icons.get("refresh", tokens.on_accent))
