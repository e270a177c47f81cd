"""The command palette: finds actions, panels and entities by a few letters of their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from widgets.eliding import NameElider
from widgets.popup import Popup
from widgets.theme import Theme

_SHOWN = 60
_BEFORE_MEANING = 3
_NOTHING = "Nothing has that name. Fewer letters find more."
_WIDTH, _HEIGHT = 640, 420
_ROW, _ICON, _MARGIN = 30, 16, 8
_RADIUS = 4
_Index = QModelIndex | QPersistentModelIndex
_HINT = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the palette: ``hint`` is its shortcut or its kind; ``run`` is called when it is chosen."""

    text: str
    hint: str
    icon: QIcon
    run: Callable[[], None]


Ask = Callable[[str], Entry | str | None]
"""Returns the entry for a text in the scope's language, or why it is none; None without a session."""


def matches(search_text: str, entries: Iterable[Entry], max_count: int = _SHOWN) -> list[Entry]:
    """Return at most ``max_count`` entries that contain every word of ``search_text``.

    Entries that begin with the first word come first.
    """
    wanted = search_text.casefold().split()
    found: list[tuple[int, int, Entry]] = []
    for number, entry in enumerate(entries):
        text = entry.text.casefold()
        if all(word in text or word in entry.hint.casefold() for word in wanted):
            begins = bool(wanted) and text.startswith(wanted[0])
            found.append((0 if begins else 1, number, entry))
    found.sort(key=lambda one: one[:2])
    return [entry for _, _, entry in found[:max_count]]


class _Line(QStyledItemDelegate):
    """Draws an entry: icon, text, and the hint on the right."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.names = NameElider()

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:  # noqa: N802
        """Return the same height for all entries."""
        return QSize(200, _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw the entry."""
        tokens = self._theme.tokens
        box: QRect = option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.tints()["selected"]))
            painter.drawRoundedRect(box, _RADIUS, _RADIUS)
        inner = box.adjusted(_MARGIN, 0, -_MARGIN, 0)
        icon: QIcon | None = index.data(Qt.ItemDataRole.DecorationRole)
        if icon is not None:
            icon.paint(painter, QRect(inner.left(), box.center().y() - _ICON // 2 + 1, _ICON, _ICON))
        middle = Qt.AlignmentFlag.AlignVCenter
        hint = str(index.data(_HINT) or "")
        metrics = painter.fontMetrics()
        hint = metrics.elidedText(hint, Qt.TextElideMode.ElideMiddle, inner.width() // 2)
        painter.setPen(QColor(tokens.muted))
        painter.drawText(inner, middle | Qt.AlignmentFlag.AlignRight, hint)
        text_box = inner.adjusted(_ICON + _MARGIN, 0, -metrics.horizontalAdvance(hint) - 2 * _MARGIN, 0)
        text = self.names.elided(str(index.data()), text_box.width(), metrics)
        painter.setPen(QColor(tokens.text))
        painter.drawText(text_box, middle | Qt.AlignmentFlag.AlignLeft, text)
        painter.restore()


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
        self._list = QListWidget()
        self._line = _Line(theme, self._list)
        self._list.setItemDelegate(self._line)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setUniformItemSizes(True)
        self._list.setIconSize(QSize(16, 16))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
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
        self._none.setText(asked if isinstance(asked, str) else _NOTHING)
        self._line.names.set_names(entry.text for entry in self._found)
        self._list.clear()
        for entry in self._found:
            item = QListWidgetItem(entry.icon, entry.text)
            item.setData(_HINT, entry.hint)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{entry.text}, {entry.hint}".rstrip(", "))
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
