"""The command palette: finds actions, panels and entities by a few letters of their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget

from widgets.hinted_rows import HintedList, HintedRow
from widgets.popup import Popup
from widgets.theme import Theme

_SHOWN = 60
_BEFORE_MEANING = 3
_NO_COMMAND = "No command has that name."
_NOTHING = "Nothing has that name. Fewer letters find more."
_WIDTH, _HEIGHT = 640, 420


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the palette: ``hint`` is its shortcut or its kind; ``run`` is called when it is chosen.

    ``also`` are further words by which it is found, after those whose text has them.
    """

    text: str
    hint: str
    icon: QIcon
    run: Callable[[], None]
    also: str = ""


Ask = Callable[[str], Entry | str | None]
"""Returns the entry for a text in the scope's language, or why it is none; None without a session."""


def matches(search_text: str, entries: Iterable[Entry], max_count: int = _SHOWN) -> list[Entry]:
    """Return at most ``max_count`` entries that contain every word of ``search_text``.

    Entries that begin with the first word come first.
    """
    wanted = search_text.casefold().split()
    found: list[tuple[int, int, Entry]] = []
    for number, entry in enumerate(entries):
        text, hint, also = (one.casefold() for one in (entry.text, entry.hint, entry.also))
        if all(word in text or word in hint for word in wanted):
            begins = bool(wanted) and text.startswith(wanted[0])
            found.append((0 if begins else 1, number, entry))
        elif all(word in text or word in hint or word in also for word in wanted):
            found.append((2, number, entry))
    found.sort(key=lambda one: one[:2])
    return [entry for _, _, entry in found[:max_count]]


class Palette(Popup):
    """The popup at the top of the window: Enter runs the entry, Escape closes, arrow keys move while
    typing.
    """

    def __init__(
        self, theme: Theme, parent: QWidget, entries: Sequence[Entry], ask: Ask = lambda _text: None
    ) -> None:
        """``ask`` says what a text means that is no entry's name."""
        super().__init__(parent)
        self._ask = ask
        self.setObjectName("palette")
        self._entries = entries
        self._found: list[Entry] = []
        self._words = QLineEdit(placeholderText="Type a command, a pane, a VM, 02:40–02:55, ready web03…")
        self._words.setAccessibleName("Search commands and entities")
        self._words.installEventFilter(self)
        self._words.textChanged.connect(self._search)
        self._list = HintedList(theme)
        self._list.itemClicked.connect(lambda _item: self._run())
        self._none = QLabel(_NOTHING, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self._none.setProperty("role", "muted")
        self._none.setMargin(12)
        self._none.setAlignment(Qt.AlignmentFlag.AlignTop)
        inner = QVBoxLayout(self.card)
        inner.setContentsMargins(8, 8, 8, 8)
        inner.setSpacing(8)
        inner.addWidget(self._words)
        inner.addWidget(self._list, 1)
        inner.addWidget(self._none, 1)
        self.resize(_WIDTH, _HEIGHT)
        above = parent.mapToGlobal(parent.rect().topLeft())
        self.move(above.x() + (parent.width() - _WIDTH) // 2, above.y() + 48)
        self._search("")
        self._words.setFocus()  # a popup gives it to nobody by itself

    @property
    def texts(self) -> list[str]:
        """The texts of the entries that are offered, top to bottom."""
        return [entry.text for entry in self._found]

    @property
    def note(self) -> str:
        """What is said in place of entries; empty if there are some."""
        return "" if self._found else self._none.text()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Send arrow keys and Enter to the list while the text field has the focus."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}
            step = steps.get(Qt.Key(event.key()))
            if step is not None and self._found:
                row = max(0, min(len(self._found) - 1, self._list.currentRow() + step))
                self._list.setCurrentRow(row)
                return True
            if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                self._run()
                return True
        return super().eventFilter(watched, event)

    def _search(self, search_text: str) -> None:
        self._found = matches(search_text, self._entries)
        asked = self._ask(search_text) if search_text.strip() else None
        if isinstance(asked, Entry):
            first = search_text.casefold().split()[0]
            begins = [one for one in self._found if one.text.casefold().startswith(first)]
            self._found.insert(min(len(begins), _BEFORE_MEANING), asked)
        self._none.setText(f"{_NO_COMMAND} {asked}" if isinstance(asked, str) else _NOTHING)
        self._list.show_rows([HintedRow(entry.text, entry.hint, entry.icon) for entry in self._found])
        self._list.setCurrentRow(0)
        self._list.setVisible(bool(self._found))
        self._none.setVisible(not self._found)

    def _run(self) -> None:
        row = self._list.currentRow()
        if 0 <= row < len(self._found):
            chosen = self._found[row]
            self.close()
            chosen.run()
