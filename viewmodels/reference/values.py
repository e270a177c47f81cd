"""What a page of the reference is made of: sections of paragraphs, lists and tables, whose words may be
links.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

PageKind = Literal["problem", "counter"]


@dataclass(frozen=True, slots=True)
class Span:
    """Some words: plain, code, or in italics; ``page`` is the kind of page that they are a link to, if they
    are, and ``name`` that page's name where the words are not it.
    """

    text: str
    look: Literal["", "code", "italic", "bold"] = ""
    page: PageKind | Literal[""] = ""
    name: str = ""

    @property
    def target(self) -> str:
        """The name of the page that the words are a link to."""
        return self.name or self.text


Line = tuple[Span, ...]
Cell = tuple[Line, ...]
"""A cell of a table has lines."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph."""

    line: Line


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list."""

    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


Block = Paragraph | Bullets | Table


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page; the first one has no title."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A page about one problem or counter; ``name`` is its id, ``also`` are other names by which it is
    looked for.
    """

    kind: PageKind
    name: str
    title: str
    sections: tuple[Section, ...]
    also: tuple[str, ...] = ()


def plain(text: str) -> Line:
    """Return words without any look."""
    return (Span(text),)


def paragraph(*parts: str | Span) -> Paragraph:
    """Return a paragraph; a text is words without any look."""
    return Paragraph(tuple(Span(one) if isinstance(one, str) else one for one in parts))


def code(text: str) -> Span:
    """Return words as they are typed."""
    return Span(text, "code")


def to_page(kind: PageKind, name: str, title: str = "") -> Span:
    """Return a link to a page, with its title as words, or its name where there is none."""
    return Span(title, "", kind, name) if title else Span(name, "code", kind)


def untitled(block: Block) -> Block:
    """Return a block without the words in bold at its beginning: a heading above says them."""
    if isinstance(block, Paragraph) and block.line and block.line[0].look == "bold":
        first, *others = block.line[1:]
        return Paragraph((Span(first.text.lstrip(), first.look, first.page), *others))
    return block


def page_of(
    kind: PageKind, name: str, title: str, sections: Mapping[str, Iterable[Block]], also: tuple[str, ...]
) -> Page:
    """Return a page of the sections that have anything; the first one has no title."""
    made = (Section(head, tuple(blocks)) for head, blocks in sections.items())
    return Page(kind, name, title, tuple(one for one in made if one.blocks), also)


def joined(spans: Iterable[Span], between: str = ", ") -> Line:
    """Return words with something between them."""
    found: list[Span] = []
    for span in spans:
        found += [*([Span(between)] if found else []), span]
    return tuple(found)


def cell(*lines: Line | str | Span) -> Cell:
    """Return a cell of a table; a text or a span is a line of its own, an empty one is left out."""
    made = (plain(one) if isinstance(one, str) else (one,) if isinstance(one, Span) else one for one in lines)
    return tuple(line for line in made if any(span.text for span in line))


def text_of(line: Line) -> str:
    """Return a line without its looks."""
    return "".join(span.text for span in line)
