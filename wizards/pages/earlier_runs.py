"""The list of a test's runs below its steps: when each was, and what it came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown, tooltip_text
from viewmodels.health import Health
from widgets.elided_label import ElidedLabel
from widgets.one_tab_stop import OneTabStop
from widgets.theme import SYMBOLS, Theme

_HEIGHT = 44
"""As window.qss has it, with its borders."""


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """A run of the same test: its id, when it was as text, its result in a few words, and its state."""

    id: str
    when: str
    result: str
    state: Health = "none"


class RunButton(QPushButton):
    """One run: when it was over what it came to, which is shortened where there is no room for all of it.
    ``focused`` is emitted when it gets the keyboard focus.
    """

    focused = Signal()

    def __init__(self, theme: Theme, one: EarlierRun) -> None:
        super().__init__()
        self._theme, self.run = theme, one
        self.setProperty("role", "run")
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._symbol, when = QLabel(SYMBOLS[one.state]), ElidedLabel(one.when)
        when.setProperty("role", "muted")
        result = ElidedLabel(one.result)
        grid = QGridLayout(self)
        grid.setContentsMargins(6, 3, 6, 3)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        for label, row, column in ((self._symbol, 0, 0), (when, 0, 1), (result, 1, 1)):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            grid.addWidget(label, row, column)
        self.setAccessibleName(f"{shown(one.when)}: {shown(one.result)}")
        self.setToolTip(tooltip_text(f"{one.when}\n{one.result}"))
        theme.changed.connect(self._dress)
        self._dress()

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Emit ``focused``."""
        super().focusInEvent(event)
        self.focused.emit()

    def _dress(self) -> None:
        self._symbol.setStyleSheet(f"color: {self._theme.tokens.health(self.run.state)}")


class EarlierRuns(QScrollArea):
    """The list, the newest first. ``recalled`` carries the id of the run that was pressed."""

    recalled = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.buttons: list[RunButton] = []
        body = QWidget()
        self._column = QVBoxLayout(body)
        self._column.setContentsMargins(6, 0, 6, 0)
        self._column.setSpacing(0)
        self._column.addStretch(1)
        self._stop = OneTabStop(self, lambda: self.buttons, arrows=True)
        self.setAccessibleName("Runs of this test")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setWidget(body)

    def show_runs(self, runs: Sequence[EarlierRun], shown_run: str) -> None:
        """List these runs; ``shown_run`` is the one whose page is open. A list that is the same stays."""
        if [one.run for one in self.buttons] != list(runs):
            for gone in self.buttons:
                self._column.removeWidget(gone)
                gone.hide()
                gone.deleteLater()
            self.buttons = [RunButton(self._theme, one) for one in runs]
            for number, button in enumerate(self.buttons):
                button.clicked.connect(lambda _on=False, one=button.run.id: self.recalled.emit(one))
                button.focused.connect(partial(self.ensureWidgetVisible, button, 0, 0))
                self._column.insertWidget(number, button)
            self._stop.renew()
            self.updateGeometry()
        for button in self.buttons:
            button.setChecked(button.run.id == shown_run)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the height of all runs."""
        return QSize(240, len(self.buttons) * _HEIGHT + 2)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Return the height of one run: the others can be scrolled to."""
        return QSize(120, min(1, len(self.buttons)) * _HEIGHT + 2)
