"""Whose guests do the I/O: VMs of a vCenter with the account of their guests, or machines over ssh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSortFilterProxyModel, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from resources.units import format_count
from widgets.search_field import SearchField
from wizards.flows.choices import WorkerOffer, why_not_text
from wizards.flows.verdicts.phrases import counted
from wizards.pages.vm_table import ROW, VmModel, vm_table

_MAX_ROWS = 9


@dataclass(frozen=True, slots=True)
class Guests:
    """What is to be entered: VMs with the account of their guests, or the addresses of machines."""

    vms: tuple[str, ...] = ()
    user: str = ""
    addresses: tuple[str, ...] = ()


class VmsChoice(QWidget):
    """VMs to tick, the account of their guests, and the button that logs in there.

    Signals: ``changed`` when other VMs are ticked; ``entered`` with Guests when the button is pressed;
    ``other_password`` with the same when the account's password is to be asked for again.
    """

    changed = Signal()
    entered = Signal(object)
    other_password = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entered: dict[str, WorkerOffer] = {}
        self._user_entered = ""
        self._vms = VmModel()
        self._vms.ticked.connect(self._take_ticks)
        self._filter = QSortFilterProxyModel(self)
        self._filter.setSourceModel(self._vms)
        self._filter.setFilterKeyColumn(-1)
        self._filter.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.search = SearchField("Search names and hosts", "Search the VMs")
        self.search.textChanged.connect(self._filter.setFilterFixedString)
        self.table = vm_table(self._filter)
        self.search.left.connect(self.table.setFocus)
        self.user = QLineEdit("root")
        self.user.setAccessibleName("Guest account")
        self.user.setToolTip("The account of the guests, through VMware Tools: the same in all of them")
        self.user.textChanged.connect(lambda _text: self._take_ticks())
        self.enter = QPushButton("Log in to the guests")
        self.enter.clicked.connect(lambda: self.entered.emit(Guests(self.ticked, self.user.text().strip())))
        self.again = QPushButton("Other password…")
        self.again.setToolTip("Forget the password of this account, and ask for it again")
        self.again.clicked.connect(
            lambda: self.other_password.emit(Guests(self.ticked, self.user.text().strip()))
        )
        label = QLabel("Guest account")
        label.setBuddy(self.user)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(label)
        row.addWidget(self.user, 1)
        row.addWidget(self.enter)
        row.addWidget(self.again)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.search)
        column.addWidget(self.table)
        column.addLayout(row)

    def show_vms(
        self,
        candidates: Sequence[WorkerOffer],
        entered: Sequence[WorkerOffer],
        user: str,
        ticked: Sequence[str],
    ) -> None:
        """Show the VMs; ``entered`` are those whose guests were asked, as ``user``."""
        self._entered, self._user_entered = {one.name: one for one in entered}, user
        if user:
            self.user.setText(user)
        rows = [self._entered.get(one.name, one) for one in candidates]
        self._vms.show(rows, {*ticked, *self._entered})
        rows_shown = max(3, min(_MAX_ROWS, len(rows)))
        self.table.setFixedHeight((rows_shown + 1) * ROW + 6)
        self._take_ticks(tell=False)

    @property
    def ticked(self) -> tuple[str, ...]:
        """The ticked VMs, by name."""
        return tuple(one.name for one in self._vms.rows if one.name in self._vms.chosen)

    @property
    def workers(self) -> tuple[str, ...]:
        """The ticked VMs whose guests answered."""
        return tuple(
            name for name in self.ticked if name in self._entered and not self._entered[name].why_not
        )

    @property
    def problem(self) -> str:
        """What is to be done before there can be a plan, empty if nothing is."""
        if not self.ticked:
            return "Tick the VMs that do the I/O."
        failed = [name for name in self.ticked if name in self._entered and self._entered[name].why_not]
        if failed:
            return why_not_text(failed[0], self._entered[failed[0]].why_not)
        strange = [name for name in self.ticked if name not in self._entered]
        if strange or self.user.text().strip() != self._user_entered:
            return "Log in to the guests of the ticked VMs."
        return ""

    def leave_out(self, names: Sequence[str]) -> None:
        """Clear the ticks of these VMs."""
        self._vms.show(self._vms.rows, self._vms.chosen - set(names))
        self._take_ticks()

    def _take_ticks(self, *, tell: bool = True) -> None:
        count, user = len(self.ticked), self.user.text().strip()
        self.enter.setText(f"Log in to {counted(count, 'guest')}" if count else "Log in to the guests")
        self.enter.setEnabled(bool(count and user))
        why = "" if count and user else "Tick VMs and name the account of their guests first"
        self.enter.setToolTip(
            why or "Ask each guest for its disks, its fio and its clock; nothing is changed"
        )
        self.again.setEnabled(bool(user))
        if tell:
            self.changed.emit()


class MachinesChoice(QWidget):
    """Guests over ssh, an address a line. Signal: ``entered`` with Guests when the button is pressed."""

    entered = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = QPlainTextEdit()
        self.text.setAccessibleName("Addresses of the guests")
        self.text.setPlaceholderText("ssh://root@perf-w01\nssh://root@perf-w02:2222")
        self.text.setTabChangesFocus(True)
        self.text.setFixedHeight(4 * ROW)
        self.text.textChanged.connect(self._show)
        self.enter = QPushButton("Connect")
        self.enter.clicked.connect(lambda: self.entered.emit(Guests(addresses=self.addresses)))
        note = QLabel("By key, by the ssh agent, or by a password that is asked for.", wordWrap=True)
        note.setProperty("role", "faint")
        row = QHBoxLayout()
        row.addWidget(note, 1)
        row.addWidget(self.enter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.text)
        column.addLayout(row)
        self._show()

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses that are written; a line without a scheme is taken as one over ssh."""
        lines = [line.strip() for line in self.text.toPlainText().replace(",", "\n").splitlines()]
        return tuple(line if "://" in line else f"ssh://{line}" for line in lines if line)

    def show_addresses(self, addresses: Sequence[str]) -> None:
        """Show these addresses, if others are written."""
        if tuple(addresses) != self.addresses:
            self.text.setPlainText("\n".join(addresses))

    def _show(self) -> None:
        count = len(self.addresses)
        self.enter.setText("Connect" if not count else f"Connect to {format_count(count)}")
        self.enter.setEnabled(bool(count))
        self.enter.setToolTip("" if count else "Write an address first, such as ssh://root@perf-w01")
