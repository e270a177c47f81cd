"""A row of the connect dialog: a vCenter or ESXi host with address, user and password."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QToolButton, QWidget

from widgets.connect.values import Kind, Place
from widgets.theme import Theme

_KINDS: tuple[tuple[Kind, str], ...] = (("vcenter", "vCenter"), ("esxi", "ESXi host"))
_USERS: dict[str, str] = {"vcenter": "administrator@vsphere.local", "esxi": "root"}


class PlaceRow(QWidget):
    """One server's row. Signals: ``changed``; ``removed`` when its button is pressed.

    A whole address that is pasted (``esxi://root@esx01``) fills all fields of the row.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, theme: Theme, place: Place, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = QComboBox()
        self.kind.setAccessibleName("What it is")
        for value, label in _KINDS:
            self.kind.addItem(label, value)
        self.host = QLineEdit(place.host, placeholderText="vc01.lab or 10.0.0.5:443")
        self.host.setAccessibleName("Address")
        self.user = QLineEdit(place.user)
        self.user.setAccessibleName("User")
        self.password = QLineEdit(placeholderText="Password", echoMode=QLineEdit.EchoMode.Password)
        self.password.setAccessibleName("Password")
        self.remove = QToolButton()
        self.remove.setProperty("role", "ghost")
        self.remove.setIcon(theme.icons.get("close"))
        self.remove.setAccessibleName("Remove this address")
        self.remove.setToolTip("Remove this address")
        self.remove.clicked.connect(self.removed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.kind)
        row.addWidget(self.host, 5)
        row.addWidget(self.user, 5)
        row.addWidget(self.password, 3)
        row.addWidget(self.remove)
        self.kind.setCurrentIndex(max(0, self.kind.findData(place.kind)))
        self.kind.currentIndexChanged.connect(self._kind_changed)
        self.host.textChanged.connect(self._host_changed)
        for line in (self.user, self.password):
            line.textChanged.connect(lambda _text: self.changed.emit())
        for line in (self.host, self.user):
            line.setCursorPosition(0)
        self._kind_changed()

    @property
    def place(self) -> Place:
        """Return the server of this row, with the default user if none is typed."""
        kind: Kind = "esxi" if self.kind.currentData() == "esxi" else "vcenter"
        return Place(kind, self.host.text().strip(), self.user.text().strip() or _USERS[kind])

    def _kind_changed(self) -> None:
        self.user.setPlaceholderText(_USERS[str(self.kind.currentData())])
        self.changed.emit()

    def _host_changed(self, text: str) -> None:
        kind, scheme, rest = text.strip().partition("://")
        if scheme and kind.lower() in {"vcenter", "esxi", "https"}:
            user, at, host = rest.rpartition("@")
            if kind.lower() != "https":
                self.kind.setCurrentIndex(self.kind.findData(kind.lower()))
            if at and ":" not in user:
                self.user.setText(user)
            self.host.setText(host.split("/")[0])
            return
        self.changed.emit()
