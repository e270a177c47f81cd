"""The help window: contents and search on the left, one section of a page on the right, offline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QKeySequence,
    QPainter,
    QShortcut,
    QTextBlockFormat,
    QTextCursor,
    QTextTable,
    QTextTableFormat,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QStackedWidget,
    QTextBrowser,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from widgets.carets import draw_caret
from widgets.search_field import SearchField
from widgets.theme import Theme

_KEY = Qt.ItemDataRole.UserRole
_SIZE = (900, 640)
_LEFT = 260
_LINE_BREAK = "\u2028"
"""A line break inside of a paragraph; of HTML's own, Qt loses what comes after it in a table."""
_ABOVE_HEADING, _BELOW, _BELOW_ITEM, _LINE_HEIGHT = 12, 8, 3, 118


@dataclass(frozen=True, slots=True)
class HelpPageEntry:
    """A page in the contents: its title and key, and title and key of each of its sections."""

    title: str
    key: str
    sections: tuple[tuple[str, str], ...] = ()


class HelpWindow(QWidget):
    """A window of its own.

    Signals: ``wanted`` with the key or link of a section to show; ``searched`` with the words typed;
    ``left`` with the address of a page outside, which was clicked.
    """

    wanted = Signal(str)
    searched = Signal(str)
    left = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._theme = theme
        self._past: list[str] = []
        self._next: list[str] = []
        self._key = ""
        self.setObjectName("help")
        self.setWindowTitle("Help – Hyperscope")
        self.search = SearchField("Search the help", "Search the help")
        self.search.textChanged.connect(self._search)
        self.search.returnPressed.connect(self._take_first)
        self.search.left.connect(self._leave_search)
        self.contents = _Contents(theme)
        self.contents.setHeaderHidden(True)
        self.contents.setAccessibleName("Contents")
        self.contents.currentItemChanged.connect(lambda item, _old: self._ask(item))
        self.hits = QListWidget()
        self.hits.setWordWrap(True)
        self.hits.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # its texts wrap
        self.hits.setAccessibleName("What was found")
        self.hits.setSpacing(2)
        self.hits.currentItemChanged.connect(lambda item, _old: self._ask(item))
        self._lists = QStackedWidget()
        self._lists.addWidget(self.contents)
        self._lists.addWidget(self.hits)
        self.text = QTextBrowser()
        self.text.setAccessibleName("Help")
        self.text.setOpenLinks(False)
        self.text.document().setDocumentMargin(20)
        self.text.anchorClicked.connect(self._follow)
        self.back = self._button("back", "Back", self._go_back)
        self.forward = self._button("forward", "Forward", self._go_forward)
        self._lay_out()
        for keys, act in (
            ("Alt+Left", self._go_back), ("Alt+Right", self._go_forward),
            ("Ctrl+F", self.search.setFocus), ("Esc", self.close), ("Ctrl+W", self.close),
        ):  # fmt: skip
            QShortcut(QKeySequence(keys), self).activated.connect(act)
        self.resize(*_SIZE)
        theme.changed.connect(self._dress)
        self._dress()

    def show_contents(self, pages: Sequence[HelpPageEntry]) -> None:
        """Show the pages with their sections on the left."""
        self.contents.clear()
        for page in pages:
            top = _item(page.title, page.key)
            self.contents.addTopLevelItem(top)
            for title, key in page.sections:
                top.addChild(_item(title, key))

    def show_hits(self, hits: Sequence[tuple[str, str, str]]) -> None:
        """Show what a search found: title, a piece of the text, and key of each section."""
        self.hits.clear()
        for title, piece, key in hits:
            item = QListWidgetItem(f"{title}\n{piece}", self.hits)
            item.setData(_KEY, key)
        if not hits:
            none = QListWidgetItem("Nothing has these words.", self.hits)
            none.setFlags(Qt.ItemFlag.NoItemFlags)

    def show_section(self, key: str, markdown: str) -> None:
        """Show a section; ``key`` is its key."""
        if self._key and key != self._key:
            self._past.append(self._key)
            self._next.clear()
        self._show(key, markdown)

    def _show(self, key: str, markdown: str) -> None:
        self._key = key
        self.text.setMarkdown(markdown.replace("<br>", _LINE_BREAK))
        self._space()
        self._dress_tables()
        self.text.verticalScrollBar().setValue(0)
        self._choose(key)
        self.back.setEnabled(bool(self._past))
        self.forward.setEnabled(bool(self._next))

    def _choose(self, key: str) -> None:
        """Choose the section in the contents, without asking for it again; none for one that is not there."""
        self.contents.blockSignals(True)
        self.contents.setCurrentIndex(QModelIndex())
        for number in range(self.contents.topLevelItemCount()):
            top = self.contents.topLevelItem(number)
            items = [top, *(top.child(row) for row in range(top.childCount()))] if top else []
            for item in items:
                if item is not None and item.data(0, _KEY) == key:
                    self.contents.setCurrentItem(item)
        self.contents.blockSignals(False)

    def _ask(self, item: QTreeWidgetItem | QListWidgetItem | None) -> None:
        key = item.data(0, _KEY) if isinstance(item, QTreeWidgetItem) else item.data(_KEY) if item else None
        if key:
            self.wanted.emit(str(key))

    def _follow(self, url: QUrl) -> None:
        if url.scheme() in {"http", "https"}:
            self.left.emit(url.toString())
            return
        link = url.toString()
        page = self._key.partition("#")[0]
        self.wanted.emit(f"{page}{link}" if link.startswith("#") else link)

    def _search(self, words: str) -> None:
        self._lists.setCurrentIndex(1 if words.strip() else 0)
        if words.strip():
            self.searched.emit(words)

    def _take_first(self) -> None:
        if self._lists.currentIndex() == 1:
            self.hits.setCurrentRow(0)

    def _leave_search(self) -> None:
        (self.hits if self._lists.currentIndex() == 1 else self.contents).setFocus()

    def _go_back(self) -> None:
        self._go(self._past, self._next)

    def _go_forward(self) -> None:
        self._go(self._next, self._past)

    def _go(self, there: list[str], here: list[str]) -> None:
        if there:
            here.append(self._key)
            self._key = ""  # what is shown now is no step of its own
            self.wanted.emit(there.pop())

    def _button(self, icon: str, name: str, act: Callable[[], None]) -> QToolButton:
        button = QToolButton()
        button.setObjectName(icon)
        button.setProperty("role", "ghost")
        button.setAccessibleName(name)
        button.setToolTip(name)
        button.clicked.connect(act)
        return button

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setSpacing(4)
        for widget, stretch in ((self.back, 0), (self.forward, 0), (self.search, 1)):
            bar.addWidget(widget, stretch)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(8, 8, 0, 8)
        column.addLayout(bar)
        column.addWidget(self._lists, 1)
        parts = QSplitter()
        parts.addWidget(left)
        parts.addWidget(self.text)
        parts.setStretchFactor(1, 1)
        parts.setSizes([_LEFT, _SIZE[0] - _LEFT])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(parts)

    def _dress(self) -> None:
        for button, icon in ((self.back, "back"), (self.forward, "forward")):
            button.setIcon(self._theme.icons.get(icon))
        self._dress_tables()

    def _space(self) -> None:
        """Put room between paragraphs, which Markdown leaves to the reader."""
        block = self.text.document().begin()
        while block.isValid():
            cursor = QTextCursor(block)
            if cursor.currentTable() is None:
                look = QTextBlockFormat()
                level = block.blockFormat().headingLevel()
                look.setTopMargin(_ABOVE_HEADING if level > 2 else 0)
                look.setBottomMargin(_BELOW_ITEM if block.textList() is not None else _BELOW)
                look.setLineHeight(_LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
                cursor.mergeBlockFormat(look)
            block = block.next()

    def _dress_tables(self) -> None:
        for frame in self.text.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                look = QTextTableFormat(frame.format())
                look.setBorder(1)
                look.setBorderCollapse(True)
                look.setBorderBrush(QColor(self._theme.tokens.line))
                look.setCellPadding(5)
                look.setCellSpacing(0)
                frame.setFormat(look)


class _Contents(QTreeWidget):
    """The contents, with carets in the theme's colour."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def drawBranches(  # noqa: N802
        self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw a caret before pages with sections."""
        draw_caret(self, painter, rect, index, self._theme)


def _item(title: str, key: str) -> QTreeWidgetItem:
    item = QTreeWidgetItem([title])
    item.setData(0, _KEY, key)
    item.setToolTip(0, title)
    return item
