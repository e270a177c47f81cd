"""A page of the reference as Markdown: for docs/, and for the help in the window."""

from __future__ import annotations

import re
from collections.abc import Iterator

from viewmodels.reference.values import Block, Line, Page, PageKind, Paragraph, Span, Table, untitled

_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")
FILES: dict[PageKind, str] = {"problem": "problems.md", "counter": "counters.md"}
"""The page of docs/ with all pages of a kind."""


def page_markdown(page: Page, *, by_title: bool = False) -> str:
    """Return the page as a section of ``FILES[page.kind]``: a heading with its name, and parts below it.

    ``by_title``: the heading is its title, and its name comes last.
    """
    parts = [f"## {page.title if by_title else page.name}\n"]
    for section in page.sections:
        if section.title:
            parts.append(f"### {section.title}\n")
        blocks = map(untitled, section.blocks) if by_title and not section.title else section.blocks
        parts += [_block(block, page.kind) + "\n" for block in blocks]
    if by_title:
        parts.append(f"Commands and files call it `{page.name}`.\n")
    return "\n".join(parts)


def anchor(heading: str) -> str:
    """Return a heading as links name it: ``cpu.limit`` is ``cpulimit``, as on GitHub."""
    return _NOT_IN_ANCHOR.sub("", heading.lower()).strip().replace(" ", "-")


def _block(block: Block, kind: PageKind) -> str:
    if isinstance(block, Paragraph):
        return _line(block.line, kind)
    if isinstance(block, Table):
        return "\n".join(_table(block, kind))
    return "\n".join(f"* {_line(line, kind)}" for line in block.lines)


def _table(table: Table, kind: PageKind) -> Iterator[str]:
    yield "| " + " | ".join(table.heads) + " |"
    yield "|" + "---|" * len(table.heads)
    for row in table.rows:
        cells = ("<br>".join(_line(line, kind) for line in cell) for cell in row)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _line(line: Line, kind: PageKind) -> str:
    return "".join(_span(span, kind) for span in line)


def _span(span: Span, kind: PageKind) -> str:
    if not span.text:
        return ""
    looks = {"": span.text, "code": f"`{span.text}`", "italic": f"*{span.text}*", "bold": f"**{span.text}**"}
    words = looks[span.look]
    if not span.page:
        return words
    file = "" if span.page == kind else FILES[span.page]
    return f"[{words}]({file}#{anchor(span.target)})"
