"""The sources pane: a card for each source with its state, pace, delay, gaps and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import breakable, shown
from viewmodels.text_table import TextTable
from widgets.context_menu import ContextMenu, Entries, MenuEntry, table_entries
from widgets.pane import Pane
from widgets.theme import SYMBOLS, Health, Theme

_LONGEST = 1_000
_NAME = 60
_COLUMNS = 2


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What is shown of a source. ``source`` is its id (0: a connection that has none yet), ``facts`` are
    labels with their values, ``message`` is what is wrong. ``address``: it can be taken out of the recording.
    ``certificate``: the address of one that shows another certificate than before. ``login``: that of one
    whose password was refused.
    """

    title: str
    kind: str
    health: Health
    state: str
    facts: tuple[tuple[str, str], ...] = ()
    message: str = ""
    source: int = 0
    gaps: bool = False
    address: str = ""
    certificate: str = ""
    login: str = ""


class SourcesView(Pane):
    """The pane.

    Signals: ``chosen`` with the id of a source that alone is to be shown; ``gaps_wanted`` with that of one
    whose gaps are to be shown; ``removed`` with the address of one that is to be recorded no longer;
    ``added`` when one more is wanted; ``certificate_wanted`` with the address of one whose changed
    certificate is to be looked at; ``login_wanted`` with that of one whose password was refused; ``copied``
    with a message; ``save_wanted`` with a FileOffer.
    """

    chosen = Signal(object)
    gaps_wanted = Signal(object)
    removed = Signal(str)
    added = Signal()
    certificate_wanted = Signal(str)
    login_wanted = Signal(str)
    copied = Signal(str)
    save_wanted = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.cards: list[SourceCard] = []
        self._sources: Sequence[SourceFacts] = ()
        ContextMenu(self, self._entries)
        self._none = QLabel("What is recorded is listed here, with how it is doing.", wordWrap=True)
        self._none.setProperty("role", "muted")
        self.add = QPushButton("Add a source…")
        self.add.setProperty("role", "ghost")
        self.add.setIcon(theme.icons.get("add"))
        self.add.clicked.connect(self.added)
        self._inner = QWidget()
        self._column = QVBoxLayout(self._inner)
        self._column.setContentsMargins(8, 4, 8, 8)
        self._column.setSpacing(8)
        self._column.addWidget(self._none)
        self._column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addStretch(1)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(self._inner)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(scroll)
        theme.changed.connect(self._dress)
        self.show_sources([], can_add=False)

    def show_sources(self, sources: Sequence[SourceFacts], *, can_add: bool) -> None:
        """Show these sources in their order; a card that stays keeps the focus."""
        self._sources = list(sources)
        while len(self.cards) > len(sources):
            gone = self.cards.pop()
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        while len(self.cards) < len(sources):
            card = SourceCard(self._theme)
            card.certificate_wanted.connect(self.certificate_wanted)
            card.login_wanted.connect(self.login_wanted)
            self._column.insertWidget(1 + len(self.cards), card)
            self.cards.append(card)
        for card, one in zip(self.cards, sources, strict=True):
            card.show_source(one)
        self._none.setVisible(not sources)
        self.add.setVisible(can_add)
        troubled = sum(one.health in {"critical", "warning"} for one in sources)
        self.note_changed.emit(
            f"{len(sources)} · {troubled} in trouble" if troubled else str(len(sources) or "")
        )

    def content_height(self) -> int:
        """Return the height in which all cards can be seen."""
        return self._inner.sizeHint().height()

    def _entries(self, at: QPoint | None) -> Entries:
        card = self._card_at(at)
        of_one: list[MenuEntry | None] = []
        if card is not None:
            one, name = card.facts, shown(card.facts.title, _NAME)
            if one.source:
                of_one.append(MenuEntry(f"Show only {name}", partial(self.chosen.emit, one.source)))
            if one.source and one.gaps:
                of_one.append(MenuEntry("Show its gaps", partial(self.gaps_wanted.emit, one.source)))
            if one.address:
                of_one.append(MenuEntry(f"Record {name} no longer", partial(self.removed.emit, one.address)))
            of_one.append(None)
        some = bool(self._sources)
        return [*of_one, *table_entries(self._table, self.copied.emit, self.save_wanted.emit, enabled=some)]

    def _card_at(self, at: QPoint | None) -> SourceCard | None:
        if at is None:
            return next((card for card in self.cards if card.hasFocus()), None)
        inside = self._inner.mapFrom(self, at)
        return next((card for card in self.cards if card.geometry().contains(inside)), None)

    def _table(self) -> TextTable:
        labels = list(dict.fromkeys(label for one in self._sources for label, _ in one.facts))
        rows = (
            (
                one.title,
                one.kind,
                one.state,
                *(dict(one.facts).get(label, "") for label in labels),
                one.message,
            )
            for one in self._sources
        )
        heads = ("source", "kind", "state", *(label.lower() for label in labels), "message")
        return TextTable("Sources", heads, tuple(rows))

    def _dress(self) -> None:
        self.add.setIcon(self._theme.icons.get("add"))
        for card in self.cards:
            card.dress()


class SourceCard(QFrame):
    """The card of one source; it can have the keyboard, for its menu.

    Signals, with the address of the source: ``certificate_wanted`` when its changed certificate is to be
    looked at, ``login_wanted`` when another password is to be given.
    """

    certificate_wanted = Signal(str)
    login_wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.facts = SourceFacts("", "", "none", "")
        self.setProperty("role", "card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._symbol = QLabel()
        self._title = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._title.setProperty("role", "title")
        self._state = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._kind = _muted()
        self._message = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.compare = QPushButton("Compare the thumbprints…")
        self.compare.clicked.connect(lambda: self.certificate_wanted.emit(self.facts.certificate))
        self.compare.hide()
        self.log_in = QPushButton("Another password…")
        self.log_in.clicked.connect(lambda: self.login_wanted.emit(self.facts.login))
        self.log_in.hide()
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._symbol, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._title, 1)
        head.addWidget(self._state, 0, Qt.AlignmentFlag.AlignTop)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(2)
        self._cells: list[tuple[QLabel, QLabel]] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 10)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._kind)
        column.addWidget(self._message)
        column.addWidget(self.compare, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.log_in, 0, Qt.AlignmentFlag.AlignLeft)
        column.addLayout(self._grid)

    def show_source(self, facts: SourceFacts) -> None:
        """Show how the source is doing now."""
        if facts == self.facts:
            return
        self.facts = facts
        self._title.setText(breakable(shown(facts.title)))
        self._state.setText(shown(facts.state, _NAME))
        self._kind.setText(facts.kind)
        self._message.setText(breakable(shown(facts.message, _LONGEST)))
        self._message.setVisible(bool(facts.message))
        self.compare.setVisible(bool(facts.certificate))
        self.log_in.setVisible(bool(facts.login))
        self._show_facts(facts.facts)
        spoken = (
            facts.title,
            facts.kind,
            facts.state,
            *(" ".join(one) for one in facts.facts),
            facts.message,
        )
        self.setAccessibleName(", ".join(filter(None, spoken)))
        self.dress()

    def dress(self) -> None:
        """Use the theme's colours."""
        tokens, health = self._theme.tokens, self.facts.health
        self._symbol.setText(SYMBOLS[health])
        for label in (self._symbol, self._state):
            label.setStyleSheet(f"color: {tokens.health(health)}")
        self._message.setStyleSheet(f"color: {tokens.warning if health != 'critical' else tokens.critical}")

    def _show_facts(self, facts: Sequence[tuple[str, str]]) -> None:
        while len(self._cells) < len(facts):
            number = len(self._cells)
            cells = _muted(), QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
            cells[0].setAlignment(Qt.AlignmentFlag.AlignTop)
            for column, cell in enumerate(cells):
                self._grid.addWidget(cell, number, column)
            self._grid.setColumnStretch(_COLUMNS - 1, 1)
            self._cells.append(cells)
        for number, (label, value) in enumerate(self._cells):
            there = number < len(facts)
            label.setVisible(there)
            value.setVisible(there)
            if there:
                label.setText(facts[number][0])
                value.setText(shown(facts[number][1], _NAME))


def _muted() -> QLabel:
    label = QLabel(textFormat=Qt.TextFormat.PlainText)
    label.setProperty("role", "muted")
    return label
