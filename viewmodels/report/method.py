"""How the numbers of a report came about, and each check that was made with its number."""

from __future__ import annotations

from collections.abc import Iterator

from resources.foreign_text import shown
from sessions.verdict_wording import check_because
from sessions.verdicts import CheckReach
from viewmodels.report.document import Block, Cell, Column, Heading, Section, Steps, Table, Tone
from viewmodels.report.material import Material

_TONES: dict[str, Tone] = {
    "problem": "critical", "suspected": "warning", "not found": "ok", "insufficient data": "none",
    "not applicable": "none",
}  # fmt: skip


def method_section(material: Material) -> Section:
    """Return the method, and the table of all checks."""
    words = material.knowledge.words
    items = [*words.method, *(words.method_compared if material.compared or material.tests else ())]
    blocks: list[Block] = [Steps(tuple(items), is_ordered=False), *_checks(material)]
    return Section("method", "Method and limits", "", tuple(blocks))


def _checks(material: Material) -> Iterator[Block]:
    checks = [one for one in material.verdict.checks if one.verdict]
    if not checks:
        return
    yield Heading("All checks", "whatever came of them")
    columns = Column("Check", weight=2.2), Column("Verdict", weight=1.0), Column("Because", weight=4.0)
    order = list(_TONES)
    rows = tuple(_check(one) for one in sorted(checks, key=lambda one: order.index(one.verdict)))
    yield Table(columns, rows)


def _check(one: CheckReach) -> tuple[Cell, ...]:
    return (
        Cell(shown(one.title)),
        Cell(one.verdict, tone=_TONES[one.verdict]),
        Cell(shown(check_because(one), 500), tone="muted"),
    )
