"""The start page: four large choices, then recent sessions or a hint if there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from widgets.search_field import SearchField
from widgets.start.choice import Choice
from widgets.start.progress import Progress
from widgets.start.recent import RecentEntry, RecentModel
from widgets.start.recent_list import RecentList
from widgets.theme import Theme

_WIDTH = 760
_SEARCH_WIDTH = 200


@dataclass(frozen=True, slots=True)
class ChoiceSpec:
    """A choice: its id (which ``chosen`` carries), the name of its icon, title and explanation."""

    id: str
    icon: str
    title: str
    help: str


CHOICES: tuple[ChoiceSpec, ...] = (
    ChoiceSpec("connect", "connect", "Connect", "Record a vCenter or ESXi hosts live"),
    ChoiceSpec("open", "open", "Open a session", "Look at what was recorded, offline"),
    ChoiceSpec("import", "import", "Import a capture", "What esxtop -b or Get-Stat wrote, or logs of ESXi"),
    ChoiceSpec("lab", "lab", "Try the lab", "A simulated cluster with problems in it"),
)


class StartPage(QWidget):
    """The page. Signals: ``chosen`` with a choice's id; those of the list of recent sessions;
    ``cases_wanted`` when the cases to practise on are to be shown, ``practised`` with the number of one.

    ``progress`` shows a recording that is being started, above the recent sessions.
    """

    chosen = Signal(str)
    opened = Signal(str)
    forgotten = Signal(str)
    windowed = Signal(str)
    revealed = Signal(str)
    pinned = Signal(str, bool)
    copied = Signal(str)
    cases_wanted = Signal()
    practised = Signal(int)

    def __init__(self, theme: Theme, keys: dict[str, str], parent: QWidget | None = None) -> None:
        """``keys`` are the shortcuts of the choices by id, as they are displayed."""
        super().__init__(parent)
        self.setObjectName("start")
        self._model = RecentModel(self)
        self.choices = {
            spec.id: Choice(theme, spec.icon, spec.title, spec.help, keys.get(spec.id, ""))
            for spec in CHOICES
        }
        self.progress = Progress()
        self.recent = RecentList(theme, self._model)
        self._entries: Sequence[RecentEntry] = ()
        self.search = SearchField("Search", "Search the recent sessions")
        self.search.setObjectName("recent-search")
        self.search.setFixedWidth(_SEARCH_WIDTH)
        self.search.textChanged.connect(lambda _text: self._show_found())
        self.search.returnPressed.connect(self._open_first)
        self.search.left.connect(lambda: self.recent.setFocus(Qt.FocusReason.TabFocusReason))
        self.cases = QPushButton("Cases to practise on")
        self.cases.setProperty("role", "ghost")
        self.cases.setToolTip("The lab plays a problem: find it, mend it in the lab, and verify the fix")
        self._cases = QMenu(self)
        self._cases.aboutToShow.connect(self.cases_wanted)
        self.cases.setMenu(self._cases)
        self._none = _Nothing()
        self._none.button.clicked.connect(lambda: self.chosen.emit("lab"))
        self._lay_out()
        for signal in ("opened", "forgotten", "windowed", "revealed", "pinned", "copied"):
            getattr(self.recent, signal).connect(getattr(self, signal))
        for name, choice in self.choices.items():
            choice.clicked.connect(lambda _checked=False, name=name: self.chosen.emit(name))
            choice.installEventFilter(self)

    def show_recent(self, entries: Sequence[RecentEntry]) -> None:
        """Show the recent sessions in this order, of them those that the search finds."""
        self._entries = entries
        self.search.setVisible(bool(entries))
        self.recent.setVisible(bool(entries))
        self._none.setVisible(not entries)
        self._show_found()

    def show_cases(self, titles: Sequence[str]) -> None:
        """Fill the menu of the cases to practise on."""
        self._cases.clear()
        for number, title in enumerate(titles):
            act = self._cases.addAction(title.replace("&", "&&"))
            act.triggered.connect(lambda _checked=False, number=number: self.practised.emit(number))

    def _show_found(self) -> None:
        current = self.recent.currentIndex().data(Qt.ItemDataRole.UserRole)
        found = [one for one in self._entries if one.has(self.search.text())]
        self._model.show_entries(found)
        self._heading.setText("RECENT SESSIONS" if found or not self._entries else "NO SESSION IS CALLED SO")
        place = next((row for row, one in enumerate(found) if current and one.path == current.path), -1)
        if place >= 0:
            self.recent.setCurrentIndex(self._model.index(place))

    def _open_first(self) -> None:
        entry = self._model.index(0).data(Qt.ItemDataRole.UserRole)
        if isinstance(entry, RecentEntry):
            self.opened.emit(entry.path)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Focus the first choice."""
        super().showEvent(event)
        self.choices["connect"].setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Move between the choices with arrow keys."""
        is_key = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress
        if isinstance(event, QKeyEvent) and is_key and self._step(watched, event.key()):
            return True
        return super().eventFilter(watched, event)

    def _step(self, watched: QObject, key: int) -> bool:
        around: list[Any] = list(self.choices.values())
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Down: 2, Qt.Key.Key_Up: -2}
        step = steps.get(Qt.Key(key))
        if step is None or watched not in around:
            return False
        target = around.index(watched) + step
        if 0 <= target < len(around):
            around[target].setFocus(Qt.FocusReason.TabFocusReason)
        elif target >= len(around) and self.recent.isVisible():
            self.recent.setFocus(Qt.FocusReason.TabFocusReason)
        return True

    def _lay_out(self) -> None:
        name = QLabel("hyperscope")
        name.setProperty("role", "display")
        line = QLabel("What is slow, why, and did the fix work?")
        line.setProperty("role", "muted")
        grid = QGridLayout()
        grid.setSpacing(12)
        for number, choice in enumerate(self.choices.values()):
            grid.addWidget(choice, number // 2, number % 2)
        self._heading = QLabel("RECENT SESSIONS")
        self._heading.setProperty("role", "pane-title")
        hint = QLabel("Captures and sessions can be dropped anywhere in this window")
        hint.setProperty("role", "faint")
        titles = QHBoxLayout()
        titles.setSpacing(16)
        titles.addWidget(self._heading)
        titles.addWidget(self.search)
        titles.addStretch(1)
        titles.addWidget(hint)
        middle = QWidget()
        middle.setMaximumWidth(_WIDTH)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(name)
        column.addSpacing(6)
        about = QHBoxLayout()
        about.addWidget(line, 1)
        about.addWidget(self.cases)
        column.addLayout(about)
        column.addSpacing(14)
        column.addLayout(grid)
        column.addSpacing(12)
        column.addWidget(self.progress)
        column.addSpacing(20)
        column.addLayout(titles)
        column.addSpacing(8)
        column.addWidget(self.recent, 1)
        column.addWidget(self._none)
        column.addStretch(0)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(32, 40, 32, 16)
        outer.addStretch(1)
        outer.addWidget(middle, 20)
        outer.addStretch(1)


class _Nothing(QFrame):
    """The hint that is shown if there are no recent sessions."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        hint = QLabel(
            "Sessions that you open are listed here with their worst finding. To see what one looks like, "
            "let the lab record one: no vCenter is needed.",
            wordWrap=True,
        )
        hint.setProperty("role", "muted")
        self.button = QPushButton("Try the lab")
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 16, 16, 16)
        row.setSpacing(16)
        row.addWidget(hint, 1)
        row.addWidget(self.button)
