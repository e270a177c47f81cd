"""A drawing as shapes in a coordinate system of its own, 720 units wide: for SVG and for a painter alike.

Colours are names of a role; a file has them in light, dark and print, a painter in one of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

WIDTH = 720.0
TEXT_SIZE = 11.0
_PART_OF_SIZE = 0.56
"""An average character's width, as a part of its size: texts are placed before a font is known."""

Colour = Literal[
    "series1", "series2", "series3", "series4", "series5", "series6", "series7", "series8",
    "text", "muted", "line", "axis", "critical", "warning", "ok", "info", "page", "judged",
]  # fmt: skip
Anchor = Literal["start", "middle", "end"]

SERIES: tuple[Colour, ...] = (
    "series1", "series2", "series3", "series4", "series5", "series6", "series7", "series8",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Polyline:
    """Joined points; ``dash`` True for a dashed line."""

    points: tuple[tuple[float, float], ...]
    colour: Colour
    width: float = 1.2
    dash: bool = False


@dataclass(frozen=True, slots=True)
class Area:
    """A filled polygon."""

    points: tuple[tuple[float, float], ...]
    colour: Colour
    opacity: float = 0.2


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, filled (``opacity``) or as an outline (``is_outline``)."""

    x: float
    y: float
    width: float
    height: float
    colour: Colour
    opacity: float = 1.0
    is_outline: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    """A small circle around a point."""

    x: float
    y: float
    radius: float
    colour: Colour
    is_hollow: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """A text whose baseline is at ``y``."""

    x: float
    y: float
    text: str
    colour: Colour = "muted"
    anchor: Anchor = "start"
    is_bold: bool = False


Shape = Polyline | Area | Box | Dot | Label


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes on a page that is WIDTH units wide; ``spoken`` says with its numbers what is to be seen."""

    height: float
    shapes: tuple[Shape, ...]
    spoken: str


def text_width(text: str, size: float = TEXT_SIZE) -> float:
    """Return about how wide a text will be."""
    return len(text) * size * _PART_OF_SIZE


def fitted(text: str, width: float) -> str:
    """Return the text, cut at its end where it would be wider than ``width``."""
    most = max(int(width / (TEXT_SIZE * _PART_OF_SIZE)), 4)
    return text if len(text) <= most else f"{text[: most - 1]}…"
