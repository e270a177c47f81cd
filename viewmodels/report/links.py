"""Links within a report: from a number to the chart that shows its samples, from page 1 to what proves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from viewmodels.report.document import Block, Cell, Figure, Heading, Report, Table, Tile, Tiles

One = TypeVar("One", Cell, Tile)


def with_live_links(report: Report) -> Report:
    """Return the report without links to what is not in it: sections left out, charts not drawn."""
    there = frozenset(_anchors(report))
    sections = tuple(
        replace(one, blocks=tuple(_alive(block, there) for block in one.blocks)) for one in report.sections
    )
    return replace(report, sections=sections)


def _anchors(report: Report) -> Iterator[str]:
    for section in report.sections:
        yield section.key
        yield from (one.anchor for one in section.blocks if isinstance(one, Figure | Heading) and one.anchor)


def _alive(block: Block, there: frozenset[str]) -> Block:
    if isinstance(block, Tiles):
        return Tiles(tuple(_checked(one, there) for one in block.tiles))
    if isinstance(block, Table):
        return replace(block, rows=tuple(tuple(_checked(one, there) for one in row) for row in block.rows))
    return block


def _checked(one: One, there: frozenset[str]) -> One:
    return replace(one, link="") if one.link and one.link not in there else one
