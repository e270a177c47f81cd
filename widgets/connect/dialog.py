"""The connect dialog: profiles on the left, addresses and what to record on the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown
from widgets.connect.place_row import PlaceRow
from widgets.connect.values import Place, Profile, Wanted
from widgets.theme import Theme

_NEW = "New connection"
_LIST_WIDTH = 200


class ConnectDialog(QDialog):
    """Asks for addresses, passwords and what to record.

    Signals: ``wanted`` (Wanted) when the user connects, ``forgotten`` with the name of a profile to delete.
    ``check(profile)`` returns what is wrong with a profile, empty if nothing is.
    """

    wanted = Signal(object)
    forgotten = Signal(str)

    def __init__(
        self,
        theme: Theme,
        profiles: Sequence[Profile],
        presets: Sequence[tuple[str, str]],
        usual: Profile,
        check: Callable[[Profile], str],
        parent: QWidget | None = None,
    ) -> None:
        """``presets`` are (name, title) pairs; ``usual`` is the profile for a new connection.

        The form shows ``usual`` at first if it has an address already, or if no profile is stored.
        """
        super().__init__(parent)
        self.setObjectName("connect")
        self.setWindowTitle("Connect to vCenter or ESXi")
        self._theme, self._check, self._usual = theme, check, usual
        self._profiles = [usual, *profiles]
        self._rows: list[PlaceRow] = []
        self.list = QListWidget()
        self.list.setAccessibleName("Saved connections")
        self.list.setFixedWidth(_LIST_WIDTH)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.addItems([_NEW, *(shown(profile.name) for profile in profiles)])
        self.forget = QPushButton("Forget")
        self.forget.setProperty("role", "ghost")
        self._places = QVBoxLayout()
        self._places.setSpacing(8)
        self.add = QPushButton("Another vCenter or host")
        self.add.setProperty("role", "ghost")
        self.add.setIcon(theme.icons.get("add"))
        self.preset = QComboBox()
        self.preset.setAccessibleName("Counters")
        for name, title in presets:
            self.preset.addItem(title, name)
        self.select = QLineEdit(placeholderText="Everything; or vm:SQL*  host:esx0*  cluster:Prod")
        self.select.setAccessibleName("Only these")
        self.backfill = QCheckBox("Also the last hour, which hosts still have")
        self.keep_passwords = QCheckBox("Keep passwords in this computer's keyring")
        self.keep_profile = QCheckBox("Keep this connection as")
        self.name = QLineEdit()
        self.name.setAccessibleName("Name of the connection")
        self.trouble = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.trouble.setObjectName("trouble")
        self.connect_button = QPushButton("Connect")
        self.connect_button.setDefault(True)
        self.cancel_button = QPushButton("Cancel")
        self._lay_out()
        self._join()
        self.list.setCurrentRow(1 if profiles and not usual.places[0].host else 0)
        self._go_on()

    @property
    def rows(self) -> Sequence[PlaceRow]:
        """The rows of addresses, top to bottom."""
        return self._rows

    @property
    def profile(self) -> Profile:
        """Return the profile that the form describes."""
        globs = self.select.text().replace(",", " ").split()
        return Profile(
            self.name.text().strip(),
            tuple(row.place for row in self._rows),
            str(self.preset.currentData() or self._usual.preset),
            tuple(globs),
            self.backfill.isChecked(),
        )

    def show_error(self, sentence: str) -> None:
        """Show what is wrong; an empty text hides the message."""
        self.trouble.setText(f"◆ {sentence}" if sentence else "")
        self.trouble.setStyleSheet(f"color: {self._theme.tokens.warning}")
        self.trouble.setVisible(bool(sentence))

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.setSpacing(12)
        title = QLabel("CONNECTIONS")
        title.setProperty("role", "pane-title")
        left.addWidget(title)
        left.addWidget(self.list, 1)
        left.addWidget(self.forget, 0, Qt.AlignmentFlag.AlignLeft)
        form = QFormLayout()
        form.setVerticalSpacing(8)
        form.setHorizontalSpacing(16)
        form.addRow("Counters", self.preset)
        form.addRow("Only these", self.select)
        form.addRow("", self.backfill)
        keep = QHBoxLayout()
        keep.setSpacing(8)
        keep.addWidget(self.keep_profile)
        keep.addWidget(self.name, 1)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.connect_button)
        right = QVBoxLayout()
        right.setSpacing(12)
        right.addWidget(_caps("WHERE"))
        right.addLayout(self._places)
        right.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        right.addSpacing(8)
        right.addWidget(_caps("WHAT TO RECORD"))
        right.addLayout(form)
        right.addSpacing(8)
        right.addWidget(_caps("KEEP"))
        right.addWidget(self.keep_passwords)
        right.addLayout(keep)
        right.addStretch(1)
        right.addWidget(self.trouble)
        right.addLayout(buttons)
        self.trouble.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 20, 20, 16)
        row.setSpacing(24)
        row.addLayout(left)
        row.addLayout(right, 1)
        self.resize(960, 460)

    def _join(self) -> None:
        self.list.currentRowChanged.connect(self._choose)
        self.list.itemClicked.connect(lambda _item: self._go_on())
        self.forget.clicked.connect(self._forget)
        self.add.clicked.connect(lambda: self._add(Place(), focus=True))
        self.name.textEdited.connect(lambda _text: self.keep_profile.setChecked(True))
        self.connect_button.clicked.connect(self._go)
        self.cancel_button.clicked.connect(self.reject)

    def _choose(self, row: int) -> None:
        profile = self._profiles[row] if 0 <= row < len(self._profiles) else self._usual
        for old in list(self._rows):
            self._drop(old)
        for place in profile.places or (Place(),):
            self._add(place, focus=False)
        self.preset.setCurrentIndex(max(0, self.preset.findData(profile.preset)))
        self.select.setText(" ".join(profile.select))
        self.backfill.setChecked(profile.backfill)
        self.name.setText(profile.name)
        self.keep_profile.setChecked(bool(profile.name))
        self.forget.setEnabled(row > 0)
        self.show_error("")

    def _go_on(self) -> None:
        """Focus the button Connect if a stored profile is selected, else the first address."""
        (self.connect_button if self.list.currentRow() > 0 else self._rows[0].host).setFocus()

    def _add(self, place: Place, *, focus: bool) -> None:
        row = PlaceRow(self._theme, place)
        row.changed.connect(self._changed)
        row.removed.connect(lambda: self._drop(row))
        self._rows.append(row)
        self._places.addWidget(row)
        self._changed()
        if focus:
            row.host.setFocus()

    def _drop(self, row: PlaceRow) -> None:
        self._rows.remove(row)
        self._places.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._changed()

    def _changed(self) -> None:
        for row in self._rows:
            row.remove.setVisible(len(self._rows) > 1)
        self.name.setPlaceholderText(", ".join(row.place.host for row in self._rows if row.place.host))
        self.show_error("")

    def _forget(self) -> None:
        row = self.list.currentRow()
        if row > 0:
            gone = self._profiles.pop(row)
            self.list.takeItem(row)
            self.forgotten.emit(gone.name)

    def _go(self) -> None:
        profile = self.profile
        sentence = self._check(profile)
        self.show_error(sentence)
        if sentence:
            return
        passwords = {number: row.password.text() for number, row in enumerate(self._rows)}
        typed = {number: text for number, text in passwords.items() if text}
        for row in self._rows:
            row.password.clear()
        self.accept()
        self.wanted.emit(
            Wanted(profile, typed, self.keep_passwords.isChecked(), self.keep_profile.isChecked())
        )


def _caps(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "pane-title")
    return label
