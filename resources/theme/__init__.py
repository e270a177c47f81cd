"""The window's style sheet, with the names of colours where the colours go."""

from __future__ import annotations

from importlib.resources import files
from string import Template


def style_sheet(colours: dict[str, str]) -> str:
    """The Qt style sheet with each ``$name`` replaced by its colour; an unknown name is a KeyError."""
    text = files(__name__).joinpath("window.qss").read_text(encoding="utf-8")
    return Template(text).substitute(colours)
