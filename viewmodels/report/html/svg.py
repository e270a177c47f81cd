"""A drawing as inline SVG: its colours are classes, which the style sheet fills for light, dark and print."""

from __future__ import annotations

from collections.abc import Sequence

from viewmodels.report.drawing import WIDTH, Area, Box, Dot, Drawing, Label, Polyline, Shape
from viewmodels.report.html.markup import attribute, text


def svg(drawing: Drawing) -> str:
    """Return the drawing as an element that is as wide as its page."""
    shapes = "".join(map(_shape, drawing.shapes))
    return (
        f'<svg viewBox="0 0 {WIDTH:g} {drawing.height:g}" role="img" '
        f'aria-label="{attribute(drawing.spoken)}">{shapes}</svg>'
    )


def _shape(shape: Shape) -> str:
    match shape:
        case Polyline():
            dash = ' stroke-dasharray="5 4"' if shape.dash else ""
            return (
                f'<polyline class="l s-{shape.colour}" stroke-width="{shape.width:g}"{dash} '
                f'points="{_points(shape.points)}"/>'
            )
        case Area():
            opacity = f'fill-opacity="{shape.opacity:g}"'
            return f'<polygon class="f-{shape.colour}" {opacity} points="{_points(shape.points)}"/>'
        case Box():
            return _box(shape)
        case Dot():
            kind = f"l s-{shape.colour}" if shape.is_hollow else f"f-{shape.colour}"
            return f'<circle class="{kind}" cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}"/>'
        case Label():
            anchor = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
            weight = " b" if shape.is_bold else ""
            at = f'x="{_n(shape.x)}" y="{_n(shape.y)}"'
            return f'<text class="f-{shape.colour}{weight}" {at}{anchor}>{_plain(shape.text)}</text>'


def _box(box: Box) -> str:
    at = f'x="{_n(box.x)}" y="{_n(box.y)}" width="{_n(max(box.width, 0))}" height="{_n(max(box.height, 0))}"'
    if box.is_outline:
        return f'<rect class="l s-{box.colour}" {at}/>'
    opacity = f' fill-opacity="{box.opacity:g}"' if box.opacity < 1 else ""
    return f'<rect class="f-{box.colour}"{opacity} {at}/>'


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _plain(foreign: str) -> str:
    """SVG has no element that keeps writing directions apart: a label holds one name only."""
    return text(foreign).replace("<bdi>", "").replace("</bdi>", "")
