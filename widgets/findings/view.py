"""The findings pane: cards of root causes, worst first, with folded consequences below them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from resources.foreign_text import tooltip_text
from resources.units import format_count
from sessions.findings import Finding, Severity
from viewmodels.finding_labels import EvidenceLookup
from viewmodels.finding_order import STEP, Identity, Kind, Row, VisibleFindings, families, identity, plan_rows
from viewmodels.held_findings import HeldFindings
from viewmodels.verdict_words import VerdictWords
from widgets.findings.card import FindingCard
from widgets.findings.menu import FindingsMenu
from widgets.findings.news import NewsButton
from widgets.findings.outside import OutsideLine
from widgets.findings.verdict import VerdictHead
from widgets.keys import KeyHandlers, KeyRow
from widgets.one_tab_stop import OneTabStop
from widgets.pane import Pane
from widgets.theme import Theme

KEYS = (
    KeyRow("move", "Go from finding to finding", ("Up", "Down", "Home", "End")),
    KeyRow("news", "Show the new findings", ("N",)),
)
_MARGIN = 8
_MIN_WIDTH = 316
"""Name, value and limit of a number side by side; what is narrower cuts limits off."""
_SEVERITIES: dict[Severity, tuple[str, str]] = {
    "critical": ("critical", "critical"),
    "warning": ("warning", "warnings"),
    "info": ("to know", "to know"),
}


class FindingsView(Pane):
    """The pane of cards. Signals: ``wanted`` with the finding whose evidence is to be shown, ``opened`` with
    that whose card the user unfolded.

    One card is open: the first, until the user opens another or folds it. The user's choice is remembered by
    problem and entity, even while the finding is absent for a time. While somebody looks at the cards (the
    pointer or the focus is on them, they are scrolled, or a card was opened by hand) those that are shown
    keep their places; a button says how many new ones wait.
    """

    wanted = Signal(object)
    opened = Signal(object)

    def __init__(self, lookup: EvidenceLookup, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lookup, self._theme = lookup, theme
        self._keys = KeyHandlers(KEYS, {"move": self._move, "news": lambda _key: self._show_news()})
        self._stop = OneTabStop(self, lambda: self._cards, arrows=False)
        self._held = HeldFindings()
        self._cards: list[FindingCard] = []
        self._mores: dict[tuple[str, Identity | Kind], _More] = {}
        self._shown = VisibleFindings()
        self._choice: Identity | None = None
        self._is_folded = False
        self._words: VerdictWords | None = None
        self.head = VerdictHead(theme)
        self.installEventFilter(self.head)
        self._state = QLabel(wordWrap=True)
        self._state.setProperty("role", "muted")
        self._state.setContentsMargins(12, 8, 12, 8)
        self._more = _ghost()
        self._more.clicked.connect(self._show_next)
        self._body = QWidget()
        self._column = QVBoxLayout(self._body)
        self._column.setContentsMargins(10, 4, 10, 10)
        self._column.setSpacing(8)
        self._column.addWidget(self._more)
        self._column.addStretch(1)
        self._scroll = _Scroll(widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._body)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        self._news = NewsButton(theme, self._scroll)
        self._news.clicked.connect(self._show_news)
        outer.addWidget(self._state)
        outer.addWidget(self.head)
        outer.addWidget(self._scroll, 1)
        self.menu = FindingsMenu(self, self._body, lambda: self._cards)
        self.menu.wanted.connect(self.wanted)
        self.outside = OutsideLine(theme)
        outer.addWidget(self.outside)
        self.setMinimumWidth(_MIN_WIDTH)
        self.setAccessibleName("Findings, worst first")
        self.show_note("Open a session: what is wrong in it is shown here.")
        self._fill()

    @property
    def cards(self) -> Sequence[FindingCard]:
        """The cards, top to bottom."""
        return self._cards

    def show_note(self, text: str) -> None:
        """Show a line above the cards; an empty text hides it."""
        self._state.setText(text)
        self._state.setVisible(bool(text))

    def show_verdict(self, words: VerdictWords | None) -> None:
        """Show above the cards what was judged, and up to when; None hides that."""
        self._words = words
        self.head.show_words(words, has_cards=bool(self._held.shown))

    def show_findings(self, findings: Sequence[Finding], *, hold: bool = True) -> None:
        """Show these findings in their order; open cards stay open, and the scroll position is kept.

        While somebody looks at the cards, findings that were not shown before wait behind a button; without
        ``hold`` they don't, because the user asked for other findings.
        """
        self._held.take(
            findings,
            hold=hold and _is_looked_at(self._cards, self._choice, self._scroll),
            wanted=self._choice,
        )
        self._fill()
        self.note_changed.emit(counted(findings))

    def forget(self) -> None:
        """Forget which cards the user opened and folded: another session is shown."""
        self._held = HeldFindings()
        self._shown = VisibleFindings()
        self._choice = None
        self._is_folded = False

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Pass the focus to the open card, else to the first."""
        super().focusInEvent(event)
        chosen = [card for card in self._cards if card.is_open] or self._cards
        if chosen:
            chosen[0].setFocus(Qt.FocusReason.TabFocusReason)

    def event(self, event: QEvent) -> bool:
        """Claim the key Home, on which the window has a shortcut."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and self._keys.has(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Move between the cards."""
        if not self._cards or not self._keys.press(event):
            super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """Show what has waited, when nobody looks at the cards any more."""
        super().leaveEvent(event)
        if self._held.new and not _is_looked_at(self._cards, self._choice, self._scroll):
            self._held.release()
            self._fill()

    def _show_news(self) -> None:
        """Show what has waited, and bring the worst of it into sight."""
        new = {identity(one) for one in self._held.new}
        self._held.release()
        self._fill()
        first = next((card for card in self._cards if identity(card.finding) in new), None)
        if first is not None:
            _lay_out(self._cards, self._body)
            first.setFocus(Qt.FocusReason.OtherFocusReason)
            _bring_into_sight(first, self._scroll)

    def _move(self, key: str) -> None:
        at = next((number for number, card in enumerate(self._cards) if _has_focus(card)), None)
        last = len(self._cards) - 1
        places = {
            "Down": 0 if at is None else min(at + 1, last),
            "Up": last if at is None else max(at - 1, 0),
            "Home": 0,
            "End": last,
        }
        card = self._cards[places[key]]
        card.setFocus(Qt.FocusReason.TabFocusReason)
        _bring_into_sight(card, self._scroll)

    def _fill(self) -> None:
        anchor = _anchor(self._cards, self._scroll)
        groups = families(self._held.shown)
        rows, left = plan_rows(self._held.shown, groups, self._shown)
        old = {identity(card.finding): card for card in self._cards}
        mores, self._mores, self._cards = self._mores, {}, []
        for place, row in enumerate(rows):
            if row.hidden:
                more = self._mores[row.key] = mores.pop(row.key) if row.key in mores else self._more_of()
                more.show_row(row)
                _put(more, place, self._column)
            else:
                is_root = row.what == "cause"
                followers = len(groups[identity(row.finding)]) if is_root else 0
                card = self._card(old, row.finding, is_root=is_root, followers=followers)
                self._cards.append(card)
                _put(card, place, self._column)
        for gone in (*old.values(), *mores.values()):
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        self._open_one()
        for card, following in pairwise(self._cards):
            self.setTabOrder(card.tab_stops[-1], following)
            self.setTabOrder(following, following.tab_stops[1])
        self._stop.renew()
        self._more.setVisible(left > 0)
        self._more.setText(f"Show {format_count(min(left, STEP))} of {format_count(left)} more")
        _hold(anchor, self._cards, self._scroll, self._body)
        self._news.show_new(self._held.new, self._held.newest)
        self.head.show_words(self._words, has_cards=bool(self._held.shown))

    def _card(
        self, old: dict[Identity, FindingCard], finding: Finding, *, is_root: bool, followers: int
    ) -> FindingCard:
        card = old.get(identity(finding))
        if card is not None and card.is_consequence != is_root:
            del old[identity(finding)]
        else:
            card = FindingCard(finding, self._lookup, self._theme, is_consequence=not is_root)
            card.toggled.connect(self._toggled)
            card.wanted.connect(self.wanted)
            card.unfolded.connect(self._unfold)
        card.renew(finding, followers, shows_followers=is_root and identity(finding) in self._shown.unfolded)
        return card

    def _more_of(self) -> _More:
        more = _More()
        more.wanted.connect(self._show_more)
        return more

    def _open_one(self) -> None:
        """Open the card that the user chose if there is one, else the first, unless the user wants none."""
        wanted = next((card for card in self._cards if identity(card.finding) == self._choice), None)
        if wanted is None and self._cards and not self._is_folded:
            wanted = self._cards[0]
        for card in self._cards:
            card.set_open(card is wanted)

    def _toggled(self, card: FindingCard) -> None:
        self._choice = identity(card.finding) if card.is_open else None
        self._is_folded = not card.is_open
        self._open_one()
        if card.is_open:
            _lay_out(self._cards, self._body)
            _bring_into_sight(card, self._scroll)
            self.opened.emit(card.finding)

    def _unfold(self, card: FindingCard, on: bool) -> None:
        root = identity(card.finding)
        if on:
            self._shown.unfolded.add(root)
        else:
            self._shown.unfolded.discard(root)
        self._fill()

    def _show_more(self, row: Row) -> None:
        self._shown.show_more(row)
        self._fill()

    def _show_next(self) -> None:
        self._shown.causes += STEP
        self._fill()


class _More(QPushButton):
    """A button that shows more findings; ``wanted`` carries its row when pressed."""

    wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "ghost")
        self._row: Row | None = None
        self.clicked.connect(lambda: self.wanted.emit(self._row))

    def show_row(self, row: Row) -> None:
        """Show how many findings of what kind the row's button will show."""
        self._row = row
        count = format_count(row.hidden)
        if row.what == "more alike":
            self.setText(f"{count} more with this problem")
            self.setToolTip(tooltip_text(row.finding.title))
        else:
            self.setText(f"{count} more that follow")


class _Scroll(QScrollArea):
    """The scroll area; it leaves the keys that move between cards to the view."""

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Scroll on Page Up and Page Down; ignore all other keys."""
        if event.key() in {Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}:
            super().keyPressEvent(event)
        else:
            event.ignore()


def counted(findings: Sequence[Finding]) -> str:
    """Return how many root causes there are: ``2 critical · 5 warnings``."""
    roots = families(findings)
    counts = Counter(finding.severity for finding in findings if identity(finding) in roots)
    order: tuple[Severity, ...] = ("critical", "warning", "info")
    return " · ".join(
        f"{format_count(counts[one])} {_SEVERITIES[one][counts[one] != 1]}" for one in order if counts[one]
    )


def _is_looked_at(cards: Sequence[FindingCard], choice: Identity | None, scroll: QScrollArea) -> bool:
    """Return True if pointer or focus are on the cards, if they are scrolled, or one was opened by hand."""
    focus = QApplication.focusWidget()
    is_focused = focus is not None and scroll.isAncestorOf(focus)
    is_opened = any(identity(card.finding) == choice for card in cards)
    return is_opened or is_focused or scroll.underMouse() or scroll.verticalScrollBar().value() > 0


def _put(widget: QWidget, place: int, column: QVBoxLayout) -> None:
    if column.indexOf(widget) != place:
        column.insertWidget(place, widget)
        widget.show()  # now, not some events later: it may be given the focus


def _anchor(cards: Sequence[FindingCard], scroll: QScrollArea) -> tuple[FindingCard, int] | None:
    """Return the first visible card and its position; None at the top, where new findings should show."""
    top = scroll.verticalScrollBar().value()
    first = next((card for card in cards if card.geometry().bottom() > top), None)
    return (first, first.y() - top) if top > 0 and first is not None else None


def _hold(
    anchor: tuple[FindingCard, int] | None, cards: Sequence[FindingCard], scroll: QScrollArea, body: QWidget
) -> None:
    """Scroll so that the card is at that position again."""
    if anchor is None or anchor[0] not in cards:
        return
    _lay_out(cards, body)
    scroll.verticalScrollBar().setValue(anchor[0].y() - anchor[1])


def _has_focus(card: QWidget) -> bool:
    focus = card.window().focusWidget()
    return focus is not None and (focus is card or card.isAncestorOf(focus))


def _bring_into_sight(card: FindingCard, scroll: QScrollArea) -> None:
    """Scroll to show the whole card; of one that is taller than the pane its head."""
    scroll.ensureWidgetVisible(card, 0, _MARGIN)
    bar = scroll.verticalScrollBar()
    bar.setValue(min(bar.value(), card.y() - _MARGIN))


def _lay_out(cards: Sequence[QWidget], body: QWidget) -> None:
    """Compute the layout now; otherwise it happens a few events later and everything jumps until then."""
    for card in cards:
        _activate(card)
    _activate(body)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    QCoreApplication.sendEvent(body, QEvent(QEvent.Type.LayoutRequest))


def _activate(widget: QWidget) -> None:
    layout = widget.layout()
    if layout is not None:
        layout.activate()


def _ghost() -> QPushButton:
    button = QPushButton()
    button.setProperty("role", "ghost")
    return button
