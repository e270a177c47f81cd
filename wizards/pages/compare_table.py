"""The table of changes, ranked: each row with its interval, its distributions, and how it was judged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from resources.foreign_text import tooltip_text
from viewmodels.comparison_page import ComparedRow, RowShape, rows_table
from viewmodels.text_table import TextTable
from widgets.context_menu import COPY, ContextMenu, Entries, MenuEntry, table_entries
from widgets.copying import copy_table
from widgets.eliding import NameElider
from widgets.keys import KeyHandlers
from widgets.theme import Theme
from wizards.pages.compare_cells import (
    paint_change_cell,
    paint_confidence_cell,
    paint_judged_cell,
    paint_shape_cell,
    paint_whisker_cell,
)
from wizards.pages.compare_keys import ROW_KEYS
from wizards.pages.plain_rows import show_plain_rows

Index = QModelIndex | QPersistentModelIndex
Part = Literal[
    "rank", "name", "counter", "a", "b", "change", "interval", "effect", "shape", "confidence", "judged"
]
_ROW, _HEAD, _VISIBLE_MS = 24, 26, 60
_ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class _Column:
    """A column: ``width`` 0 shares what the others leave; ``drop`` is its turn to go where room lacks (0:
    never).
    """

    part: Part
    head: str
    width: int = 0
    right: bool = False
    drop: int = 0
    tip: str = ""


COLUMNS = (
    _Column("rank", "", 34, right=True),
    _Column("name", "Entity", tip="Whose counter it is; ranked by what matters to a user"),
    _Column("counter", "Counter"),
    _Column("a", "A", 82, right=True, tip="The mean of A"),
    _Column("b", "B", 82, right=True, tip="The mean of B"),
    _Column("change", "change", 84, right=True, tip="Points (pt) for percentages, else percent of A"),
    _Column(
        "interval",
        "95 % CI, ±100 %",
        142,
        drop=4,
        tip="The change and its 95 % interval in percent of A, from −100 % to +100 %: points (pt), too",
    ),
    _Column("effect", "effect", 54, right=True, drop=1, tip="Cliff's delta: how often B is above A, −1 to 1"),
    _Column("shape", "A over B", 124, drop=3, tip="How often values occur in A (up), B (down)"),
    _Column("confidence", "confidence", 96, drop=2, tip="How sure the difference is, after the correction"),
    _Column("judged", "judged", 92, tip="Better or worse where the direction has a meaning, else to know"),
)
_PLACES: Mapping[str, int] = {one.part: at for at, one in enumerate(COLUMNS)}
_LEAST_NAMES = 300
_BESIDE_RANK = 20
_PAINTED = {"change", "interval", "shape", "confidence", "judged"}
_BOLD = {"name", "change"}


class ChangesModel(QAbstractTableModel):
    """Rows with their shapes, as far as these are read."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[ComparedRow] = []
        self.shapes: dict[int, RowShape] = {}
        self.pinned: frozenset[int] = frozenset()
        self._sorted: tuple[int, bool] | None = None

    def show_rows(self, rows: Sequence[ComparedRow]) -> None:
        """Show these rows, in the order that was chosen."""
        self.beginResetModel()
        self.rows = list(rows)
        self._arrange()
        self.endResetModel()

    def add_shapes(self, shapes: Mapping[int, RowShape]) -> None:
        """Take what was read of rows' samples."""
        self.shapes |= shapes
        if self.rows:
            first, last = _PLACES["effect"], _PLACES["shape"]
            self.dataChanged.emit(self.index(0, first), self.index(len(self.rows) - 1, last))

    def mark_pinned(self, ranks: frozenset[int]) -> None:
        """Show which rows' charts are pinned."""
        self.pinned = ranks
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, 0))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's signature
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's signature
        """Return the number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, tip, alignment or the row itself of a cell."""
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], COLUMNS[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._text(row, column.part)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip_text(_tip(row))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return row if role == _ROLE else None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the headings."""
        if orientation == Qt.Orientation.Vertical:
            return None
        column = COLUMNS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.head
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def order_by(self, column: int, order: Qt.SortOrder) -> None:
        """Order rows that are shown from now on by a column (−1: by rank); numbers by size, the largest
        first.
        """
        self._sorted = (column, order == Qt.SortOrder.DescendingOrder)

    def _arrange(self) -> None:
        if self._sorted is None:
            return
        column, backwards = self._sorted
        part = COLUMNS[column].part if column >= 0 else "rank"
        self.rows.sort(key=lambda one: one.rank)
        self.rows.sort(key=lambda one: self._key(one, part), reverse=backwards)

    def _key(self, row: ComparedRow, part: Part) -> tuple[float, str]:
        match part:
            case "name":
                return 0.0, row.name.casefold()
            case "counter":
                return 0.0, row.counter.casefold()
            case "change" | "interval":
                return -(abs(row.whisker.middle) if row.whisker is not None else 0.0), ""
            case "effect" | "shape":
                shape = self.shapes.get(row.rank)
                return -(abs(shape.effect) if shape and math.isfinite(shape.effect) else 0.0), ""
            case "judged":
                return 0.0, row.judged
        return float(row.rank), ""

    def _text(self, row: ComparedRow, part: Part) -> str:
        shape = self.shapes.get(row.rank)
        if part in {"effect", "shape"}:
            is_known = part == "effect" and shape is not None and math.isfinite(shape.effect)
            return f"{abs(shape.effect):.2f}" if is_known and shape is not None else ""
        if part == "counter" and row.alike:
            return f"{row.counter}  +{row.alike} alike"
        if part == "rank":
            return str(row.place)
        return str(getattr(row, part))


def _tip(row: ComparedRow) -> str:
    alike = f"\n{row.alike} more with the very same numbers" if row.alike else ""
    return (
        f"{row.name}: {row.counter} ({row.counter_key})\n{row.a} → {row.b}, change {row.change} "
        f"({row.interval})\n{row.why}\n{row.samples}{alike}"
    )


class _Delegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._view = theme, parent
        self.names = NameElider()

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:  # noqa: N802
        """Set weight and colour of a cell's text."""
        super().initStyleOption(option, index)
        part, tokens = COLUMNS[index.column()].part, self._theme.tokens
        row: ComparedRow = index.data(_ROLE)
        if part in _BOLD:
            option.font.setWeight(QFont.Weight.DemiBold)
        colour = tokens.text
        if part in {"rank", "a", "effect"} or row.verdict == "same":
            colour = tokens.muted
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.HighlightedText):
            option.palette.setColor(role, QColor(colour))
        if part in _PAINTED:
            option.text = ""
        if part == "name":
            option.text = self.names.elided(row.name, _room(option, self._view), QFontMetrics(option.font))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the cell: its ground and text, then what is drawn into it."""
        super().paint(painter, option, index)
        part, tokens = COLUMNS[index.column()].part, self._theme.tokens
        model = index.model()
        if not isinstance(model, ChangesModel):
            return
        row: ComparedRow = index.data(_ROLE)
        area = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(option.font)
        match part:
            case "rank" if row.rank in model.pinned:
                box = QRect(option.rect.left() + 1, option.rect.center().y() - 6, 12, 12)
                self._theme.icons.get("pinned", tokens.accent).paint(painter, box)
            case "change":
                paint_change_cell(painter, area, row, tokens)
            case "interval":
                paint_whisker_cell(painter, area, row, tokens)
            case "shape":
                paint_shape_cell(painter, area, model.shapes.get(row.rank), tokens)
            case "confidence":
                paint_confidence_cell(painter, area, row, tokens)
            case "judged":
                paint_judged_cell(painter, area, row, tokens)
        painter.restore()


def _room(option: QStyleOptionViewItem, view: QWidget) -> int:
    """Return the pixels that the style leaves a cell's text: of a longer one it would cut the end itself."""
    style = view.style()
    inside = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, view)
    margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, view) + 1
    return inside.width() - 2 * margin


class ChangesTable(QTableView):
    """The table.

    Signals: ``chosen`` with the row that is the current one; ``opened`` with a row to show in Charts;
    ``pinned`` with a row whose chart is to be pinned or let go; ``moved_with`` with a row of which is asked
    what moved with it; ``only`` with the entity whose rows alone are to be shown; ``visible`` with the rows
    in sight whose shapes are unknown; ``copied`` with a message; ``save_wanted`` with a FileOffer.
    """

    chosen = Signal(object)
    opened = Signal(object)
    pinned = Signal(object)
    moved_with = Signal(object)
    only = Signal(object)
    visible = Signal(object)
    copied = Signal(str)
    save_wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.changes = ChangesModel(self)
        self.setModel(self.changes)
        self.title = "Comparison"
        self._delegate = _Delegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName("Changes, ranked")
        show_plain_rows(self, _ROW, _HEAD)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrap(False)
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setMinimumSectionSize(20)
        head.setSectionsClickable(True)
        head.setSortIndicatorShown(True)
        head.setSortIndicatorClearable(True)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        head.sortIndicatorChanged.connect(self._order)
        self._keys = KeyHandlers(
            ROW_KEYS, {"open": lambda _key: self._open(), "pin": lambda _key: self._pin()}
        )
        self._look = QTimer(self, singleShot=True, interval=_VISIBLE_MS)
        self._look.timeout.connect(self._ask_visible)
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._look.start())
        self.selectionModel().currentRowChanged.connect(lambda now, _before: self._choose(now))
        self.doubleClicked.connect(lambda _index: self._open())
        theme.changed.connect(self.viewport().update)
        ContextMenu(self, self._entries)

    def show_rows(self, rows: Sequence[ComparedRow], *, new: bool = False) -> None:
        """Show these rows; the chosen one stays so if it is among them, else the first one is."""
        before = self.current
        if new:
            before, self.changes.shapes = None, {}
        self._delegate.names.set_names(one.name for one in rows)
        self.changes.show_rows(rows)
        self._fit()
        ranks = [one.rank for one in self.changes.rows]
        at = ranks.index(before.rank) if before is not None and before.rank in ranks else 0
        if rows:
            self.selectRow(at)
            self.scrollTo(self.changes.index(at, 0))
        else:
            self.chosen.emit(None)
        self._look.start()

    @property
    def current(self) -> ComparedRow | None:
        """The chosen row, None if there is none."""
        at = self.currentIndex().row()
        return self.changes.rows[at] if 0 <= at < len(self.changes.rows) else None

    def table(self) -> TextTable:
        """Return all rows that are shown."""
        return rows_table(self.changes.rows, self.changes.shapes, self.title)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handle the keys of rows; letters search in no table of numbers, they go on to the page."""
        if self._keys.press(event):
            return
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        if plain and event.text().strip().isprintable() and event.text().strip():
            event.ignore()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give names what the other columns leave; where that is little, put columns away."""
        super().resizeEvent(event)
        self._fit()
        self._look.start()

    def _fit(self) -> None:
        last = max((one.rank for one in self.changes.rows), default=0)
        rank = self.fontMetrics().horizontalAdvance("0" * len(str(last))) + _BESIDE_RANK
        room = self.viewport().width() - max(0, rank - COLUMNS[0].width)
        shown = list(COLUMNS)
        for one in sorted((one for one in COLUMNS if one.drop), key=lambda one: one.drop):
            if room - sum(other.width for other in shown) >= _LEAST_NAMES:
                break
            shown.remove(one)
        left = max(room - sum(one.width for one in shown), 160)
        head = self.horizontalHeader()
        for at, one in enumerate(COLUMNS):
            head.setSectionHidden(at, one not in shown)
            width = one.width or int(left * (0.45 if one.part == "name" else 0.55))
            head.resizeSection(at, max(width, rank) if one.part == "rank" else width)

    def _ask_visible(self) -> None:
        if not self.isVisible() or not self.changes.rows:
            return
        first = max(self.rowAt(0), 0)
        last = self.rowAt(self.viewport().height() - 1)
        end = len(self.changes.rows) if last < 0 else last + 1
        some = self.changes.rows[first:end]
        unknown = [one for one in some if one.rank not in self.changes.shapes]
        if unknown:
            self.visible.emit(unknown)

    def _choose(self, now: QModelIndex) -> None:
        if now.isValid():
            self.chosen.emit(self.changes.rows[now.row()])

    def _order(self, column: int, order: Qt.SortOrder) -> None:
        self.changes.order_by(column, order)
        self.show_rows(self.changes.rows)

    def _open(self) -> None:
        if self.current is not None:
            self.opened.emit(self.current)

    def _pin(self) -> None:
        if self.current is not None:
            self.pinned.emit(self.current)

    def _entries(self, at: QPoint | None) -> Entries:
        if at is not None:
            index = self.indexAt(at)
            if index.isValid() and not self.selectionModel().isSelected(index):
                self.selectRow(index.row())
        row = self.current
        all_rows = table_entries(
            self.table, self.copied.emit, self.save_wanted.emit, copy_key="", enabled=bool(self.changes.rows)
        )
        if row is None:
            return all_rows
        chosen = sorted({one.row() for one in self.selectionModel().selectedRows()})
        some = [self.changes.rows[one] for one in chosen]
        copied = lambda: self.copied.emit(  # noqa: E731 - used once, below
            copy_table(rows_table(some, self.changes.shapes, self.title))
        )
        return [
            MenuEntry("Show in Charts", lambda: self.opened.emit(row), "Return"),
            MenuEntry(
                "Pin the chart", lambda: self.pinned.emit(row), "P", checked=row.rank in self.changes.pinned
            ),
            MenuEntry("What moved with it", lambda: self.moved_with.emit(row)),
            MenuEntry(f"Only rows of {row.name}", lambda: self.only.emit(row.entity)),
            None,
            MenuEntry("Copy the chosen rows", copied, COPY),
            *all_rows,
        ]
