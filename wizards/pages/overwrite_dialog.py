"""Typed confirmation before disks are overwritten: the only place where the window is modal."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown, tooltip_text
from resources.units import format_bytes, format_count
from widgets.elided_label import ElidedLabel
from widgets.eliding import NameElider
from widgets.theme import Theme
from wizards.flows.confirmation import TYPED
from wizards.flows.overwriting import Overwriting, OverwrittenDisk
from workloads.disk_uuid import plain_uuid

_WIDTH, _LEAST_WIDTH, _FRAME, _NAME = 1060, 820, 80, 180
_EMPTY, _LATER = "✓ empty, not mounted, no signature", "looked at before the first write"


class TypedField(QLineEdit):
    """A field that takes keys only: nothing can be pasted or dropped into it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setAcceptDrops(False)
        self.setMaximumWidth(130)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Refuse to paste; Enter confirms nothing."""
        if event.matches(QKeySequence.StandardKey.Paste) or event.key() in (
            Qt.Key.Key_Return,
            Qt.Key.Key_Enter,
        ):
            event.accept()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """There is no menu to paste from."""
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Refuse X11's paste by the middle button."""
        if event.button() != Qt.MouseButton.MiddleButton:
            super().mouseReleaseEvent(event)


class OverwriteDialog(QDialog):
    """Lists every disk with VM, path, size and UUID. ``exec`` returns whether it was confirmed.

    A given disk's last characters must be typed; if all are made by the run, the datastore's name once.
    Cancel has the focus, the red button is the last in the order of Tab, and Enter never confirms.
    """

    def __init__(
        self, theme: Theme, what: Overwriting, checked: datetime | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._what = theme, what
        self._paths = NameElider()
        self.fields: dict[str, TypedField] = {}
        self.phrase = TypedField("The datastore's name", self)
        self.phrase.setMaximumWidth(300)
        self.phrase.hide()  # unless the run makes all disks
        self.setWindowTitle("Overwrite disks")
        self.setModal(True)
        self.setMinimumWidth(_LEAST_WIDTH)
        room = parent.window().width() - _FRAME if parent is not None else _WIDTH
        self.resize(max(_LEAST_WIDTH, min(_WIDTH, room)), 100)
        count = len(what.disks)
        sign = f'<span style="color:{theme.tokens.critical}">▲</span>'
        words = f"This overwrites {format_count(count)} {'disks' if count > 1 else 'disk'}"
        title = QLabel(f"{sign}&nbsp; {words}", textFormat=Qt.TextFormat.RichText)
        title.setProperty("role", "page-title")
        text = QLabel(self._text(), wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.cancel = QPushButton("Cancel")
        self.confirm = QPushButton("Overwrite and start")
        self.confirm.setProperty("role", "danger")
        self.confirm.setEnabled(False)
        self.why = QLabel(wordWrap=True)
        self.why.setProperty("role", "muted")
        for button in (self.cancel, self.confirm):
            button.setAutoDefault(False)
            button.setDefault(False)
        self.cancel.clicked.connect(self.reject)
        self.confirm.clicked.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addWidget(title)
        column.addWidget(text)
        column.addWidget(self._disks(checked), 1)
        refused = QLabel(
            "Refused at any of three places, plan, start and in the guest, if the UUID or size differs, the "
            "disk is mounted, or a partition, filesystem, LVM, ZFS or Windows volume is found.",
            wordWrap=True,
        )
        refused.setProperty("role", "muted")
        column.addWidget(refused)
        buttons = QHBoxLayout()
        buttons.addWidget(self.why, 1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.confirm)
        column.addLayout(buttons)
        self._order()
        self._look()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter confirms nothing; Escape cancels."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()
        else:
            super().keyPressEvent(event)

    def _text(self) -> str:
        given = len(self._what.given)
        made = len(self._what.disks) - given
        parts = ["Whatever is on them is lost; no undo can bring it back."]
        if made:
            parts.append(f"{format_count(made)} will be made by this test and are empty.")
        if given:
            parts.append(f"{format_count(given)} are yours: type the last {TYPED} characters of each UUID.")
        elif made:
            parts.append(f"Type the name of the datastore: {shown(self._what.phrase, 80)}")
        return " ".join(parts)

    def _disks(self, checked: datetime | None) -> QWidget:
        body = QWidget()
        grid = QGridLayout(body)
        grid.setContentsMargins(0, 4, 0, 4)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        self._checked = checked
        self._paths.set_names(shown(one.path or one.name, 60) for one in self._what.disks)
        when = f"found in the guest {checked:%H:%M:%S}" if checked is not None else "in the guest"
        for number, head in enumerate(("VM", "disk", "size", "UUID", when, "type")):
            label = QLabel(head)
            label.setProperty("role", "muted")
            grid.addWidget(label, 0, number)
        for row, one in enumerate(self._what.disks, 1):
            self._row(grid, row, one)
        if not self._what.given and self._what.phrase:
            self.phrase.textChanged.connect(lambda _text: self._look())
            self.phrase.show()
            grid.addWidget(self.phrase, len(self._what.disks) + 1, 3, 1, 3)
        names = (self.fontMetrics().horizontalAdvance(shown(one.worker, 60)) for one in self._what.disks)
        grid.setColumnMinimumWidth(0, min(_NAME, max(names, default=0) + 8))
        grid.setColumnStretch(1, 3)
        grid.setColumnStretch(3, 2)
        grid.setRowStretch(len(self._what.disks) + 2, 1)
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(body)
        area.setMinimumHeight(min(360, 60 + 36 * (len(self._what.disks) + 1)))
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return area

    def _row(self, grid: QGridLayout, row: int, one: OverwrittenDisk) -> None:
        found = _EMPTY if self._checked is not None else _LATER
        parts: tuple[QWidget, ...] = (
            ElidedLabel(shown(one.worker, 60)),
            ElidedLabel(shown(one.path or one.name, 60), names=self._paths),
            QLabel(format_bytes(one.size_bytes), textFormat=Qt.TextFormat.PlainText),
            _uuid(one) if one.uuid else QLabel("new"),
            QLabel("made by this test" if one.is_made else found, textFormat=Qt.TextFormat.PlainText),
        )
        for column, part in enumerate(parts):
            grid.addWidget(part, row, column)
        if not one.is_made:
            field = TypedField(
                f"Last {TYPED} characters of the UUID of {shown(one.path, 80)} of {shown(one.worker, 60)}"
            )
            field.setMaxLength(TYPED + 4)  # dashes may be typed, too
            field.textChanged.connect(lambda _text: self._look())
            self.fields[one.uuid] = field
            grid.addWidget(field, row, 5)

    def _order(self) -> None:
        """Tab goes from Cancel through the fields to the red button, which is the last."""
        chain: list[QWidget] = [self.cancel, *self.fields.values()]
        if not self.fields:
            chain.append(self.phrase)
        for before, after in zip(chain, [*chain[1:], self.confirm], strict=True):
            QWidget.setTabOrder(before, after)
        self.cancel.setFocus(Qt.FocusReason.OtherFocusReason)

    def _look(self) -> None:
        typed = {uuid: field.text() for uuid, field in self.fields.items()}
        is_done = self._what.is_confirmed(typed, self.phrase.text())
        self.confirm.setEnabled(is_done)
        left = sum(plain_uuid(typed[one.uuid]) != one.key for one in self._what.given if one.uuid in typed)
        if self._what.problem:
            self.why.setText(self._what.problem)
        elif is_done:
            self.why.setText("")
        elif left:
            self.why.setText(f"{format_count(left)} still to be typed")
        else:
            self.why.setText("The datastore's name is still to be typed")


def _uuid(one: OverwrittenDisk) -> QWidget:
    """Return a UUID whose end, which is to be typed, stays when there is no room for all of it."""
    begin, end = (shown(part, 60) for part in one.parts)
    whole, last = QWidget(), QLabel(end, textFormat=Qt.TextFormat.PlainText)
    last.setProperty("role", "title")
    first = ElidedLabel(begin)
    first.setMaximumWidth(first.fontMetrics().horizontalAdvance(begin) + 4)
    row = QHBoxLayout(whole)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(0)
    row.addWidget(first, 1)
    row.addWidget(last)
    whole.setToolTip(tooltip_text(one.uuid))
    return whole
