"""The context menu of the heat map: chart a row, copy and save values or picture."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QPoint, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractScrollArea

from resources.foreign_text import shown
from viewmodels.file_offer import FileForm, FileOffer
from viewmodels.heat_map import HeatRow
from viewmodels.text_table import TextTable
from widgets.context_menu import ContextMenu, Entries, MenuEntry, table_entries
from widgets.copying import copy_picture, copy_text

_NAME = 40


class HeatMenu(QObject):
    """Signals: ``chosen(HeatRow, None)`` to chart a row; ``copied`` with a message; ``save_wanted``.

    ``row_at`` gives the row at a point (None: the current one), ``table`` all values, ``place`` where the
    current row is.
    """

    chosen = Signal(object, object)
    copied = Signal(str)
    save_wanted = Signal(object)

    def __init__(
        self,
        area: QAbstractScrollArea,
        row_at: Callable[[QPoint | None], HeatRow | None],
        table: Callable[[], TextTable],
        place: Callable[[], QPoint],
    ) -> None:
        super().__init__(area)
        self._area, self._row_at, self._table = area, row_at, table
        self._menu = ContextMenu(area, self._entries, place)

    def _entries(self, at: QPoint | None) -> Entries:
        row = self._row_at(at)
        of_row: list[MenuEntry | None] = []
        if row is not None:
            name = shown(row.name, _NAME)
            of_row = [
                MenuEntry(f"Chart {name}", lambda: self.chosen.emit(row, None), "Return"),
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
