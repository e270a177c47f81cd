"""The connect dialog: what can be recorded on the left, the fields of the chosen kind on the right."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown
from resources.source_kinds import SourceKind, load_source_kinds
from widgets.connect.counters import CounterChoice
from widgets.connect.kind_list import KindList
from widgets.connect.kind_page import KindPage, order_stops
from widgets.connect.place_row import PlaceRow
from widgets.connect.values import Kind, Place, Profile, Trouble, Wanted
from widgets.theme import Theme

_NEW = "New connection"
_LIST_WIDTH = 232
_OF_VSPHERE = ("vcenter", "esxi")


class ConnectDialog(QDialog):
    """Asks what to record: sources of several kinds, their passwords, and what of them.

    Signals: ``wanted`` (Wanted) when the user connects, ``forgotten`` with the name of a profile to delete,
    ``help_wanted`` on F1. ``check(profile)`` returns what is wrong with a profile, None if nothing is.
    ``adds``: the sources are added to a recording, which has its counters already.
    """

    wanted = Signal(object)
    forgotten = Signal(str)
    help_wanted = Signal()

    def __init__(
        self,
        theme: Theme,
        profiles: Sequence[Profile],
        presets: Sequence[tuple[str, str]],
        usual: Profile,
        check: Callable[[Profile], Trouble | None],
        parent: QWidget | None = None,
        *,
        kinds: Sequence[SourceKind] | None = None,
        scenarios: Sequence[tuple[str, str]] = (),
        adds: bool = False,
    ) -> None:
        """``presets`` and ``scenarios`` (of the lab) are (name, title) pairs; ``usual`` is the profile for a
        new connection.

        The form shows ``usual`` at first if it has an address already, or if no profile is stored.
        """
        super().__init__(parent)
        self.setObjectName("connect")
        self.setWindowTitle("Add to the recording" if adds else "Connect")
        self._theme, self._check, self._usual, self._adds = theme, check, usual, adds
        self._profiles = [usual, *profiles]
        kinds = load_source_kinds() if kinds is None else kinds
        self._all = {kind.id: kind for kind in kinds}
        self._scenarios = scenarios
        self.kinds = KindList(theme, kinds)
        self._made: dict[Kind, KindPage] = {}
        self._stack = QStackedWidget()
        self._every = 5
        self.counters = CounterChoice(theme, presets)
        self.list = QListWidget()
        self.list.setAccessibleName("Saved connections")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.addItems([_NEW, *(shown(profile.name) for profile in profiles)])
        self.forget = QPushButton("Forget")
        self.forget.setProperty("role", "ghost")
        self.forget.setAutoDefault(False)
        self.keep_passwords = QCheckBox("Keep passwords in this computer's keyring")
        self.keep_profile = QCheckBox("Keep this connection as")
        self.name = QLineEdit()
        self.name.setAccessibleName("Name of the connection")
        self.trouble = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.trouble.setObjectName("trouble")
        self.connect_button = QPushButton("Add" if adds else "Connect")
        self.connect_button.setDefault(True)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setAutoDefault(False)
        self._lay_out()
        self._join()
        self.list.setCurrentRow(1 if profiles and not usual.label and not adds else 0)
        self._go_on()

    @property
    def page(self) -> KindPage:
        """The page that is shown."""
        return self._page(list(self._all)[max(0, self.kinds.currentRow())])

    @property
    def pages(self) -> Sequence[KindPage]:
        """The pages that were made, in the order of the list: the others are empty, and made when they are
        first shown.
        """
        return [self._made[kind] for kind in self._all if kind in self._made]

    @property
    def rows(self) -> Sequence[PlaceRow]:
        """The rows of the page that is shown, top to bottom."""
        return self.page.rows

    @property
    def add(self) -> QPushButton:
        """The button that adds a row to the page that is shown."""
        return self.page.add

    @property
    def profile(self) -> Profile:
        """Return the profile that the form describes."""
        chosen = self._chosen()
        pages = {page.kind.id: page for page, _row in chosen if page.kind.least_s is not None}
        intervals = [float(page.every.value()) for page in pages.values()]
        return Profile(
            self.name.text().strip(),
            tuple(row.place for _page, row in chosen),
            self.counters.preset_name or self._usual.preset,
            self.counters.globs,
            self.counters.backfill.isChecked(),
            max(intervals) if intervals else None,
        )

    def show_kind(self, kind: str) -> KindPage:
        """Show the page of a kind."""
        self.kinds.setCurrentRow([str(one) for one in self._all].index(kind))
        return self.page

    def show_error(self, trouble: Trouble | None) -> None:
        """Show what is wrong beside the field that caused it; None: nothing is."""
        for page in self.pages:
            for row in page.rows:
                row.show_trouble("")
        general = trouble.sentence if trouble is not None else ""
        chosen = self._chosen()
        if trouble is not None and trouble.place is not None and trouble.place < len(chosen):
            page, row = chosen[trouble.place]
            self.show_kind(page.kind.id)
            row.show_trouble(trouble.sentence, trouble.field)
            general = ""
        if trouble is not None and trouble.field == "select":
            self.show_kind(next((one for one in self._all if one in _OF_VSPHERE), self.page.kind.id))
            self.counters.select.setFocus()
        self.trouble.setText(f"◆ {general}" if general else "")
        self.trouble.setStyleSheet(f"color: {self._theme.tokens.warning}")
        self.trouble.setVisible(bool(general))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Ask for help on F1; Enter connects, Escape leaves."""
        if event.key() == Qt.Key.Key_F1:
            self.help_wanted.emit()
        else:
            super().keyPressEvent(event)

    def _chosen(self) -> list[tuple[KindPage, PlaceRow]]:
        """The rows that are to be recorded; without any the first one of the page that is shown."""
        every = [(page, row) for page in self.pages for row in page.rows]
        filled = [(page, row) for page, row in every if not row.is_empty]
        lacking = self.page.rows[1:] if len(self.page.rows) > 1 else ()
        empty = [(self.page, row) for row in lacking if row.is_empty]
        return [*filled, *empty] or [(self.page, row) for row in self.page.rows[:1]]

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(_caps("WHAT TO RECORD"))
        left.addWidget(self.kinds)
        rows, frame = self.kinds.count(), 2 * self.kinds.frameWidth() + 6
        self.kinds.setFixedSize(_LIST_WIDTH, rows * self.kinds.sizeHintForRow(0) + frame)
        self.list.setFixedWidth(_LIST_WIDTH)
        self.list.setMinimumHeight(60)
        saved = _caps("SAVED CONNECTIONS")
        left.addWidget(saved)
        left.addWidget(self.list, 1)
        left.addWidget(self.forget, 0, Qt.AlignmentFlag.AlignLeft)
        left.addStretch(1 if self._adds else 0)
        keep = QHBoxLayout()
        keep.setSpacing(8)
        keep.addWidget(self.keep_profile)
        keep.addWidget(self.name, 1)
        buttons = QHBoxLayout()
        buttons.addWidget(self.keep_passwords, 1)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.connect_button)
        right = QVBoxLayout()
        right.setSpacing(10)
        right.addWidget(self._stack, 1)
        right.addWidget(self.trouble)
        right.addLayout(keep)
        right.addLayout(buttons)
        self.trouble.hide()
        if self._adds:
            for widget in (saved, self.list, self.forget, self.keep_profile, self.name, self.counters):
                widget.setParent(self)
                widget.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 16, 20, 16)
        row.setSpacing(24)
        row.addLayout(left)
        row.addLayout(right, 1)
        self.resize(940, 560)

    def _join(self) -> None:
        self.kinds.currentRowChanged.connect(self._show_page)
        self.list.currentRowChanged.connect(self._choose)
        self.list.itemClicked.connect(lambda _item: self._go_on())
        self.forget.clicked.connect(self._forget)
        self.counters.changed.connect(self._changed)
        self.name.textEdited.connect(lambda _text: self.keep_profile.setChecked(True))
        self.connect_button.clicked.connect(self._go)
        self.cancel_button.clicked.connect(self.reject)

    def _page(self, kind: Kind) -> KindPage:
        """Return the page of a kind; all of them at once took a third of a second to make."""
        if kind not in self._made:
            page = self._made[kind] = KindPage(self._theme, self._all[kind], self._scenarios)
            _pace(page, self._every)
            self._stack.addWidget(page)
            page.changed.connect(self._changed)
            page.readdressed.connect(lambda place: _take_place(self, place, self._all))
            page.paced.connect(self._take_pace)
        return self._made[kind]

    def _show_page(self, _row: int) -> None:
        page = self.page
        self._stack.setCurrentWidget(page)
        if page.kind.id in _OF_VSPHERE and not self._adds:
            page.below.addWidget(self.counters)
            self.counters.show()
        if page.kind.id in ("esxtop", "tools"):
            _offer_server(page, self._made["vcenter"].rows if "vcenter" in self._made else ())
        below = [self.counters] if self.counters.parentWidget() is page else []
        order_stops(self.kinds, [*page.rows, page.add, page.every, *below])

    def _choose(self, row: int) -> None:
        profile = self._profiles[row] if 0 <= row < len(self._profiles) else self._usual
        for kind in self._all:
            places = [place for place in profile.places if place.kind == kind and place.label]
            if places or kind in self._made:
                self._page(kind).show_places(places)
        self._take_pace(round(profile.interval_s or 5))
        first = next((place.kind for place in profile.places if place.kind in self._all), None)
        self.show_kind(first or next(iter(self._all)))
        self._show_page(0)
        self.counters.show_profile(profile)
        self.name.setText(profile.name)
        self.keep_profile.setChecked(bool(profile.name))
        self.forget.setEnabled(row > 0)
        self.show_error(None)

    def _take_pace(self, seconds: int) -> None:
        """All that is asked at a pace of ours is asked at the same, as far as each allows."""
        self._every = seconds
        for page in self.pages:
            _pace(page, self._every)

    def _go_on(self) -> None:
        """Focus the button Connect if a stored profile is selected, else the first field."""
        (self.connect_button if self.list.currentRow() > 0 else self.rows[0].first_field()).setFocus()

    def _changed(self) -> None:
        places = [(page.kind.id, row) for page in self.pages for row in page.rows if not row.is_empty]
        counts = {kind: sum(one == kind for one, _row in places) for kind in self._all}
        self.kinds.show_counts(counts)
        self.name.setPlaceholderText(", ".join(dict.fromkeys(row.place.label for _kind, row in places)))
        self.show_error(None)

    def _forget(self) -> None:
        row = self.list.currentRow()
        if row > 0:
            gone = self._profiles.pop(row)
            self.list.takeItem(row)
            self.forgotten.emit(gone.name)

    def _go(self) -> None:
        profile = self.profile
        trouble = self._check(profile)
        self.show_error(trouble)
        if trouble is not None:
            return
        passwords = {number: row.password.text() for number, (_page, row) in enumerate(self._chosen())}
        typed = {number: text for number, text in passwords.items() if text}
        for page in self.pages:
            for row in page.rows:
                row.password.clear()
        self.accept()
        self.wanted.emit(
            Wanted(profile, typed, self.keep_passwords.isChecked(), self.keep_profile.isChecked())
        )


def _offer_server(page: KindPage, known: Sequence[PlaceRow]) -> None:
    """The hosts of an esxtop service, and guests, are mostly of the vCenter that is recorded, too."""
    for server in [row.place for row in known if not row.is_empty][:1]:
        for row in page.rows:
            row.offer_server(server)


def _pace(page: KindPage, seconds: int) -> None:
    page.every.blockSignals(True)
    page.every.setValue(seconds)
    page.every.blockSignals(False)


def _take_place(dialog: ConnectDialog, place: Place, kinds: Container[str]) -> None:
    if place.kind in kinds:
        dialog.show_kind(place.kind).add_row(place).first_field().setFocus()


def _caps(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "pane-title")
    return label
