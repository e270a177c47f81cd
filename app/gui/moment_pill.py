"""The pill beside the scope bar: which moment is pinned, and the one visible way back to now."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QToolButton

from widgets.theme import Theme

_ICON = QSize(14, 14)
_HEIGHT, _LEAVE_WIDTH, _BESIDE = 30, 26, 20
_NARROW = 1_100
"""In a bar below this width the pill shows only the time, in pixels."""


class MomentPill(QFrame):
    """Two buttons: the moment's time, which emits ``wanted`` to have it in sight, and ``leave`` to let go."""

    wanted = Signal()

    def __init__(self, theme: Theme, release: QAction) -> None:
        super().__init__()
        self._theme, self._release = theme, release
        self.setObjectName("moment-pill")
        self.setProperty("role", "pill")
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._time = QToolButton()
        self._time.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._time.clicked.connect(self.wanted)
        self.leave = QToolButton()
        self.leave.setAccessibleName("Release the moment")
        self.leave.setToolTip("Release the moment: back to now (Esc)")
        self.leave.clicked.connect(release.trigger)
        self.leave.setFixedWidth(_LEAVE_WIDTH)
        self._clock = ""
        row = QHBoxLayout(self)
        row.setContentsMargins(1, 0, 1, 0)
        row.setSpacing(0)
        for button in (self._time, self.leave):
            button.setProperty("role", "pill")
            button.setIconSize(_ICON)
            row.addWidget(button)
        theme.changed.connect(self._dress)
        self._dress()
        self.hide()

    @property
    def text(self) -> str:
        """The text that is shown, empty if no moment is pinned."""
        return "" if self.isHidden() else self._time.text()

    def show_moment(self, time: str, whole: str = "") -> None:
        """Show the pinned moment: ``whole`` has date and zone, too; an empty ``time`` hides the pill."""
        self._clock = time
        self._fit()
        self._time.setAccessibleName(f"Pinned moment: {whole}")
        self._time.setToolTip(
            f"Pinned: {whole}\nCharts, esxtop, heat map and timeline tell their values at this moment.\n"
            "Click to have it in sight in the charts. M drops a mark there, Escape lets go."
        )
        self.setVisible(bool(time))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Watch the bar's width from now on."""
        super().showEvent(event)
        bar = self.parentWidget()
        if bar is not None:
            bar.installEventFilter(self)
        self._fit()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Make the pill short in a narrow window, where the scope needs the room."""
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return False

    def _fit(self) -> None:
        bar = self.parentWidget()
        is_narrow = bar is not None and bar.width() < _NARROW
        text = self._clock if is_narrow else f"pinned {self._clock}"
        self._time.setText(text)
        self._time.setFixedWidth(self._time.fontMetrics().horizontalAdvance(text) + _ICON.width() + _BESIDE)

    def _dress(self) -> None:
        self._time.setIcon(self._theme.icons.get("pin", self._theme.tokens.accent))
        self.leave.setIcon(self._theme.icons.get("close"))
