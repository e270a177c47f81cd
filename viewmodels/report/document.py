"""What a report is made of, as values: sections of blocks. HTML and printed pages are drawn from the same.

Texts may hold foreign names: whoever draws them shows them as text, never as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sessions.findings import Severity, Verdict
from viewmodels.report.drawing import Drawing

Tone = Literal["plain", "muted", "critical", "warning", "ok", "info", "none"]
"""How a text is meant; "none": nothing was judged, or there is no real difference."""

TONES: dict[str, Tone] = {"critical": "critical", "warning": "warning", "ok": "ok", "info": "info"}
"""The tones of the states of health that have a colour of their own."""


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a sentence."""

    text: str
    is_bold: bool = False
    tone: Tone = "plain"


def bold(text: str) -> Run:
    """Return a piece of a sentence in bold."""
    return Run(text, is_bold=True)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences. A ``lead`` one stands in a box: the answer that a page is read for."""

    runs: tuple[Run, ...]
    style: Literal["plain", "muted", "lead"] = "plain"


def paragraph(*parts: str | Run, style: Literal["plain", "muted", "lead"] = "plain") -> Paragraph:
    """Return a paragraph of texts and pieces."""
    return Paragraph(tuple(Run(one) if isinstance(one, str) else one for one in parts), style)


@dataclass(frozen=True, slots=True)
class Tile:
    """A number that a manager looks for, and what it is; ``link`` is the anchor of what proves it."""

    value: str
    label: str
    tone: Tone = "plain"
    link: str = ""


@dataclass(frozen=True, slots=True)
class Tiles:
    """Numbers side by side."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading. ``weight`` is its part of the width; numbers stand at the right."""

    head: str
    is_number: bool = False
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell. ``symbol`` is a severity drawn before the text, and read aloud; ``link`` is the anchor of what
    proves the text: a chart, a finding, a section.
    """

    text: str
    is_bold: bool = False
    tone: Tone = "plain"
    symbol: Severity | None = None
    link: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings. ``note`` stands below: how many rows were left out, and where they are."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its title and a note beside it; ``anchor`` names it in links."""

    title: str
    note: str
    drawing: Drawing
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause with its verdict and the numbers that decided."""

    verdict: Verdict
    title: str
    because: str


@dataclass(frozen=True, slots=True)
class Causes:
    """The causes of a finding, likely ones first."""

    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """What to do, in order, or a list of facts without one."""

    items: tuple[str, ...]
    is_ordered: bool = True


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within a section; ``level`` 3 or 4."""

    text: str
    note: str = ""
    level: Literal[3, 4] = 3
    symbol: Severity | None = None
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Callout:
    """A verdict in a box: one line, one sentence, and a few words on how it was made."""

    tone: Tone
    line: str
    sentence: str
    chips: tuple[str, ...] = ()


Block = Paragraph | Tiles | Table | Figure | Causes | Steps | Heading | Callout


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report under a heading; ``key`` names it in links and options."""

    key: str
    title: str
    note: str
    blocks: tuple[Block, ...]


Look = Literal["auto", "light", "dark"]
"""How the HTML file looks on a screen when it is opened: as the system does, or always so."""
SUMMARY = "summary"
"""The key of the page that a manager reads."""


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report; if it has a page for a manager, that is its first section.

    ``session`` names the file it was made from, ``made`` when, with the zone; ``program`` by what.
    ``author`` is who prepared it and ``recipient`` for whom, empty where nobody is to be named.
    ``look`` is that of the HTML file.
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    session: str
    made: str
    program: str
    author: str = ""
    recipient: str = ""
    look: Look = "auto"
    is_simulated: bool = False
    language: str = "en"

    @property
    def byline(self) -> str:
        """What stands below the title: what it is about, who prepared it, for whom."""
        by = f" by {self.author}" if self.author else ""
        by += f" for {self.recipient}" if self.recipient else ""
        return " · ".join(part for part in (self.subtitle, f"prepared{by}" if by else "") if part)

    def numbered(self) -> Sequence[tuple[int, Section]]:
        """Return the sections with their numbers; 0 for the page that a manager reads."""
        first = 0 if self.sections and self.sections[0].key == SUMMARY else 1
        return list(enumerate(self.sections, start=first))
