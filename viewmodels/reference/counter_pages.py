"""The page of a counter: what it means, its unit, where esxtop and vCenter have it, and which problems use
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from resources.counter_schema import CONVERSIONS, Counter, VcenterSpelling
from resources.units import UNITS, format_value
from resources.views import LimitsByCounter, Screen
from viewmodels.entity_words import kind_label
from viewmodels.reference import values as page
from viewmodels.reference.values import Span, cell, code, joined, to_page

_BETTER = {"low": "low values are good", "high": "high values are good", "": ""}
_KIND = {
    "gauge": "",
    "rate": "a rate",
    "cumulative": "it only grows, and is read as a rate",
    "state": "a state",
    "text": "a text",
}


@dataclass(frozen=True, slots=True)
class CounterUse:
    """How the rest of the knowledge uses counters: problems by key, screens, limits, presets by key."""

    problems: Mapping[str, Sequence[str]]
    screens: Sequence[Screen]
    limits: LimitsByCounter
    presets: Mapping[str, Sequence[str]]


def counter_page(counter: Counter, use: CounterUse) -> page.Page:
    """Return the page about a counter."""
    names = tuple(filter(None, (counter.short, counter.label, *(twin.name for twin in counter.vcenter))))
    sections: dict[str, Iterable[page.Block]] = {
        "": _head(counter),
        "In esxtop": _esxtop(counter, use.screens),
        "In vCenter": _vcenter(counter, use.presets.get(counter.key, ())),
        "Judged by": _judged(counter, use),
        "How we know": [page.paragraph(f"{counter.source or 'From its name'}.".replace("..", "."))],
    }
    return page.page_of("counter", counter.key, counter.label, sections, names)


def _head(counter: Counter) -> Iterator[page.Block]:
    short = f" ({counter.short})" if counter.short else ""
    yield page.paragraph(Span(f"{counter.label}{short}.", "bold"), f" {counter.meaning}")
    parts = [
        f"{counter.unit} ({UNITS.get(counter.unit, counter.unit)})",
        _KIND[counter.kind],
        _BETTER[counter.better],
    ]
    yield page.paragraph(f"Unit: {'; '.join(filter(None, parts))}.")
    yield page.paragraph(f"Of: {', '.join(map(kind_label, counter.entities))}.")
    if counter.value_names:
        told = ", ".join(f"{number} {word}" for number, word in counter.value_names.items())
        yield page.paragraph(f"Numbers: {told}.")
    if counter.setting:
        yield page.paragraph("Somebody configured it: it rarely changes.")
    if counter.recorded_by:
        yield page.paragraph(f"Counted by {counter.recorded_by}.")


def _esxtop(counter: Counter, screens: Sequence[Screen]) -> Iterator[page.Block]:
    if not counter.esxtop:
        return
    on = [
        f"{one.title} (key {one.key})"
        for one in screens
        if counter.key in (*one.standard, *one.more, *one.head, *one.classic)
    ]
    where = f"Screen: {', '.join(on)}." if on else "On no screen of its own; batch mode has it."
    field = f" Field: {counter.short}." if counter.short else ""
    yield page.paragraph(where + field)
    yield page.Bullets(tuple(_spellings(counter)))


def _spellings(counter: Counter) -> Iterator[page.Line]:
    """How batch mode spells it: a line for each text, with its object classes."""
    by_text: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for spelling in counter.esxtop:
        notes = (
            ("a sum over worlds, divided by the number of vCPUs", spelling.per == "vcpu"),
            ("since boot: a growing count, read as a rate", spelling.cumulative),
            ("not in the first row, where esxtop prints 0", spelling.io),
            ("text", spelling.text),
        )
        key = (spelling.counter, tuple(note for note, holds in notes if holds))
        by_text.setdefault(key, []).append(spelling.cls)
    for (text, notes_), classes in by_text.items():
        yield (
            Span(f"Batch mode, {', '.join(classes)}: "),
            code(text),
            Span(f" ({'; '.join(notes_)})" if notes_ else ""),
        )


def _vcenter(counter: Counter, presets: Sequence[str]) -> Iterator[page.Block]:
    if not counter.vcenter:
        return
    yield page.Table(
        ("Counter", "Of", "Converted", "Level"),
        tuple(_twin(twin) for twin in counter.vcenter),
    )
    recorded = (
        f"Recorded with the presets: {', '.join(presets)}. "
        if presets
        else "Only the preset everything records it. "
    )
    levels = (
        "The levels are those from which vCenter archives the value, and its instances; samples of the last "
        "hour do not depend on them."
    )
    yield page.paragraph(recorded + levels)


def _twin(twin: VcenterSpelling) -> tuple[page.Cell, ...]:
    where = f"{twin.on}, each {twin.instance}" if twin.instance else twin.on
    how = CONVERSIONS[twin.conversion].replace("in `with`", f"as {twin.packets}")
    return (
        cell(code(twin.name), twin.unit),
        cell(where),
        cell(how, twin.source),
        cell(f"{twin.level}/{twin.level_instance}"),
    )


def _judged(counter: Counter, use: CounterUse) -> Iterator[page.Block]:
    problems = use.problems.get(counter.key, ())
    if problems:
        yield page.paragraph(
            "Problems that look at it: ", *joined(to_page("problem", one) for one in problems), "."
        )
    rows = [
        (
            cell(kind),
            cell(format_value(limits.warning.value, counter.unit)),
            cell(format_value(limits.critical.value, counter.unit) if limits.critical else "–"),
            cell(to_page("problem", limits.problem)),
            cell(limits.warning.source),
        )
        for (key, kind), limits in use.limits.items()
        if key == counter.key
    ]
    if rows:
        yield page.Table(("Of", "Warning", "Critical", "Problem", "Source"), tuple(rows))
