"""The findings pane: worst first, what follows from a cause folded beneath it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from sessions.findings import Finding, Severity
from sessions.model import EntityRef
from widgets.findings.card import FindingCard
from widgets.findings.words import Label
from widgets.pane import Pane
from widgets.theme import Theme

_MOST_CARDS = 60
_WORDS: dict[Severity, tuple[str, str]] = {
    "critical": ("critical", "critical"),
    "warning": ("warning", "warnings"),
    "info": ("to know", "to know"),
}


class FindingsView(Pane):
    """Signal ``wanted`` carries the finding whose evidence is to be shown."""

    wanted = Signal(object)

    def __init__(self, label: Label, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label, self._theme = label, theme
        self._findings: Sequence[Finding] = ()
        self._cards: list[FindingCard] = []
        self._all = False
        self._state = QLabel(wordWrap=True)
        self._state.setProperty("role", "muted")
        self._state.setContentsMargins(12, 8, 12, 8)
        self._more = QPushButton()
        self._more.setProperty("role", "ghost")
        self._more.clicked.connect(self._show_all)
        body = QWidget()
        self._column = QVBoxLayout(body)
        self._column.setContentsMargins(10, 4, 10, 10)
        self._column.setSpacing(8)
        self._column.addWidget(self._more)
        self._column.addStretch(1)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(body)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self._state)
        outer.addWidget(scroll, 1)
        self.say("Open a session: what is wrong in it is shown here.")
        self._fill()

    @property
    def cards(self) -> Sequence[FindingCard]:
        """What is shown, top to bottom."""
        return self._cards

    def say(self, text: str) -> None:
        """A line above the cards; empty hides it."""
        self._state.setText(text)
        self._state.setVisible(bool(text))

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Show these, worst first as they come; what was open stays open."""
        self._findings = findings
        self._fill()
        self.note_changed.emit(counted(findings))

    def _fill(self) -> None:
        was_open = {_identity(card.finding) for card in self._cards if card.is_open}
        first = not self._cards
        for card in self._cards:
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        followers = Counter(finding.consequence_of for finding in self._findings if finding.consequence_of)
        chosen = list(self._in_order())
        hidden = len(chosen) - _MOST_CARDS if not self._all else 0
        self._cards = []
        for number, finding in enumerate(chosen[: _MOST_CARDS if not self._all else None]):
            card = FindingCard(finding, followers[finding.problem, finding.entity], self._label, self._theme)
            card.opened.connect(self._opened)
            card.wanted.connect(self.wanted)
            self._column.insertWidget(number, card)
            self._cards.append(card)
            card.set_open(_identity(finding) in was_open or (first and number == 0))
        self._more.setVisible(hidden > 0)
        self._more.setText(f"Show {hidden} more")

    def _in_order(self) -> Iterator[Finding]:
        """Causes in their order, each followed by what follows from it once it is asked for."""
        for finding in self._findings:
            if finding.consequence_of is None or self._all:
                yield finding

    def _opened(self, card: FindingCard) -> None:
        for other in self._cards:
            if other is not card:
                other.set_open(False)

    def _show_all(self) -> None:
        self._all = True
        self._fill()


def counted(findings: Sequence[Finding]) -> str:
    """``2 critical · 5 warnings``: causes only, as the cards show them."""
    counts = Counter(finding.severity for finding in findings if finding.consequence_of is None)
    order: tuple[Severity, ...] = ("critical", "warning", "info")
    return " · ".join(f"{counts[one]} {_WORDS[one][counts[one] != 1]}" for one in order if counts[one])


def _identity(finding: Finding) -> tuple[str, EntityRef]:
    return finding.problem, finding.entity
