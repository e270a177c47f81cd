"""The current theme: follows the system's dark or light mode, unless the user chose one."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from resources.theme import style_sheet
from widgets.theme.icons import Icons
from widgets.theme.images import Images
from widgets.theme.tokens import DARK, LIGHT, Tokens
from widgets.theme.type import body_font

Preference = Literal["system", "dark", "light"]


class Theme(QObject):
    """Applies style sheet and colours to the application.

    ``changed`` is emitted when widgets that paint themselves must repaint.
    """

    changed = Signal()

    def __init__(self, application: QApplication, preference: Preference = "system") -> None:
        super().__init__(application)
        self._application = application
        self._preference = preference
        self.tokens: Tokens = DARK
        self.icons = Icons(DARK)
        self._images = Images()
        application.setStyle("Fusion")
        application.setFont(body_font())
        self._hints = QGuiApplication.styleHints()
        self._hints.colorSchemeChanged.connect(self._follow)
        self._dress()

    @property
    def preference(self) -> Preference:
        """The user's choice: ``system``, ``dark`` or ``light``."""
        return self._preference

    def set_preference(self, preference: Preference) -> None:
        """Follow the system, or stay dark or light."""
        if preference != self._preference:
            self._preference = preference
            self._dress()

    def _follow(self) -> None:
        if self._preference == "system":
            self._dress()

    def _dress(self) -> None:
        self.tokens = self._wanted()
        self.icons = Icons(self.tokens)
        images = self._images.write(self.icons, self.tokens)
        # When a sheet follows a sheet, Qt 6 restyles each widget once for itself and once for each of its
        # parents (QStyleSheetStyle::repolish), ten times in this window. A sheet after none restyles it once.
        self._application.setStyleSheet("")
        self._application.setPalette(_palette(self.tokens))
        self._application.setStyleSheet(style_sheet({**self.tokens.colours(), **images}))
        self.changed.emit()

    def _wanted(self) -> Tokens:
        if self._preference != "system":
            return DARK if self._preference == "dark" else LIGHT
        return LIGHT if self._hints.colorScheme() == Qt.ColorScheme.Light else DARK


def _palette(tokens: Tokens) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    colours = {
        role.Window: tokens.background,
        role.WindowText: tokens.text,
        role.Base: tokens.surface1,
        role.AlternateBase: tokens.surface2,
        role.Text: tokens.text,
        role.PlaceholderText: tokens.faint,
        role.Button: tokens.surface2,
        role.ButtonText: tokens.text,
        role.ToolTipBase: tokens.surface3,
        role.ToolTipText: tokens.text,
        role.Highlight: tokens.accent,
        role.HighlightedText: tokens.on_accent,
        role.Link: tokens.accent,
        role.Mid: tokens.line,
        role.Dark: tokens.background,
        role.Light: tokens.surface3,
    }
    for which, colour in colours.items():
        palette.setColor(which, QColor(colour))
    for which in (role.Text, role.WindowText, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(tokens.faint))
    return palette
