"""A page of the reference as plain text for a terminal: wrapped, tables as blocks of labelled lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from resources.foreign_text import visible
from viewmodels.reference.values import Block, Page, Paragraph, Table, text_of, untitled

_INDENT = "  "


def page_text(page: Page, width: int) -> list[str]:
    """Return the page as lines of at most ``width`` columns, if its words let it."""
    lines = _wrapped(f"{page.name}: {page.title}", width, "", _INDENT)
    for section in page.sections:
        lines.append("")
        if section.title:
            lines.append(section.title)
        for number, block in enumerate(section.blocks):
            if number and not section.title:
                lines.append("")
            lines += _block(untitled(block), width, _INDENT if section.title else "")
    return [visible(line) for line in lines]


def _block(block: Block, width: int, indent: str) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield from _wrapped(text_of(block.line), width, indent, indent)
    elif isinstance(block, Table):
        yield from _table(block, width, indent)
    else:
        for line in block.lines:
            yield from _wrapped(text_of(line), width, f"{indent}- ", f"{indent}  ")


def _table(table: Table, width: int, indent: str) -> Iterator[str]:
    """Each row: its first cell, and the others below it with their headings."""
    for row in table.rows:
        first = "; ".join(map(text_of, row[0]))
        yield from _wrapped(first, width, indent, indent)
        for head, cell in zip(table.heads[1:], row[1:], strict=True):
            for number, line in enumerate(cell):
                lead = f"{indent}  {head}: " if head and number == 0 else f"{indent}  "
                yield from _wrapped(text_of(line), width, lead, f"{indent}    ")


def _wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    wrapped = textwrap.wrap(
        text, max(width, 40), initial_indent=first, subsequent_indent=rest,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return wrapped or [first.rstrip()]
