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

_MOST_CARDS = 24
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
        first = not self._cards
        old = {_identity(card.finding): card for card in self._cards}
        followers = Counter(finding.consequence_of for finding in self._findings if finding.consequence_of)
        chosen = list(self._in_order())
        shown_now = chosen if self._all else chosen[:_MOST_CARDS]
        self._cards = []
        for number, finding in enumerate(shown_now):
            count = followers[finding.problem, finding.entity]
            card = old.pop(_identity(finding), None) or self._make(finding, count)
            card.renew(finding, count)
            if self._column.indexOf(card) != number:
                self._column.insertWidget(number, card)
            self._cards.append(card)
        for gone in old.values():
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        if first and self._cards:
            self._cards[0].set_open(True)
        hidden = len(chosen) - len(shown_now)
        self._more.setVisible(hidden > 0)
        self._more.setText(f"Show {hidden} more")

    def _make(self, finding: Finding, followers: int) -> FindingCard:
        card = FindingCard(finding, followers, self._label, self._theme)
        card.opened.connect(self._opened)
        card.wanted.connect(self.wanted)
        return card

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
