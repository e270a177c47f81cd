"""What somebody chooses of a report: whom it is for, which sections in which order, title, author."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from resources.foreign_text import shown
from viewmodels.report.document import (
    SUMMARY,
    Block,
    Heading,
    Look,
    Paragraph,
    Report,
    Section,
    Tiles,
    paragraph,
)

Audience = Literal["manager", "support", "both"]

FAMILIES = (
    SUMMARY, "finding", "charts", "findings", "timeline", "guided", "comparison", "test", "notes",
    "inventory", "sources", "method",
)  # fmt: skip
"""What sections there can be; those of runs, tests and comparisons are followed by a number: ``guided-2``."""
_LEFT_OUT: dict[Audience, frozenset[str]] = {
    "manager": frozenset({"findings", "inventory", "sources", "method"}),
    "support": frozenset({SUMMARY}),
    "both": frozenset(),
}
_TITLE, _AUTHOR, _REMARK = 120, 80, 4000
_REMARKS = "remarks"


@dataclass(frozen=True, slots=True)
class ReportChoices:
    """``sections`` are keys in the order in which they are to stand, None for the usual ones of the
    ``audience``; ``without`` are keys to leave out. Of a key like ``test`` all tests are meant.

    ``title`` is empty for the report's own. ``remarks`` are paragraphs for page 1.
    """

    audience: Audience = "both"
    sections: tuple[str, ...] | None = None
    without: frozenset[str] = frozenset()
    title: str = ""
    author: str = ""
    recipient: str = ""
    remarks: tuple[str, ...] = ()
    look: Look = "auto"


EVERYTHING = ReportChoices()


def family(key: str) -> str:
    """Return what a section is, without its number."""
    name, dash, number = key.rpartition("-")
    return name if dash and number.isdigit() else key


def unknown_keys(keys: Iterable[str]) -> Sequence[str]:
    """Return those that no section can have."""
    return [key for key in keys if family(key) not in FAMILIES]


def usual(key: str, audience: Audience) -> bool:
    """Return True if a section is in the report for this audience unless somebody chooses otherwise."""
    return family(key) not in _LEFT_OUT[audience]


def arranged(report: Report, choices: ReportChoices) -> Report:
    """Return the report with what was chosen. It may have no section: the caller says so."""
    sections = _chosen(report.sections, choices)
    remarks = [shown(one.strip(), _REMARK) for one in choices.remarks if one.strip()]
    if remarks:
        sections = _remarked(sections, [paragraph(one) for one in remarks])
    return replace(
        report,
        title=shown(choices.title.strip(), _TITLE) or report.title,
        author=shown(choices.author.strip(), _AUTHOR),
        recipient=shown(choices.recipient.strip(), _AUTHOR),
        sections=tuple(sections),
        look=choices.look,
    )


def _chosen(sections: Sequence[Section], choices: ReportChoices) -> list[Section]:
    if choices.sections is None:
        found = [one for one in sections if usual(one.key, choices.audience)]
    else:
        found = []
        for key in choices.sections:
            found += [one for one in sections if _is_meant(one.key, key) and one not in found]
    kept = [one for one in found if not any(_is_meant(one.key, key) for key in choices.without)]
    return sorted(kept, key=lambda one: one.key != SUMMARY)  # page 1 is page 1


def _is_meant(section: str, key: str) -> bool:
    return key in (section, family(section))


def _remarked(sections: Sequence[Section], remarks: list[Paragraph]) -> list[Section]:
    """Return the sections with remarks on page 1, below the answer and its numbers."""
    if not sections or sections[0].key != SUMMARY:
        return [Section(_REMARKS, "Remarks", "", tuple(remarks)), *sections]
    first, *rest = sections
    blocks = list(first.blocks)
    at = next((number for number, one in enumerate(blocks) if isinstance(one, Tiles)), 0) + 1
    added: list[Block] = [Heading("Remarks"), *remarks]
    return [replace(first, blocks=(*blocks[:at], *added, *blocks[at:])), *rest]
