"""The context menu of the heat map: chart a row, copy and save values or picture."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QPoint, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractScrollArea

from resources.foreign_text import shown
from viewmodels.file_offer import FileForm, FileOffer
from viewmodels.heat_map import Heat, HeatRow
from viewmodels.text_table import TextTable
from widgets.context_menu import NO_MORE, ContextMenu, Entries, MenuEntry, table_entries
from widgets.copying import copy_picture, copy_text
from widgets.heatmap.geometry import MIN_NAMES_WIDTH, ROW_HEIGHT

_NAME = 40


class HeatMenu(QObject):
    """Signals: ``chosen(HeatRow, None)`` to chart a row; ``copied`` with a message; ``save_wanted``.

    ``number_at`` gives the number of the row at a point (None: of the current one), ``table`` all values;
    ``more`` further entries about the entity of a row.
    """

    chosen = Signal(object, object)
    copied = Signal(str)
    save_wanted = Signal(object)

    def __init__(
        self,
        area: QAbstractScrollArea,
        heat: Callable[[], Heat],
        number_at: Callable[[QPoint | None], int | None],
        table: Callable[[], TextTable],
    ) -> None:
        super().__init__(area)
        self._area, self._heat, self._number_at, self._table = area, heat, number_at, table
        self.more = NO_MORE
        self._menu = ContextMenu(area, self._entries, self._place)

    def _entries(self, at: QPoint | None) -> Entries:
        row = self._row_at(at)
        of_row: list[MenuEntry | None] = []
        if row is not None:
            name = shown(row.name, _NAME)
            of_row = [
                MenuEntry(f"Chart {name}", lambda: self.chosen.emit(row, None), "Return"),
                *self.more([row.ref]),
                MenuEntry(
                    "Copy the name", lambda: self.copied.emit(copy_text(shown(row.name), "The name was"))
                ),
                None,
            ]
        some = self._row_at(None) is not None
        return [
            *of_row,
            *table_entries(
                self._table,
                self.copied.emit,
                self.save_wanted.emit,
                copy_text="Copy the values",
                enabled=some,
            ),
            None,
            MenuEntry("Copy as picture", self._copy_picture, enabled=some),
            MenuEntry("Save as picture…", self._save_picture, enabled=some),
        ]

    def _row_at(self, at: QPoint | None) -> HeatRow | None:
        number, rows = self._number_at(at), self._heat().rows
        return rows[number] if number is not None and number < len(rows) else None

    def _place(self) -> QPoint:
        """The middle of the current row, within the area."""
        top = (self._number_at(None) or 0) * ROW_HEIGHT - self._area.verticalScrollBar().value()
        inside = max(0, min(top, self._area.viewport().height() - ROW_HEIGHT))
        return QPoint(MIN_NAMES_WIDTH, inside + ROW_HEIGHT // 2)

    def _copy_picture(self) -> None:
        self.copied.emit(copy_picture(self._area.viewport().grab(), self._table().title))

    def _save_picture(self) -> None:
        image = self._area.viewport().grab().toImage()
        self.save_wanted.emit(
            FileOffer(self._table().title, (FileForm("PNG", ".png", lambda: as_png(image)),))
        )


def as_png(image: QImage) -> bytes:
    """Return the picture as a PNG file; works in any thread."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs name the format bytes
    buffer.close()
    return bytes(data.data())
