"""Which counters of vCenters and ESXi hosts are recorded: a preset, of which entities, since when."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLineEdit, QWidget

from widgets.connect.values import Profile
from widgets.theme import Theme


class CounterChoice(QWidget):
    """The fields; they are the same for all vCenters and hosts of a recording. Signal: ``changed``."""

    changed = Signal()

    def __init__(self, theme: Theme, presets: Sequence[tuple[str, str]]) -> None:
        """``presets`` are (name, title) pairs."""
        super().__init__()
        self._theme = theme
        self.preset = QComboBox()
        self.preset.setAccessibleName("Counters")
        for name, title in presets:
            self.preset.addItem(title, name)
        self.select = QLineEdit(placeholderText="Everything; or vm:SQL*  host:esx0*  cluster:Prod")
        self.select.setAccessibleName("Only these")
        self.select.textChanged.connect(lambda _text: self.changed.emit())
        self.backfill = QCheckBox("Also the last hour, which hosts still have")
        form = QFormLayout(self)
        form.setContentsMargins(0, 8, 0, 0)
        form.setVerticalSpacing(8)
        form.setHorizontalSpacing(16)
        form.addRow("Counters", self.preset)
        form.addRow("Only these", self.select)
        form.addRow("", self.backfill)

    @property
    def preset_name(self) -> str:
        """The name of the chosen preset, empty if there is none."""
        return str(self.preset.currentData() or "")

    @property
    def globs(self) -> tuple[str, ...]:
        """What is to be recorded, as it is typed; empty records everything."""
        return tuple(self.select.text().replace(",", " ").split())

    def show_profile(self, profile: Profile) -> None:
        """Show what a profile records."""
        self.preset.setCurrentIndex(max(0, self.preset.findData(profile.preset)))
        self.select.setText(" ".join(profile.select))
        self.backfill.setChecked(profile.backfill)
