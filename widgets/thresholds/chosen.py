"""The classes that an admin chose for names of devices and datastores: a list in order, a row to add one, and
which class each device of the open session has.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown, tooltip_text
from resources.threshold_sets import MAX_NOTE, MAX_PATTERN, ChosenClass
from widgets.thresholds.parts import PageNote, button, muted, row, show_step

_ABOUT = (
    "What a device says of itself decides its class: its name, its protocol, and whether it is an SSD. "
    "Where it says nothing, or the wrong thing, choose the class for its name here: * stands for anything, "
    "as in naa.600*. The first line that fits decides."
)
_LIST_HEIGHT = 150
_EMPTY = (
    "No class was chosen by hand: devices and datastores tell theirs. Where one does not, type its name "
    "below, as naa.600*, choose its class, then Add."
)
_WIDEST_NAME = 190
"""Pixels of the names of devices: what class they are of is to be seen beside them."""
_NO_DEVICES = "No session with devices or datastores is open."
_KINDS = (("device", "Devices"), ("datastore", "Datastores"))


class ChosenClassesView(QWidget):
    """A list of choices. Signals: ``changed`` with all choices in their order; ``undo_wanted``;
    ``redo_wanted``.
    """

    changed = Signal(object)
    undo_wanted = Signal()
    redo_wanted = Signal()

    def __init__(self, classes: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        """``classes`` are (id, title) pairs."""
        super().__init__(parent)
        self._titles = dict(classes)
        self._chosen: list[ChosenClass] = []
        self.list = QTreeWidget()
        self.list.setRootIsDecorated(False)
        self.list.setHeaderLabels(["Names like", "Of", "Class", "Note"])
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setAccessibleName("Classes chosen for names")
        self.list.setFixedHeight(_LIST_HEIGHT)
        self.empty = QLabel(_EMPTY, self.list.viewport(), wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.empty.setProperty("role", "muted")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        QVBoxLayout(self.list.viewport()).addWidget(self.empty)
        self.list.currentItemChanged.connect(lambda _item, _old: self._enable())
        self.pattern = QLineEdit(maxLength=MAX_PATTERN, placeholderText="naa.600*")
        self.pattern.setAccessibleName("Names like")
        self.pattern.textChanged.connect(lambda _text: self._enable())
        self.pattern.returnPressed.connect(self._add)
        self.kind = _choice("Of", _KINDS)
        self.classes = _choice("Class", classes)
        self.note = QLineEdit(maxLength=MAX_NOTE, placeholderText="Why")
        self.note.setAccessibleName("Note")
        self.note.returnPressed.connect(self._add)
        self.add = button("Add", "Choose this class for these names", self._add)
        self.remove = button("Remove", "Let these devices tell their class again", self._remove)
        self.up = button("Up", "Look at this line earlier", lambda: self._move(-1))
        self.down = button("Down", "Look at this line later", lambda: self._move(1))
        self.undo = button("Undo", "Nothing to undo", self.undo_wanted.emit)
        self.redo = button("Redo", "Nothing to redo", self.redo_wanted.emit)
        self.devices = QTreeWidget()
        self.devices.setRootIsDecorated(False)
        self.devices.setHeaderLabels(["In this session", "Of", "Class", "Why"])
        self.devices.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.devices.setAccessibleName("Classes of the devices of this session")
        self.devices.setMinimumHeight(_LIST_HEIGHT)
        self.devices.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.devices.itemActivated.connect(self._name_like)
        self.devices_note = muted(_NO_DEVICES)
        self.trouble = PageNote()
        self._lay_out()
        self._enable()

    def show_chosen(self, chosen: Sequence[ChosenClass]) -> None:
        """Show all choices in their order."""
        at = self._at
        self._chosen = list(chosen)
        self.empty.setVisible(not chosen)
        self.list.clear()
        kinds = dict(_KINDS)
        for one in chosen:
            title = self._titles.get(one.storage_class, one.storage_class)
            cells = [shown(one.pattern), kinds[one.kind], title, shown(one.note)]
            item = QTreeWidgetItem(cells)
            for column, text in enumerate(cells):
                item.setToolTip(column, tooltip_text(text))
            self.list.addTopLevelItem(item)
        current = self.list.topLevelItem(min(max(at, 0), len(chosen) - 1))
        if current is not None:
            self.list.setCurrentItem(current)
        for column in range(3):
            self.list.resizeColumnToContents(column)
        self._enable()

    def show_devices(self, rows: Sequence[tuple[str, str, str, str]], note: str) -> None:
        """Show the devices and datastores of the open session: name, kind, class, and why it is that one.

        ``note`` says what is left out.
        """
        self.devices.clear()
        for cells in rows:
            item = QTreeWidgetItem(list(cells))
            for column, text in enumerate(cells):
                item.setToolTip(column, tooltip_text(text))
            self.devices.addTopLevelItem(item)
        for column in range(3):
            self.devices.resizeColumnToContents(column)
        self.devices.setColumnWidth(0, min(self.devices.columnWidth(0), _WIDEST_NAME))
        self.devices.setVisible(bool(rows))
        text = note if rows else _NO_DEVICES
        self.devices_note.setText(text)
        self.devices_note.setVisible(bool(text))

    def _name_like(self, item: QTreeWidgetItem) -> None:
        """Begin a choice for a device or datastore of the list."""
        self.pattern.setText(item.text(0))
        self.kind.setCurrentText(next(label for _, label in _KINDS if label.startswith(item.text(1))))
        self.classes.setFocus()

    def show_trouble(self, text: str) -> None:
        """Say what could not be done; empty: nothing is wrong."""
        self.trouble.say(text, is_trouble=True)

    def show_steps(self, undo: str, redo: str) -> None:
        """Say what can be undone, and done again."""
        show_step(self.undo, undo)
        show_step(self.redo, redo)

    def _add(self) -> None:
        if not self.pattern.text().strip():
            return
        one = ChosenClass(
            self.pattern.text().strip(),
            self.classes.currentData(),
            self.kind.currentData(),
            self.note.text().strip(),
        )
        self.pattern.clear()
        self.note.clear()
        self.changed.emit([*self._chosen, one])

    def _remove(self) -> None:
        at = self._at
        if at >= 0:
            self.changed.emit([one for number, one in enumerate(self._chosen) if number != at])

    def _move(self, by: int) -> None:
        at, to = self._at, self._at + by
        if at < 0 or not 0 <= to < len(self._chosen):
            return
        order = list(self._chosen)
        order[at], order[to] = order[to], order[at]
        item = self.list.topLevelItem(to)
        if item is not None:
            self.list.setCurrentItem(item)
        self.changed.emit(order)

    @property
    def _at(self) -> int:
        item = self.list.currentItem()
        return self.list.indexOfTopLevelItem(item) if item is not None else -1

    def _enable(self) -> None:
        at = self._at
        self.add.setEnabled(bool(self.pattern.text().strip()))
        self.remove.setEnabled(at >= 0)
        self.up.setEnabled(at > 0)
        self.down.setEnabled(0 <= at < len(self._chosen) - 1)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 16, 4, 8)
        column.setSpacing(8)
        column.addWidget(muted(_ABOUT))
        column.addWidget(self.list)
        column.addLayout(row(self.remove, self.up, self.down, None, self.undo, self.redo))
        form = QFormLayout()
        form.setVerticalSpacing(6)
        form.addRow("Names like", self.pattern)
        form.addRow("Of", self.kind)
        form.addRow("Class", self.classes)
        form.addRow("Note", self.note)
        column.addLayout(form)
        column.addLayout(row(self.add, None))
        column.addWidget(self.trouble)
        column.addWidget(self.devices)
        column.addWidget(self.devices_note)
        column.addStretch(1)
        self.show_trouble("")


def _choice(name: str, pairs: Sequence[tuple[str, str]]) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    for value, label in pairs:
        box.addItem(label, value)
    return box
