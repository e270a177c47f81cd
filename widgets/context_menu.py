"""The context menu of a view, declared as entries: by right click, Menu key and Shift+F10, with its keys.

A view gives its ``ContextMenu`` a function that returns the entries for a point. The keys of the entries work
while the view has the focus, too, so that what the menu shows and what a key does is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QIcon, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QMenu, QWidget

from resources.foreign_text import tooltip_text
from sessions.model import EntityRef
from viewmodels.file_offer import FileOffer, table_file
from viewmodels.text_table import TextTable
from widgets.copying import copy_table
from widgets.keys import KeyRow, key_name

COPY = "Ctrl+C"
SAVE = "Ctrl+S"
KEYS = (
    KeyRow("copy", "Copy the table or what is chosen in it", (COPY,)),
    KeyRow("save", "Save the table as a file", (SAVE,)),
    KeyRow("menu", "Open the context menu", ("Shift+F10", "Menu")),
)
"""The keys that every view with a context menu has, for the shortcut sheet."""
_MENU_KEYS = frozenset(("Shift+F10", "Menu"))


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """An entry: its text, what it does, and the portable name of its key (``Ctrl+C``), if it has one.

    ``checked`` makes it a check box. ``why`` is the tooltip, above all of an entry that is not ``enabled``.
    ``icon`` None: none.
    """

    text: str
    act: Callable[[], object]
    key: str = ""
    enabled: bool = True
    checked: bool | None = None
    icon: QIcon | None = None
    why: str = ""


Entries = Sequence[MenuEntry | None]
"""Entries from top to bottom; None is a line between groups."""

MoreEntries = Callable[[Sequence[EntityRef]], Entries]
"""Further entries about some entities, for menus of views that know no recording."""

NO_MORE: MoreEntries = lambda _refs: ()  # noqa: E731 - a value like any other


class ContextMenu(QObject):
    """Opens the menu of a widget, and does what its entries' keys say while the widget has the focus.

    ``entries`` gets the point of a right click in the widget (in the viewport of a scroll area), or None for
    the current item, and returns the entries; without entries, no menu opens. ``place`` is the point at which
    the keyboard opens the menu: by default the current item of an item view, else the widget's middle.
    Signal ``opened`` carries the menu before it is shown.
    """

    opened = Signal(object)

    def __init__(
        self,
        widget: QWidget,
        entries: Callable[[QPoint | None], Entries],
        place: Callable[[], QPoint] | None = None,
    ) -> None:
        super().__init__(widget)
        self._widget, self._entries, self._place = widget, entries, place
        self._area = widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
        widget.setContextMenuPolicy(Qt.ContextMenuPolicy.DefaultContextMenu)
        widget.installEventFilter(self)
        if self._area is not widget:
            self._area.installEventFilter(self)

    def entries(self) -> Entries:
        """Return the entries for the current item."""
        return self._entries(None)

    def press(self, key: str) -> bool:
        """Do what the entry with this key does for the current item; False if no enabled entry has it."""
        found = [one for one in self.entries() if one is not None and one.key == key and one.enabled]
        if found:
            found[0].act()
        return bool(found)

    def open_at_current(self) -> None:
        """Open the menu for the current item, as by the keyboard."""
        self._open(None, self._area.mapToGlobal(self._keyboard_place()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Open the menu on a context menu event, and handle the keys of the entries."""
        if isinstance(event, QContextMenuEvent):
            if event.reason() == QContextMenuEvent.Reason.Mouse:
                inside = (
                    event.pos() if watched is self._area else self._area.mapFrom(self._widget, event.pos())
                )
                self._open(inside, event.globalPos())
            else:
                self.open_at_current()
            event.accept()
            return True
        if isinstance(event, QKeyEvent) and watched is self._widget:
            return self._take_key(event)
        return super().eventFilter(watched, event)

    def _take_key(self, event: QKeyEvent) -> bool:
        key = key_name(event)
        if key not in _MENU_KEYS and not self._has(event, key):
            return False
        if event.type() == QEvent.Type.ShortcutOverride:  # before a shortcut of the window with that key
            event.accept()
            return True
        if event.type() != QEvent.Type.KeyPress:
            return False
        if key in _MENU_KEYS:
            self.open_at_current()
            return True
        return self.press(key)

    def _has(self, event: QKeyEvent, key: str) -> bool:
        wanted = {QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress}
        letter = event.text().strip()
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier and bool(letter) and letter.isprintable()
        if event.type() not in wanted or plain:  # letters alone search in item views
            return False
        return any(one is not None and one.key == key and one.enabled for one in self.entries())

    def _keyboard_place(self) -> QPoint:
        if self._place is not None:
            return self._place()
        if isinstance(self._widget, QAbstractItemView):
            box = self._widget.visualRect(self._widget.currentIndex()).intersected(self._area.rect())
            if not box.isEmpty():
                return QPoint(box.left() + min(box.width() // 2, 48), box.center().y())
        return self._area.rect().center()

    def _open(self, inside: QPoint | None, at: QPoint) -> None:
        entries = self._entries(inside)
        if not any(entries):
            return
        menu = make_menu(entries, self._widget)
        self.opened.emit(menu)
        menu.popup(at)


def make_menu(entries: Entries, parent: QWidget) -> QMenu:
    """Return a menu of these entries, which deletes itself when it closes."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
    for entry in entries:
        if entry is None:
            menu.addSeparator()
            continue
        action = menu.addAction(entry.text)
        if entry.key:
            action.setShortcut(QKeySequence(entry.key))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)  # the filter takes the key
            action.setShortcutVisibleInContextMenu(True)
        if entry.checked is not None:
            action.setCheckable(True)
            action.setChecked(entry.checked)
        if entry.icon is not None:
            action.setIcon(entry.icon)
        action.setToolTip(tooltip_text(entry.why))
        action.setEnabled(entry.enabled)
        action.triggered.connect(lambda _checked=False, act=entry.act: act())
    return menu


def context_menu_of(widget: QWidget | None) -> ContextMenu | None:
    """Return the context menu of a widget or of the nearest widget around it that has one."""
    while widget is not None:
        found = widget.findChild(ContextMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
        if found is not None:
            return found
        widget = widget.parentWidget()
    return None


def table_entries(
    table: Callable[[], TextTable],
    copied: Callable[[str], object],
    save: Callable[[FileOffer], object],
    *,
    copy_text: str = "Copy the table",
    copy_key: str = COPY,
    enabled: bool = True,
) -> list[MenuEntry | None]:
    """Return the entries that every table has: copy it, and save it as CSV.

    ``table`` is called when an entry is chosen; ``copied`` gets the message for the user, ``save``
    the offer. ``copy_key`` is empty if another entry has that key.
    """
    return [
        MenuEntry(copy_text, lambda: copied(copy_table(table())), copy_key, enabled=enabled),
        MenuEntry("Save as CSV…", lambda: save(table_file(table())), SAVE, enabled=enabled),
    ]
