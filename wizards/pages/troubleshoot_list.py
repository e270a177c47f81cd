"""The list of checks: groups with counts, rows with symbol, question and number against its limit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from resources.foreign_text import shown, tooltip_text
from viewmodels.text_table import TextTable
from widgets.context_menu import COPY, Entries, MenuEntry, table_entries
from widgets.keys import KeyHandlers
from widgets.painted_list import PaintedList
from widgets.theme import Theme
from wizards.flows.troubleshooting.page_rows import Line, ListHead, ListRow
from wizards.pages.badge import paint_symbol
from wizards.pages.fonts import sized
from wizards.pages.troubleshoot_keys import ROW_KEYS

Index = QModelIndex | QPersistentModelIndex
_ROLE = Qt.ItemDataRole.UserRole
_HEAD, _ROW, _SYMBOL, _LEFT, _RIGHT = 26, 24, 9, 30, 12
_NUMBER, _WORDS_PART = 140, 0.3
"""A number of so many pixels is always whole; words beside a question have at least this part of the row."""


class ChecksModel(QAbstractListModel):
    """The lines of the list; headings cannot be chosen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines: Sequence[Line] = ()

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Show these lines; where only their words differ, what is chosen stays."""
        if [_key(one) for one in lines] == [_key(one) for one in self.lines]:
            self.lines = lines
            if lines:
                self.dataChanged.emit(self.index(0), self.index(len(lines) - 1))
            return
        self.beginResetModel()
        self.lines = lines
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's signature
        """Return the number of lines."""
        return 0 if parent.isValid() else len(self.lines)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return that rows can be chosen, and headings not: the arrow keys pass them by."""
        if index.isValid() and isinstance(self.lines[index.row()], ListHead):
            return Qt.ItemFlag.NoItemFlags
        return super().flags(index)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a line's text, tip, or the line itself for the delegate."""
        if not index.isValid():
            return None
        line = self.lines[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return _words(line)
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(line, ListRow):
            return tooltip_text(_words(line))
        return line if role == _ROLE else None


def _key(line: Line) -> str:
    return line.id if isinstance(line, ListRow) else f"# {line.title}"


def _words(line: Line) -> str:
    if isinstance(line, ListHead):
        return f"{line.title}, {line.counted}" if line.counted else line.title
    verdict = line.verdict or "not judged yet"
    return f"{line.title}: {verdict}. {line.measured}".rstrip(" .")


class _Delegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QListView) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        """Return the height of a heading or of a row."""
        return QSize(0, _HEAD if isinstance(index.data(_ROLE), ListHead) else _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a heading with its count, or a row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = index.data(_ROLE)
        if isinstance(line, ListHead):
            self._paint_head(painter, option, line)
        elif isinstance(line, ListRow):
            self._paint_row(painter, option, line)
        painter.restore()

    def _paint_head(self, painter: QPainter, option: QStyleOptionViewItem, head: ListHead) -> None:
        tokens, room = self._theme.tokens, option.rect.adjusted(_RIGHT, 4, -_RIGHT, 0)
        font = sized(option.font, 11, bold=True)
        font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 0.5)
        painter.setFont(font)
        painter.setPen(QColor(tokens.muted))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), head.title.upper())
        painter.setFont(sized(option.font, 12))
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(room, int(side), head.counted)

    def _paint_row(self, painter: QPainter, option: QStyleOptionViewItem, row: ListRow) -> None:
        tokens, area = self._theme.tokens, option.rect
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(area, QColor(tokens.tints()["selected"]))
            painter.fillRect(QRect(area.left(), area.top(), 2, area.height()), QColor(tokens.accent))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, QColor(tokens.surface2))
        middle = area.center().y() + 1 - _SYMBOL / 2
        place = QRectF(area.left() + _RIGHT, middle, _SYMBOL, _SYMBOL)
        if row.verdict == "not applicable":
            painter.setPen(QColor(tokens.faint))
            painter.drawText(place.adjusted(0, -4, 4, 4), int(Qt.AlignmentFlag.AlignCenter), "–")
        else:
            paint_symbol(painter, place, row.state, QColor(tokens.health(row.state)))
        self._paint_words(painter, option, row, bold=selected or row.is_found)

    def _paint_words(
        self, painter: QPainter, option: QStyleOptionViewItem, row: ListRow, *, bold: bool
    ) -> None:
        tokens, area = self._theme.tokens, option.rect
        font, small = sized(option.font, 13, bold=bold), sized(option.font, 12, bold=row.is_found)
        room = area.adjusted(_LEFT, 0, -_RIGHT, 0)
        painter.setFont(small)
        measured = shown(row.measured, 120)
        wanted = painter.fontMetrics().horizontalAdvance(measured) + 2 if measured else 0
        painter.setFont(font)
        title = min(painter.fontMetrics().horizontalAdvance(row.title) + 10, room.width())
        least = wanted if wanted <= _NUMBER else int(room.width() * _WORDS_PART)
        numbers = max(0, min(wanted, max(room.width() - title, least)))
        words = room.adjusted(0, 0, -numbers - (8 if numbers else 0), 0)
        painter.setPen(QColor(tokens.faint if row.verdict is None else tokens.text))
        text = painter.fontMetrics().elidedText(row.title, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter), text)
        painter.setFont(small)
        painter.setPen(QColor(tokens.health(row.state) if row.is_found else tokens.muted))
        text = painter.fontMetrics().elidedText(measured, Qt.TextElideMode.ElideRight, numbers)
        place = QRect(room.right() - numbers + 1, room.top(), numbers, room.height())
        painter.drawText(place, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), text)


class ChecksList(PaintedList):
    """The list.

    Signals: ``chosen`` with a ListRow; ``opened`` with one whose numbers are to be charted; ``copied`` with a
    message; ``save_wanted`` with a FileOffer.
    """

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.checks = ChecksModel()
        self._is_placing = self._is_by_hand = False
        super().__init__(theme, self.checks, "Checks of the symptom", parent)
        self._delegate = _Delegate(theme, self)
        self.setItemDelegate(self._delegate)
        self._keys = KeyHandlers(ROW_KEYS, {"open": lambda _key: self._open()})
        self.doubleClicked.connect(lambda _index: self._open())

    def show_lines(self, lines: Sequence[Line], first: str) -> None:
        """Show these lines; the row with the id ``first`` is chosen unless another one still is, which
        somebody chose or in which something was found.
        """
        kept = self.current
        stays = kept is not None and (self._is_by_hand or kept.is_found)
        wanted = kept.id if kept is not None and stays else first
        self._is_placing = True
        try:
            self._place(lines, wanted, first)
        finally:
            self._is_placing = False

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show no row in part at the end of the list."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Leave room below the last row that is whole."""
        room = self.contentsRect().height()
        heights = (_HEAD if isinstance(one, ListHead) else _ROW for one in self.checks.lines)
        ends = [end for end in accumulate(heights) if end <= room]
        is_cut = bool(ends) and len(ends) < len(self.checks.lines)
        margin = room - ends[-1] if is_cut else 0
        if self.viewportMargins().bottom() != margin:
            self.setViewportMargins(0, 0, 0, margin)

    def _place(self, lines: Sequence[Line], wanted: str, first: str) -> None:
        self.checks.show_lines(lines)
        self._fit()
        ids = [one.id if isinstance(one, ListRow) else "" for one in lines]
        for one in (wanted, first):
            if one in ids:
                self.setCurrentIndex(self.checks.index(ids.index(one)))
                return
        at = next((number for number, one in enumerate(ids) if one), -1)
        if at >= 0:
            self.setCurrentIndex(self.checks.index(at))

    def choose(self, row: str) -> None:
        """Choose a row by its id."""
        for number, one in enumerate(self.checks.lines):
            if isinstance(one, ListRow) and one.id == row:
                self.setCurrentIndex(self.checks.index(number))

    def forget(self) -> None:
        """Choose none: the next lines are of another symptom."""
        self._is_by_hand = False
        self.clearSelection()
        self.setCurrentIndex(QModelIndex())

    @property
    def current(self) -> ListRow | None:
        """The chosen row."""
        at = self.currentIndex().row()
        line = self.checks.lines[at] if 0 <= at < len(self.checks.lines) else None
        return line if isinstance(line, ListRow) else None

    def currentChanged(self, current: Index, previous: Index) -> None:  # noqa: N802
        """Say which row was chosen."""
        super().currentChanged(current, previous)
        self._is_by_hand = not self._is_placing and current.isValid()
        if self.current is not None:
            self.chosen.emit(self.current)

    def table(self) -> TextTable:
        """Return all rows with their groups."""
        rows: list[tuple[str, str, str, str]] = []
        group = ""
        for line in self.checks.lines:
            if isinstance(line, ListHead):
                group = line.title
            else:
                rows.append((group, line.title, line.verdict or "not judged yet", line.measured))
        return TextTable("Checks", ("group", "check", "verdict", "measured"), tuple(rows))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handle Enter and the arrows; letters are keys of the page and search nothing."""
        if self._keys.press(event):
            return
        if event.text().isalnum():
            event.ignore()
            return
        super().keyPressEvent(event)

    def _open(self) -> None:
        if self.current is not None:
            self.opened.emit(self.current)

    def entries(self) -> Entries:
        """Return what can be done with the rows."""
        every = table_entries(self.table, self.copied.emit, self.save_wanted.emit, copy_key=COPY)
        return [MenuEntry("Show its numbers in Charts", self._open, "Return"), None, *every]
