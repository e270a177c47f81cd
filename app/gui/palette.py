"""The command palette: every action, panel and entity by a few letters of its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

_SHOWN = 60
_WIDTH, _HEIGHT = 640, 420


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to choose: ``hint`` is its shortcut or what it is; ``run`` does it."""

    text: str
    hint: str
    icon: QIcon
    run: Callable[[], None]


def matches(words: str, entries: Iterable[Entry], most: int = _SHOWN) -> list[Entry]:
    """The entries that hold every word of ``words``, those that begin with the first word first."""
    wanted = words.casefold().split()
    found: list[tuple[int, int, Entry]] = []
    for number, entry in enumerate(entries):
        text = entry.text.casefold()
        if all(word in text or word in entry.hint.casefold() for word in wanted):
            begins = bool(wanted) and text.startswith(wanted[0])
            found.append((0 if begins else 1, number, entry))
    found.sort(key=lambda one: one[:2])
    return [entry for _, _, entry in found[:most]]


class Palette(QDialog):
    """Opens over the window's top; Enter runs, Escape closes, arrows move while typing goes on."""

    def __init__(self, parent: QWidget, entries: Sequence[Entry]) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._entries = entries
        self._found: list[Entry] = []
        frame = QFrame()
        frame.setProperty("role", "card")
        self._words = QLineEdit(placeholderText="Type a command, a VM, a host, a counter…")
        self._words.setAccessibleName("Search commands and entities")
        self._words.installEventFilter(self)
        self._words.textChanged.connect(self._search)
        self._list = QListWidget()
        self._list.setUniformItemSizes(True)
        self._list.setIconSize(QSize(16, 16))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.itemClicked.connect(lambda _item: self._run())
        self._none = QLabel("Nothing has that name. Fewer letters find more.")
        self._none.setProperty("role", "muted")
        self._none.setMargin(12)
        inner = QVBoxLayout(frame)
        inner.setContentsMargins(8, 8, 8, 8)
        for widget in (self._words, self._list, self._none):
            inner.addWidget(widget)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(frame)
        self.resize(_WIDTH, _HEIGHT)
        above = parent.mapToGlobal(parent.rect().topLeft())
        self.move(above.x() + (parent.width() - _WIDTH) // 2, above.y() + 48)
        self._search("")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Arrows and Enter work on the list while the line has the focus."""
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

    def _search(self, words: str) -> None:
        self._found = matches(words, self._entries)
        self._list.clear()
        for entry in self._found:
            item = QListWidgetItem(entry.icon, f"{entry.text}    {entry.hint}".rstrip())
            item.setToolTip(entry.hint)
            self._list.addItem(item)
        self._list.setCurrentRow(0)
        self._list.setVisible(bool(self._found))
        self._none.setVisible(not self._found)

    def _run(self) -> None:
        row = self._list.currentRow()
        if 0 <= row < len(self._found):
            chosen = self._found[row]
            self.close()
            chosen.run()
