"""The Troubleshoot page: the symptom as a sentence, the checks in groups, the chosen one in detail."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from sessions.clock import Clock
from sessions.troubleshooting import TroubleshootingRun, Verification
from sessions.verdicts import CheckVerdict
from widgets.elided_label import ElidedLabel
from widgets.empty_state import EmptyState
from widgets.keys import KeyHandlers
from widgets.theme import Theme
from wizards.flows.result_sheet import Chip
from wizards.flows.troubleshooting.check_charts import CheckChart
from wizards.flows.troubleshooting.page_rows import (
    Line,
    ListRow,
    checks_now,
    counts_of,
    first_row,
    found_only,
)
from wizards.pages.result_head import ChipsView
from wizards.pages.troubleshoot_bar import SymptomBar
from wizards.pages.troubleshoot_detail import CheckDetail
from wizards.pages.troubleshoot_keys import PAGE_KEYS
from wizards.pages.troubleshoot_list import ChecksList

_CHIPS: tuple[tuple[CheckVerdict, str, str], ...] = (
    ("problem", "problem", "problems"),
    ("suspected", "suspected", "suspected"),
    ("not found", "not found", "not found"),
)


class TroubleshootPage(QWidget):
    """The page. ``bar``, ``list`` and ``detail`` are joined by whoever makes it.

    Signals: ``appeared`` with whether it is seen; ``verify_wanted`` and ``again`` for the keys;
    ``act_wanted`` when the button of the empty page is pressed.
    """

    appeared = Signal(bool)
    verify_wanted = Signal()
    again = Signal()
    act_wanted = Signal()

    def __init__(self, theme: Theme, clock: Callable[[], Clock], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: Sequence[Line] = ()
        self._run: TroubleshootingRun | None = None
        self._again: Verification | None = None
        self._charts: Mapping[str, CheckChart] = {}
        self._problem = ""
        self.bar = SymptomBar(theme)
        self.list = ChecksList(theme)
        self.detail = CheckDetail(theme, clock)
        self.empty = EmptyState()
        self.wait = EmptyState()
        self.chips = ChipsView(theme)
        self.found = QCheckBox("Found only")
        self.found.setToolTip("Only what was found (F)")
        self.note = ElidedLabel()
        self.note.setProperty("role", "muted")
        self._keys = KeyHandlers(
            PAGE_KEYS,
            {
                "found": lambda _key: self.found.toggle(),
                "verify": lambda _key: self.verify_wanted.emit(),
                "note": lambda _key: self.detail.write_note(),
                "again": lambda _key: self.again.emit(),
            },
        )
        self.setAccessibleName("Troubleshoot")
        self._arrange()
        self.found.toggled.connect(lambda _on: self._show_list())
        self.list.chosen.connect(self._choose)
        self.detail.checked.connect(self._show_problem)
        self.empty.wanted.connect(self.act_wanted)

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(12, 7, 12, 7)
        head.setSpacing(8)
        head.addWidget(self.chips, 1)
        head.addWidget(self.found)
        left = QWidget()
        left.setProperty("role", "pane")
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        notes = QHBoxLayout()
        notes.setContentsMargins(12, 4, 12, 6)
        notes.addWidget(self.note)
        column.addLayout(notes)
        left.setMinimumWidth(260)
        self._right = QStackedWidget()
        self._right.addWidget(self.detail)
        self._right.addWidget(self.wait)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(1)
        split.addWidget(left)
        split.addWidget(self._right)
        split.setStretchFactor(0, 0)
        split.setStretchFactor(1, 1)
        split.setSizes([370, 780])
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(split)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.bar)
        whole.addWidget(self._stack, 1)
        self.setFocusProxy(self.list)

    def show_nothing(self, reason: str, button: str = "") -> None:
        """Show why nothing is looked into, and what helps."""
        self._run, self._lines = None, ()
        self.bar.hide()
        self.empty.show_reason(reason, button)
        self._stack.setCurrentIndex(0)

    def show_checking(self, lines: Sequence[Line], words: str) -> None:
        """Show hollow rows while the checks run, unless the same symptom has been judged before."""
        self.bar.show()
        if self._run is None:
            self._lines = lines
            self.list.forget()
            self.list.show_lines(lines, "")
            self.chips.show_chips(())
            self.note.show_text("")  # what an earlier run could not judge
            self.wait.show_reason(words)
            self._right.setCurrentIndex(1)
        self._stack.setCurrentIndex(1)

    def forget(self) -> None:
        """Another symptom is looked into from now on."""
        self._run, self._again, self._problem = None, None, ""
        self.list.forget()
        self.detail.steps.forget_lab()

    def show_run(
        self,
        run: TroubleshootingRun,
        lines: Sequence[Line],
        charts: Mapping[str, CheckChart],
        again: Verification | None,
    ) -> None:
        """Show a run, with the verification that was made of it."""
        self._run, self._lines, self._charts, self._again = run, lines, charts, again
        self.bar.show()
        self._stack.setCurrentIndex(1)
        counts = counts_of(lines)
        states = {"problem": "critical", "suspected": "warning", "not found": "part"}
        chips = []
        for verdict, one, several in _CHIPS:
            number = counts[verdict]
            if number or verdict != "suspected":
                state = states[verdict] if number else ("ok" if verdict == "problem" else "part")
                chips.append(Chip(f"{number} {one if number == 1 else several}", state))  # type: ignore[arg-type]
        self.chips.show_chips(tuple(chips))
        open_ = counts["insufficient data"]
        self.note.show_text(
            f"{open_} could not be judged: each says what is missing"
            if open_
            else "All that applies was judged"
        )
        self._show_list()
        if self.list.current is not None:
            self._choose(self.list.current)

    def _show_list(self) -> None:
        if self._run is None:
            return
        lines = found_only(self._lines) if self.found.isChecked() else self._lines
        if not lines:
            self.wait.show_reason("Nothing was found here: take the tick off Found only to see all checks.")
            self._right.setCurrentIndex(1)
        self.list.show_lines(lines, first_row(self._run, self._lines, self._again))

    def _choose(self, row: ListRow) -> None:
        if self._run is None or row.verdict is None:
            return
        problem = self._problem if self._problem in row.problems else row.leading
        self._show_problem(problem)

    def _show_problem(self, problem: str) -> None:
        run, row = self._run, self.list.current
        if run is None or row is None:
            return
        self._problem = problem
        now = checks_now(run, self._again)
        check = now.get(problem) or run.check(problem)
        if check is None:
            return
        before = run.check(problem) if self._again is not None and self._again.state == "done" else None
        others = [now[one] for one in row.problems if one in now]
        self.setProperty("topic", f"problems#{problem}")  # of the help
        self.detail.show_check(check, self._charts.get(problem), before, others)
        self._right.setCurrentIndex(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handle the keys of the page; Escape leaves the note."""
        field = self.focusWidget()
        if event.key() == Qt.Key.Key_Escape and isinstance(field, QLineEdit):
            self.list.setFocus()
        elif not self._keys.press(event):
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Say that the page is seen."""
        super().showEvent(event)
        self.appeared.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Say that it is not seen any more."""
        super().hideEvent(event)
        self.appeared.emit(False)
