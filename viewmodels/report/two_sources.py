"""What two sources say of the same quantity: in a report, how far they are apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from resources.foreign_text import shown
from resources.units import format_count, format_duration, format_value
from viewmodels.distinct_names import counter_label
from viewmodels.entity_names import full_name
from viewmodels.joined_sources import Disagreement, disagreements, hidden, same_quantity
from viewmodels.report.document import Block, Cell, Column, Heading, Table, paragraph
from viewmodels.report.material import Material
from viewmodels.shared_devices import part_measured, source_names

_COMPARED, _LISTED = 60, 12
"""Pairs of series that are read, and the rows of those that are furthest apart."""
_APART = 0.05
"""A difference that is worth a row: a twentieth of the coarser source's mean."""
_COLUMNS = (
    Column("What", weight=2.6),
    Column("One source", weight=1.6),
    Column("The other", weight=1.6),
    Column("Apart", is_number=True, weight=0.7),
    Column("To know", weight=2.6),
)


def apart_blocks(material: Material) -> Iterator[Block]:
    """Yield what two sources tell alike and differently; nothing where no quantity has two."""
    snapshot, told = material.snapshot, {finding.entity for finding in material.findings}
    part_of = part_measured(snapshot.entities, source_names(snapshot))
    of_findings_first = sorted(snapshot.series, key=lambda one: one.entity not in told)
    pairs = list(same_quantity(of_findings_first, part_of))
    if not pairs:
        return
    found: list[Disagreement] = []
    for pair in pairs[:_COMPARED]:
        material.work.check()
        found += disagreements(material.reader, pair, material.window, part_of=part_of)
    found.sort(key=lambda one: one.relative, reverse=True)
    yield Heading("Where two sources tell the same", "the finer one was judged by")
    yield paragraph(f"{_how_many(len(pairs))} {_how_far(found)}")
    rows = tuple(_row(one, material) for one in found[:_LISTED] if one.relative >= _APART)
    if rows:
        left = sum(one.relative >= _APART for one in found) - len(rows)
        yield Table(_COLUMNS, rows, f"and {format_count(left)} more." if left else "")


def _how_many(pairs: int) -> str:
    if pairs == 1:
        return "One quantity comes from two sources."
    return f"{format_count(pairs)} quantities come from two sources."


def _how_far(found: Sequence[Disagreement]) -> str:
    if not found:
        return "They have too few times in common to be compared."
    middle = _percent(float(np.median([one.relative for one in found])))
    if len(found) == 1:
        return f"They are {middle} apart on average."
    return (
        f"{format_count(len(found))} of them were compared, those of found problems first: "
        f"half are at most {middle} apart on average, the furthest {_percent(found[0].relative)}."
    )


def _percent(part: float) -> str:
    return f"{100 * part:.1f} %" if part < 1 else format_value(100 * part, "%")


def _row(one: Disagreement, material: Material) -> tuple[Cell, ...]:
    name = shown(full_name(one.entity, material.snapshot), 60)
    label = counter_label(one.counter, material.knowledge.catalogue)
    instance = f" {shown(one.instance, 40)}" if one.instance else ""
    sides = [
        f"{_source(number, material)}: {format_value(mean, one.unit)} (every {format_duration(step / 1000)})"
        for number, mean, step in zip((one.finer, one.coarser), one.means, one.steps_ms, strict=True)
    ]
    guess = "one VM by its name alone: a guess" if material.snapshot.is_guessed(one.entity) else ""
    return (
        Cell(f"{name}: {label}{instance}", is_bold=True),
        Cell(sides[0]),
        Cell(sides[1]),
        Cell(_percent(one.relative)),
        Cell("; ".join(filter(None, (hidden(one), guess))), tone="muted"),
    )


def _source(number: int, material: Material) -> str:
    spec = next(one.spec for one in material.snapshot.sources if one.id == number)
    return shown(f"{spec.kind} {spec.name}", 60)
