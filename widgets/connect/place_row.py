"""A row of the connect dialog: one source with its address, user and password, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args
from urllib.parse import unquote

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget

from resources.foreign_text import shown
from widgets.connect.values import USERS, Field, Kind, Place
from widgets.theme import Theme

_EXAMPLES: Mapping[Kind, str] = {
    "vcenter": "vc01.lab or 10.0.0.5:443",
    "esxi": "esx01.lab or 10.0.0.5:443",
    "esxtop": "vc01.lab",
    "ssh": "esx01.lab or 10.0.0.5:22",
    "guest": "app01.lab or 10.0.0.5:22",
    "tools": "vc01.lab",
}
_PATHS: Mapping[Kind, tuple[str, str]] = {
    "esxtop": ("Hosts", "esx01.lab, esx02.lab or esx0*"),
    "tools": ("VMs", "app01, app02"),
}
"""What of a server is named in a field of its own: its name, and an example."""


class PlaceRow(QWidget):
    """One source's row. Signals: ``changed``; ``removed`` when its button is pressed; ``readdressed`` with
    the Place when the whole address of another kind was pasted (``esxi://root@esx01``).

    An address of its own kind fills the fields of the row.
    """

    changed = Signal()
    removed = Signal()
    readdressed = Signal(object)

    def __init__(
        self,
        theme: Theme,
        place: Place,
        scenarios: Sequence[tuple[str, str]] = (),
        parent: QWidget | None = None,
    ) -> None:
        """``scenarios`` are names and titles of the lab's."""
        super().__init__(parent)
        self._theme, self._kind = theme, place.kind
        self._offered = ""
        named, example = _PATHS.get(place.kind, ("", ""))
        self.path = QLineEdit(place.path, placeholderText=example)
        self.path.setAccessibleName(named)
        self.host = QLineEdit(place.host, placeholderText=_EXAMPLES.get(place.kind, ""))
        self.host.setAccessibleName("Address")
        self.account = QLineEdit(place.account, placeholderText=USERS["vcenter"])
        self.account.setAccessibleName("vCenter's account")
        self.account.setToolTip(
            "Who logs in to the vCenter; its password is asked for if it is not known yet."
        )
        self.user = QLineEdit(place.user, placeholderText=USERS.get(place.kind, ""))
        self.password = QLineEdit(placeholderText="Password", echoMode=QLineEdit.EchoMode.Password)
        whose = " of the guests" if place.kind == "tools" else ""
        self.user.setAccessibleName(f"User{whose}")
        self.password.setAccessibleName(f"Password{whose}")
        if whose:
            self.user.setToolTip("Who logs in to the guests.")
            self.password.setPlaceholderText("Guests' password")
        self.scenario = QComboBox()
        self.scenario.setAccessibleName("Scenario")
        self.scenario.addItem("Not the lab", "")
        for name, title in scenarios:
            self.scenario.addItem(title, name)
        self.scenario.setCurrentIndex(max(0, self.scenario.findData(place.path)))
        self.remove = QToolButton()
        self.remove.setProperty("role", "ghost")
        self.remove.setIcon(theme.icons.get("close"))
        self.remove.setAccessibleName("Remove this address")
        self.remove.setToolTip("Remove this address")
        self.remove.clicked.connect(self.removed)
        self.trouble = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.trouble.hide()
        self._lay_out()
        self._join()

    @property
    def place(self) -> Place:
        """Return the source of this row, with the default user if none is typed."""
        if self._kind == "lab":
            return Place("lab", path=str(self.scenario.currentData() or ""))
        user = self.user.text().strip() or USERS[self._kind]
        host, path = self.host.text().strip(), self.path.text()
        if self._kind == "tools":
            vms = ",".join(name for one in path.split(",") if (name := one.strip()))
            return Place("tools", host, user, vms, self.account.text().strip() or USERS["vcenter"])
        hosts = ",".join(path.replace(",", " ").split()) if self._kind == "esxtop" else ""
        return Place(self._kind, host, user, hosts)

    @property
    def is_empty(self) -> bool:
        """True if nothing is typed that would be recorded: what was offered does not count."""
        if self._kind == "lab":
            return not self.scenario.currentData()
        typed = self.host.text().strip()
        return not self.path.text().strip() and (not typed or typed == self._offered)

    def offer_server(self, server: Place) -> None:
        """Put in this server and its user if no other is there: hosts are mostly asked through it."""
        if not self.host.text().strip() or self.host.text() == self._offered:
            self._offered = server.host
            self.host.setText(server.host)
            if self._kind == "tools":
                self.account.setText(server.user)
                return
            self.user.setText(server.user)
            self.password.setPlaceholderText("As vCenter's")

    def show_trouble(self, sentence: str, field: Field = "host") -> None:
        """Show what is wrong below the field that caused it, which gets the keyboard; empty: nothing is."""
        self.trouble.setText(f"◆ {shown(sentence, 400)}" if sentence else "")
        self.trouble.setStyleSheet(f"color: {self._theme.tokens.warning}")
        self.trouble.setVisible(bool(sentence))
        if sentence:
            self.first_field(field).setFocus()

    def first_field(self, field: Field | None = None) -> QWidget:
        """Return the field that is typed into first, or the one that is named."""
        if self._kind == "lab":
            return self.scenario
        named = {"host": self.host, "user": self.user, "path": self.path}
        return named.get(field or "", self.path if self._kind in _PATHS else self.host)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        fields: tuple[tuple[QWidget, int], ...] = (
            (self.path, 5), (self.host, 5), (self.account, 5), (self.user, 5), (self.password, 3),
        )  # fmt: skip
        if self._kind == "lab":
            fields = ((self.scenario, 1),)
        elif self._kind == "tools":
            fields = (*fields[:3], (self.user, 3), (self.password, 5))
        else:
            fields = (*fields[0 if self._kind in _PATHS else 1 : 2], *fields[3:])
        shown_ones = [one for one, _ in fields]
        for one in (self.path, self.host, self.account, self.user, self.password, self.scenario):
            if one not in shown_ones:
                one.setParent(self)
                one.hide()
        for widget, stretch in fields:
            row.addWidget(widget, stretch)
        row.addWidget(self.remove)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.trouble)

    def _join(self) -> None:
        self.host.textChanged.connect(self._host_changed)
        for line in (self.account, self.user, self.password, self.path):
            line.textChanged.connect(lambda _text: self.changed.emit())
        self.scenario.currentIndexChanged.connect(lambda _number: self.changed.emit())
        for line in (self.host, self.account, self.user, self.path):
            line.setCursorPosition(0)

    def _host_changed(self, text: str) -> None:
        kind, scheme, rest = text.strip().partition("://")
        kind = kind.lower()
        if scheme and (kind in get_args(Kind) or kind == "https"):
            self._take_address(kind, rest)
            return
        self.changed.emit()

    def _take_address(self, kind: str, rest: str) -> None:
        """Fill the fields from an address without its scheme; hand on one of another kind."""
        rest, _, option = rest.partition("?")
        account = unquote(option.partition("=")[2]) if kind == "tools" else ""
        user, at, host = rest.rpartition("@")
        host, _, path = host.partition("/")
        path = unquote(path) if kind in _PATHS else ""
        known = user if at and ":" not in user else ""
        if kind not in (self._kind, "https"):
            found = next(one for one in get_args(Kind) if one == kind)
            self.host.clear()
            self.readdressed.emit(Place(found, host, known, path, account))
            return
        if known:
            self.user.setText(known)
        if account:
            self.account.setText(account)
        if path:
            self.path.setText(path)
        self.host.setText(host)
