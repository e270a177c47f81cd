"""The preferences dialog, made from the table of settings; a change takes effect at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.gui.desk import Desk
from app.gui.settings import SETTINGS, STORAGE_PAGES, Settings, SettingSpec
from app.gui.storage_pages import StorageClassesPage, StorageSetsPage
from app.gui.times import Times
from app.gui.zone_box import ZoneBox
from widgets.dialog_opening import open_dialog
from widgets.number_box import NumberBox
from widgets.scrolling import scrolling

_WIDTH, _HIGHEST = 560, 560
_AROUND = QSize(64, 120)
"""What lies around a page: the dialog's margins, the tabs, and the button."""


def preferences(desk: Desk, window: QWidget) -> Preferences:
    """Return the preferences of the window, with the pages that are no plain settings."""
    pages = (
        StorageSetsPage(desk.thresholds).view,
        StorageClassesPage(desk.thresholds, lambda: desk.session.whole).view,
    )
    named = [(key, title, page) for (key, title, _), page in zip(STORAGE_PAGES, pages, strict=True)]
    return Preferences(desk.settings, desk.times, window, named)


class Preferences(QDialog):
    """Shows the settings, one tab for each group, with an explanation below each."""

    def __init__(
        self,
        settings: Settings,
        times: Times,
        parent: QWidget | None = None,
        pages: Sequence[tuple[str, str, QWidget]] = (),
    ) -> None:
        """``pages`` stand behind those of the settings: key, title and content of each."""
        super().__init__(parent)
        self._settings, self._times = settings, times
        self.setWindowTitle("Preferences")
        self.setObjectName("preferences")
        highest = 0
        self._editors: dict[str, QWidget] = {}
        self._show_value: dict[str, Callable[[], None]] = {}
        settings.changed.connect(self._take_change)
        self._tabs = tabs = QTabWidget()
        tabs.setAccessibleName("Settings")
        tabs.tabBar().setAccessibleName("Groups of settings")
        for group, specs in groupby(SETTINGS, key=lambda spec: spec.group):
            page = QWidget()
            column = QVBoxLayout(page)
            column.setContentsMargins(12, 20, 4, 8)
            form = QFormLayout()
            form.setVerticalSpacing(4)
            form.setHorizontalSpacing(20)
            form.setLabelAlignment(Qt.AlignmentFlag.AlignRight)
            for spec in specs:
                self._editors[spec.key] = self._editor(spec)
                form.addRow("" if isinstance(spec.default, bool) else spec.title, self._editors[spec.key])
                note = QLabel(spec.help, wordWrap=True)
                note.setProperty("role", "muted")
                note.setContentsMargins(0, 0, 0, 10)
                form.addRow("", note)
            column.addLayout(form)
            column.addStretch(1)
            tabs.addTab(scrolling(page), group)
            highest = max(highest, column.heightForWidth(_WIDTH - _AROUND.width()))
        for key, title, content in pages:
            self._editors[key] = content
            tabs.addTab(scrolling(content), title)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 16, 16)
        layout.setSpacing(8)
        layout.addWidget(tabs)
        layout.addWidget(buttons)
        self.resize(_WIDTH, _HIGHEST if pages else min(highest + _AROUND.height(), _HIGHEST))

    def show_setting(self, key: str) -> None:
        """Show the tab with a setting, and give its field the keyboard focus."""
        editor = self._editors[key]
        for number in range(self._tabs.count()):
            page = self._tabs.widget(number)
            if page is not None and page.isAncestorOf(editor):
                self._tabs.setCurrentIndex(number)
        editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter in a field takes what was typed; only Escape and the button close the dialog."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if not is_enter or isinstance(self.focusWidget(), QPushButton):
            super().keyPressEvent(event)

    def _take_change(self, key: str) -> None:
        """Show a value that was chosen elsewhere, such as in another window."""
        if key in self._show_value:
            self._show_value[key]()

    def _editor(self, spec: SettingSpec) -> QWidget:
        if spec.is_zone:
            return ZoneBox(self._times, spec.title)
        if spec.choices:
            return self._choice(spec)
        if isinstance(spec.default, bool):
            return self._flag(spec)
        if isinstance(spec.default, int):
            return self._number(spec)
        return self._folder(spec) if spec.is_folder else self._line(spec)

    def _show(self, spec: SettingSpec, show_value: Callable[[], None]) -> None:
        self._show_value[spec.key] = show_value
        show_value()

    def _choice(self, spec: SettingSpec) -> QWidget:
        box = QComboBox()
        box.setAccessibleName(spec.title)
        for value, label in spec.choices:
            box.addItem(label, value)
        self._show(spec, lambda: box.setCurrentIndex(box.findData(self._settings.text(spec.key))))
        box.activated.connect(lambda _index: self._settings.set(spec.key, box.currentData()))
        return box

    def _flag(self, spec: SettingSpec) -> QWidget:
        box = QCheckBox(spec.title)
        self._show(spec, lambda: box.setChecked(self._settings.flag(spec.key)))
        box.toggled.connect(lambda on: self._settings.set(spec.key, on))
        return box

    def _number(self, spec: SettingSpec) -> QWidget:
        box = NumberBox(spec.minimum, spec.maximum, f" {spec.unit}")
        box.setAccessibleName(spec.title)
        self._show(spec, lambda: box.setValue(self._settings.number(spec.key)))
        box.valueChanged.connect(lambda value: self._settings.set(spec.key, value))
        return box

    def _line(self, spec: SettingSpec) -> QWidget:
        line = QLineEdit(maxLength=80)
        line.setAccessibleName(spec.title)
        self._show(spec, lambda: line.setText(self._settings.text(spec.key)))
        line.editingFinished.connect(lambda: self._settings.set(spec.key, line.text().strip()))
        return line

    def _folder(self, spec: SettingSpec) -> QWidget:
        row = QWidget()
        line = QLineEdit(placeholderText="Hyperscope in your documents")
        self._show(spec, lambda: line.setText(self._settings.text(spec.key)))
        line.setAccessibleName(spec.title)
        line.editingFinished.connect(lambda: self._settings.set(spec.key, line.text()))
        choose = QPushButton("Choose…")
        choose.setAutoDefault(False)

        def take(folder: str) -> None:
            line.setText(folder)
            self._settings.set(spec.key, folder)

        def ask() -> None:
            dialog = QFileDialog(self, spec.title, line.text())
            dialog.setFileMode(QFileDialog.FileMode.Directory)
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
            dialog.fileSelected.connect(take)
            open_dialog(dialog)

        choose.clicked.connect(ask)
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(line, 1)
        layout.addWidget(choose)
        return row
