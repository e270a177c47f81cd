"""The field in which a time zone is chosen: by its list, or by typing a part of a zone's name."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QCompleter, QLineEdit

from app.gui.times import Times
from viewmodels.time_labels import zone_names


class ZoneBox(QComboBox):
    """Offers this computer's zone, UTC, that of the hosts, and every IANA zone; a choice takes effect at
    once. What is typed and is no zone is taken back when the field is left.
    """

    def __init__(self, times: Times, title: str) -> None:
        super().__init__(editable=True)
        self._times = times
        self.setObjectName("zone")
        self.setAccessibleName(title)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(30)
        for choice in times.choices:
            self.addItem(choice.title, choice.value)
        self.insertSeparator(self.count())
        for name in zone_names():
            self.addItem(name.replace("_", " "), name)
        completer = QCompleter(self.model(), self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.setCompleter(completer)
        self._show_chosen()
        self.activated.connect(self._choose)
        line = self.lineEdit()
        assert isinstance(line, QLineEdit)
        line.returnPressed.connect(self._take_typed)  # the box puts its own text back before it ends
        line.editingFinished.connect(self._take_typed)
        times.changed.connect(self._show_chosen)

    def _show_chosen(self, _clock: object = None) -> None:
        self.setCurrentIndex(self.findData(self._times.setting))

    def _choose(self, index: int) -> None:
        value = self.itemData(index)
        if value:
            self._times.choose(value)

    def _take_typed(self) -> None:
        """Take the zone that was typed, or the only one that contains what was typed."""
        typed = self.currentText().strip()
        index = self.findText(typed, Qt.MatchFlag.MatchFixedString)
        if index < 0:
            titles = [self.itemText(row).casefold() for row in range(self.count())]
            near = [row for row, title in enumerate(titles) if typed and typed.casefold() in title]
            index = near[0] if len(near) == 1 else -1
        if index >= 0:
            self._choose(index)
        self._show_chosen()
