"""The gallery of guided tests: cards in groups, a filter, and the bar of a run that was interrupted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown
from widgets.elided_label import ElidedLabel
from widgets.search_field import SearchField
from widgets.theme import Theme
from wizards.flows.gallery import (
    LEVEL_MEANINGS,
    LEVEL_WORDS,
    CardFilter,
    CardGroup,
    Interrupted,
    TestCard,
    chosen_cards,
    count_of,
)
from wizards.pages.badge import Badge
from wizards.pages.card import CardView

_COLUMN_WIDTH, _MAX_ACROSS = 352, 3
_SEARCH_WIDTHS = 96, 170
_FILTERS: tuple[tuple[CardFilter, str], ...] = (
    ("all", "All"),
    ("here", "Work here"),
    ("reads", "Reads only"),
)
_STEPS = {Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Down: (1, 0), Qt.Key.Key_Up: (-1, 0)}


class InterruptedBar(QFrame):
    """Says that a run did not end by itself, or left changes behind.

    Signals, each with the run's id: ``restored``, ``resumed``, ``journal_wanted``.
    """

    restored = Signal(str)
    resumed = Signal(str)
    journal_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "message")
        self.setProperty("state", "warning")
        self._run = ""
        self._text = QLabel(textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self.restore, self.resume, journal = (
            QPushButton(text) for text in ("Restore now", "Resume", "Show journal")
        )
        self.restore.setProperty("role", "primary")
        journal.setProperty("role", "ghost")
        self.restore.setToolTip("Put everything back that the run changed and did not put back")
        self.resume.setToolTip("Go on with the phase in which it ended")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(8)
        row.addWidget(self._text, 1)
        for button in (self.restore, self.resume, journal):
            row.addWidget(button)
        self.restore.clicked.connect(lambda: self.restored.emit(self._run))
        self.resume.clicked.connect(lambda: self.resumed.emit(self._run))
        journal.clicked.connect(lambda: self.journal_wanted.emit(self._run))

    def show_run(self, run: Interrupted | None) -> None:
        """Show this run, or with None hide the bar."""
        self.setVisible(run is not None)
        if run is not None:
            self._run = run.run
            self._text.setText(f"<b>{_html(run.title)}</b> {_html(run.text)}")
            self.setAccessibleName(f"{run.title} {run.text}")
            self.resume.setVisible(run.can_resume)
            state = "critical" if run.has_ended else "warning"
            if self.property("state") != state:
                self.setProperty("state", state)
                self.style().unpolish(self)
                self.style().polish(self)


class GalleryView(QWidget):
    """The page.

    Signals: ``chosen`` and ``set_up`` with a test's id, ``recalled`` with a run's,
    ``plan_wanted`` for a plan's file; those of ``bar``.
    """

    chosen = Signal(str)
    set_up = Signal(str)
    recalled = Signal(str)
    plan_wanted = Signal()

    def __init__(self, theme: Theme, date: Callable[[int], str], parent: QWidget | None = None) -> None:
        """``date`` returns a time (ms) as the day that a card shows."""
        super().__init__(parent)
        self._theme, self._date = theme, date
        self._groups: Sequence[CardGroup] = ()
        self._which: CardFilter = "all"
        self._across = _MAX_ACROSS
        self.cards: list[CardView] = []
        self._titles: list[QLabel] = []
        self.bar = InterruptedBar()
        self.bar.hide()
        self._nothing = QLabel("No test is called so. Clear the search to see all.", wordWrap=True)
        self._nothing.setProperty("role", "muted")
        self._nothing.hide()
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(6)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(10)
        column.addLayout(self._head())
        column.addWidget(self.bar)
        column.addWidget(self._nothing)
        column.addLayout(self._grid)
        column.addLayout(self._legend())
        column.addStretch(1)
        self._area = QScrollArea(widgetResizable=True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(body)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._area)
        self.setFocusProxy(self.search)

    def show_groups(self, groups: Sequence[CardGroup]) -> None:
        """Show these groups of cards, as far as filter and search leave them."""
        self._groups = groups
        self._show()

    def show_interrupted(self, run: Interrupted | None) -> None:
        """Show the run that was interrupted, or with None no bar."""
        self.bar.show_run(run)

    def take_focus(self) -> None:
        """Give the keys to the first card."""
        self._focus_first()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Lay the page out anew: the scroll area missed what changed in it while it was hidden."""
        super().showEvent(event)
        body = self._area.widget()
        if body is not None:
            QApplication.postEvent(body, QEvent(QEvent.Type.LayoutRequest))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Put as many cards side by side as fit."""
        super().resizeEvent(event)
        across = max(1, min(_MAX_ACROSS, (self.width() - 32) // _COLUMN_WIDTH))
        if across != self._across:
            self._across = across
            self._lay_cards()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrow keys go from card to card."""
        step = _STEPS.get(Qt.Key(event.key()))
        at = next((n for n, card in enumerate(self.cards) if card.hasFocus()), -1)
        if step is None or at < 0:
            super().keyPressEvent(event)
            return
        target = at + step[0] * self._across + step[1]
        if 0 <= target < len(self.cards):
            self.cards[target].setFocus(Qt.FocusReason.TabFocusReason)
            self._area.ensureWidgetVisible(self.cards[target])

    def _head(self) -> QHBoxLayout:
        title = QLabel("Guided tests")
        line = ElidedLabel("Put a known load on chosen VMs, judge the result, put everything back.")
        title.setProperty("role", "page-title")
        line.setProperty("role", "muted")
        self._buttons: dict[CardFilter, QPushButton] = {}
        group = QButtonGroup(self)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(title)
        row.addSpacing(6)
        row.addWidget(line, 1)
        for which, words in _FILTERS:
            button = QPushButton(words)
            button.setCheckable(True)
            button.setChecked(which == "all")
            button.clicked.connect(lambda _on=False, which=which: self._filter(which))
            group.addButton(button)
            self._buttons[which] = button
            row.addWidget(button)
        plan = QPushButton("Run a plan…")
        plan.setToolTip("Run a file that 'hyperscope test plan' or Save plan… wrote")
        plan.clicked.connect(self.plan_wanted)
        row.addWidget(plan)
        self.search = SearchField("Search", "Search the tests")
        self.search.setObjectName("test-search")
        self.search.setMinimumWidth(_SEARCH_WIDTHS[0])
        self.search.setMaximumWidth(_SEARCH_WIDTHS[1])
        self.search.textChanged.connect(lambda _text: self._show())
        self.search.returnPressed.connect(self._focus_first)
        self.search.left.connect(self._focus_first)
        row.addWidget(self.search)
        return row

    def _legend(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(6)
        caps = QLabel("SAFETY")
        caps.setProperty("role", "caps")
        row.addWidget(caps)
        for level in LEVEL_WORDS:
            row.addSpacing(8)
            row.addWidget(Badge(self._theme, level))
            words = ElidedLabel(LEVEL_MEANINGS[level])
            words.setProperty("role", "muted")
            row.addWidget(words, 10 * len(words.text()))
        row.addStretch(1)
        return row

    def _filter(self, which: CardFilter) -> None:
        self._which = which
        self._show()

    def _focus_first(self) -> None:
        if self.cards:
            self.cards[0].setFocus(Qt.FocusReason.TabFocusReason)

    def _show(self) -> None:
        for which, words in _FILTERS:
            self._buttons[which].setText(f"{words} {count_of(self._groups, which)}")
        groups = chosen_cards(self._groups, self._which, self.search.text())
        cards = [card for group in groups for card in group.cards]
        if [one.card.id for one in self.cards] == [one.id for one in cards]:
            for view, card in zip(self.cards, cards, strict=True):
                view.show_card(card)
            return
        for old in self.cards:
            self._grid.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.cards = [self._made(card) for card in cards]
        self._shown = groups
        self._nothing.setVisible(bool(self._groups) and not cards)
        self._lay_cards()

    def _made(self, card: TestCard) -> CardView:
        view = CardView(self._theme, card, self._date)
        view.chosen.connect(self.chosen)
        view.set_up.connect(self.set_up)
        view.recalled.connect(self.recalled)
        return view

    def _lay_cards(self) -> None:
        """Lay the cards in rows; a group's question stands above its first card."""
        for title in self._titles:
            self._grid.removeWidget(title)
            title.hide()
            title.deleteLater()
        self._titles = []
        for number in range(_MAX_ACROSS):
            self._grid.setColumnStretch(number, 1 if number < self._across else 0)
        at, views = 0, iter(self.cards)
        for group in chosen_cards(self._groups, self._which, self.search.text()):
            self._grid.addWidget(self._title(group), at // self._across * 2, at % self._across)
            for _card in group.cards:
                self._grid.addWidget(next(views), at // self._across * 2 + 1, at % self._across)
                at += 1
        for before, after in zip(self.cards, self.cards[1:], strict=False):
            QWidget.setTabOrder(before.button, after)

    def _title(self, group: CardGroup) -> QLabel:
        style = f"font-weight:400; font-size:12px; color:{self._theme.tokens.muted}"
        hint = f' <span style="{style}">{_html(group.hint)}</span>' if group.hint else ""
        title = QLabel(_html(group.question) + hint, textFormat=Qt.TextFormat.RichText)
        title.setProperty("role", "question")
        self._titles.append(title)
        return title


def _html(text: str) -> str:
    return shown(text).replace("&", "&amp;").replace("<", "&lt;")
