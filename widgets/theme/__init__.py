"""The theme: colours, fonts, icons, and the object that tells widgets when they change."""

from viewmodels.health import Health
from widgets.theme.icons import Icons, program_icon
from widgets.theme.theme import Preference, Theme
from widgets.theme.tokens import DARK, LIGHT, SYMBOLS, Tokens
from widgets.theme.type import body_font, figures_font

__all__ = [
    "DARK",
    "LIGHT",
    "SYMBOLS",
    "Health",
    "Icons",
    "Preference",
    "Theme",
    "Tokens",
    "body_font",
    "figures_font",
    "program_icon",
]
