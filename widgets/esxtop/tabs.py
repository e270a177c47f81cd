"""The tabs of esxtop's screens, each with its key; they move together where there is little room."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QTabBar

from resources.views import Screen

_FORMS = ("{0.key}  {0.title}", "{0.key} {0.title}", "{0.key}  {0.short}", "{0.key} {0.short}", "{0.key}")
"""What a tab says, from much room to little."""


class ScreenTabs(QTabBar):
    """One tab for each screen; those that say only their key have the title as a tooltip."""

    def __init__(self, screens: Sequence[Screen]) -> None:
        super().__init__(drawBase=False, expanding=False)
        self._screens = screens
        self.setObjectName("screens")
        self.setAccessibleName("esxtop screens")
        self.setUsesScrollButtons(False)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setElideMode(Qt.TextElideMode.ElideNone)  # or the hints of narrow tabs shrink with them
        for number, screen in enumerate(screens):
            self.addTab(_FORMS[0].format(screen))
            self.setTabToolTip(number, f"{screen.key}: {screen.title}")
            self.setAccessibleTabName(number, screen.title)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Choose the longest texts that fit."""
        super().resizeEvent(event)
        self._choose()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Choose again with another font or style."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._choose()

    def _choose(self) -> None:
        for form in _FORMS:
            for number, screen in enumerate(self._screens):
                self.setTabText(number, form.format(screen))
            if sum(self.tabSizeHint(number).width() for number in range(self.count())) <= self.width():
                return
