"""The window's Qt style sheet; the names of colours in it are replaced by a theme's colours."""

from __future__ import annotations

from importlib.resources import files
from string import Template


def style_sheet(colours: dict[str, str]) -> str:
    """Return the Qt style sheet with each ``$name`` replaced by its colour; KeyError for an unknown name."""
    text = files(__name__).joinpath("window.qss").read_text(encoding="utf-8")
    return Template(text).substitute(colours)
