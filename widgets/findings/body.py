"""The unfolded part of a finding's card: remedies, evidence, causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from resources.foreign_text import breakable, shown
from sessions.findings import Evidence, Finding
from viewmodels.finding_labels import (
    VERDICTS,
    EvidenceLookup,
    by_verdict,
    change_rows,
    evidence_row,
    main_evidence,
)
from widgets.dragging import Draggable

_CHIP = 62
"""The least width of a cause's verdict; a font in which "ruled out" needs more gets it."""
_ROWS = 6
"""Number of evidence rows before the rest is folded, so that the causes are visible at 1280×720."""


@dataclass(frozen=True, slots=True)
class Unfolded:
    """What the user unfolded in a card, and which of its buttons has the focus."""

    steps: bool = False
    evidence: bool = False
    focus: str = ""


class CardBody(QWidget):
    """The content below a card's conclusion. ``wanted`` is emitted by the button "Show me".

    The buttons come first, so that they are visible however much evidence there is.
    """

    wanted = Signal()

    def __init__(self, finding: Finding, lookup: EvidenceLookup, unfolded: Unfolded) -> None:
        super().__init__()
        self._finding, self._lookup = finding, lookup
        self._all = unfolded.evidence
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 4, 0, 0)
        self._column.setSpacing(8)
        self._steps = self._make_steps()
        self._column.addLayout(self._make_actions())
        self._column.addWidget(self._steps)
        for note in finding.notes:  # beside the steps: it may say that they come too late
            self._column.addWidget(text_label(note, "faint"))
        self._numbers = self._make_evidence()
        self._column.addWidget(self._numbers)
        self._column.addLayout(self._make_causes())
        if finding.changes:
            self._column.addWidget(self._make_changes())
        self._what.setChecked(unfolded.steps)
        self._steps.setVisible(unfolded.steps)

    @property
    def unfolded(self) -> Unfolded:
        """The parts that are unfolded now."""
        focus = self.focusWidget()
        held = focus.objectName() if focus is not None and focus.hasFocus() else ""
        return Unfolded(self._what.isChecked(), self._all, held)

    def tab_stops(self) -> list[QWidget]:
        """Return the widgets that Tab visits, top to bottom."""
        evidence = self._numbers.findChild(QPushButton, "evidence")
        return [self._show, self._what, *([evidence] if evidence is not None else [])]

    def take_focus(self, name: str) -> None:
        """Focus the button called ``name``, which had the focus before the body was rebuilt."""
        button = self.findChild(QPushButton, name) if name else None
        if button is not None:
            button.setFocus()

    def _make_actions(self) -> QHBoxLayout:
        self._show = show = _button("Show me", "show")
        show.setProperty("role", "primary")
        show.setToolTip("Scope and charts go to this finding's evidence")
        show.clicked.connect(lambda _on: self.wanted.emit())
        self._what = _button("What to do", "steps")
        self._what.setCheckable(True)
        self._what.setEnabled(bool(self._finding.remedies))
        self._what.setToolTip(_tip_of_steps(self._finding))
        self._what.toggled.connect(self._steps.setVisible)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(show)
        row.addWidget(self._what)
        row.addStretch(1)
        return row

    def _make_evidence(self) -> QWidget:
        box = QWidget()
        grid = _grid(box, columns=3, widest=0, gaps=(10, 3))
        items = self._finding.evidence if self._all else main_evidence(self._finding, _ROWS)
        for number, item in enumerate(items):
            row = evidence_row(item, self._lookup)
            value = text_label(row.value, "", wrap=False)
            value.setStyleSheet("font-weight: 600; font-size: 12px")
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            limit = text_label(row.limit, "faint", wrap=False)
            limit.setAlignment(Qt.AlignmentFlag.AlignTop)
            what = _small(row.what)
            Draggable(what, partial(self._dragged, item))
            grid.addWidget(what, number, 0)
            grid.addWidget(value, number, 1)
            grid.addWidget(limit, number, 2)
        hidden = len(self._finding.evidence) - len(items)
        if hidden or self._all:
            more = _button(_more_label(hidden), "evidence")
            more.setProperty("role", "ghost")
            more.setStyleSheet("padding: 1px 4px 1px 0; text-align: left; font-size: 12px")
            more.clicked.connect(self._toggle_evidence)
            grid.addWidget(more, len(items), 0, 1, 3, Qt.AlignmentFlag.AlignLeft)
        return box

    def _dragged(self, item: Evidence, _at: QPoint) -> tuple[Sequence[int], str]:
        return self._lookup.series(self._finding, item), shown(evidence_row(item, self._lookup).what)

    def _toggle_evidence(self) -> None:
        self._all = not self._all
        old, self._numbers = self._numbers, self._make_evidence()
        self._column.replaceWidget(old, self._numbers)
        self._numbers.show()
        old.hide()
        old.deleteLater()
        self.setTabOrder(self.tab_stops()[-2], self.tab_stops()[-1])
        self.take_focus("evidence")

    def _make_causes(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        for number, (verdict, title, because) in enumerate(by_verdict(self._finding)):
            chip = QLabel(verdict)
            chip.setProperty("role", "chip")
            chip.setProperty("state", VERDICTS[verdict])
            chip.setAlignment(Qt.AlignmentFlag.AlignCenter)
            chip.setMinimumWidth(_CHIP)
            chip.setFixedHeight(18)
            text = title if verdict == "ruled out" and not because else f"{title}. {because}".rstrip()
            grid.addWidget(chip, number, 0, Qt.AlignmentFlag.AlignTop)
            words = _small(text)
            if verdict == "ruled out":  # it must not read like an accusation
                words.setProperty("role", "muted")
            grid.addWidget(words, number, 1)
        return grid

    def _make_changes(self) -> QWidget:
        """Return the list of events shortly before the problem, which may have caused it."""
        box = QWidget()
        grid = _grid(box, columns=2, widest=1, gaps=(8, 3))
        title = text_label("SHORTLY BEFORE", "caps", wrap=False)
        grid.addWidget(title, 0, 0, 1, 2)
        for number, (when, what) in enumerate(change_rows(self._finding), start=1):
            label = text_label(when, "faint", wrap=False)
            label.setStyleSheet("font-size: 12px")
            grid.addWidget(label, number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(_small(what), number, 1)
        return box

    def _make_steps(self) -> QWidget:
        box = QWidget()
        grid = _grid(box, columns=2, widest=1, gaps=(8, 4))
        for number, step in enumerate(self._finding.remedies):
            count = text_label(f"{number + 1}.", "muted", wrap=False)
            count.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
            label = _small(step)
            label.setText(shown(step, 600))  # as it is: somebody may copy a command out of it
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(count, number, 0)
            grid.addWidget(label, number, 1)
        return box


def _tip_of_steps(finding: Finding) -> str:
    """Return what the steps are, or why there are none."""
    if finding.remedies:
        return "The steps that mend it, with the place of each setting"
    if finding.consequence_of is not None:
        return "It follows from another finding: mend that one, by its steps."
    return "No cause of it is likely or possible, so there is no step: the causes say which numbers decide."


def text_label(text: str, role: str, *, wrap: bool = True) -> QLabel:
    """Return a label that shows foreign text literally."""
    label = QLabel(
        breakable(shown(text, 600)) if wrap else shown(text, 600),
        textFormat=Qt.TextFormat.PlainText,
        wordWrap=wrap,
    )
    if role:
        label.setProperty("role", role)
    return label


def _button(text: str, name: str) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    return button


def _small(text: str) -> QLabel:
    label = text_label(text, "")
    label.setStyleSheet("font-size: 12px")
    return label


def _grid(box: QWidget, *, columns: int, widest: int, gaps: tuple[int, int]) -> QGridLayout:
    grid = QGridLayout(box)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(gaps[0])
    grid.setVerticalSpacing(gaps[1])
    for column in range(columns):
        grid.setColumnStretch(column, int(column == widest))
    return grid


def _more_label(hidden: int) -> str:
    if not hidden:
        return "Fewer numbers"
    return "and 1 more number" if hidden == 1 else f"and {hidden} more numbers"
