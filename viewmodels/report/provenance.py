"""From what a report was made, and how complete that is: sources, gaps, and what could not be judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from resources.foreign_text import shown
from resources.units import format_bytes, format_count, format_duration, format_value
from sessions.model import EXPECTED, RECEIVED, Gap, Source
from sessions.verdict_wording import limits_of, reach_text
from viewmodels.entity_names import full_name
from viewmodels.report.document import Block, Cell, Column, Heading, Section, Steps, Table, Tone, paragraph
from viewmodels.report.material import Material
from viewmodels.report.two_sources import apart_blocks
from viewmodels.source_gaps import gap_count

_SOURCES, _GAPS = 200, 60


def sources_section(material: Material) -> Section:
    """Return what was recorded, and what is missing."""
    snapshot = material.snapshot
    size = f"{format_count(snapshot.samples)} samples in {format_bytes(snapshot.bytes)}"
    blocks: list[Block] = [
        paragraph(f"{shown(snapshot.path.name)}: {format_count(len(snapshot.series))} series, {size}."),
        _sources(material),
        *_gaps(material),
        *apart_blocks(material),
        *_unjudged(material),
    ]
    return Section("sources", "From what, and how complete", "", tuple(blocks))


_COLUMNS = (
    Column("Source", weight=2.4),
    Column("Every", is_number=True, weight=0.7),
    Column("Series", is_number=True, weight=0.8),
    Column("Complete", is_number=True, weight=0.9),
    Column("Recorded", weight=2.0),
    Column("To know", weight=2.6),
)


def _sources(material: Material) -> Table:
    snapshot = material.snapshot
    series = Counter(one.source for one in snapshot.series)
    rows = []
    for source in snapshot.sources[:_SOURCES]:
        interval = snapshot.intervals.get(source.id)
        complete, tone = _complete(source, material)
        rows.append(
            (
                Cell(f"{shown(source.spec.name, 60)} ({source.spec.kind})", is_bold=True),
                Cell(format_duration(interval) if interval else ""),
                Cell(format_count(series[source.id])),
                Cell(complete, tone=tone),
                Cell(_recorded(source, material), tone="muted"),
                Cell("; ".join(_to_know(source)), tone="muted"),
            )
        )
    left = len(snapshot.sources) - _SOURCES
    return Table(_COLUMNS, tuple(rows), f"and {format_count(left)} more." if left > 0 else "")


def _complete(source: Source, material: Material) -> tuple[str, Tone]:
    counted = source.spec.counted
    if counted and counted[0]:
        expected, got = counted
        if got >= expected:
            return "100 %", "ok"
        return format_value(min(100 * got / expected, 99.9), "%"), "warning"
    if source.start is None:
        return "no sample", "warning"
    gaps = [gap.entity is None for gap in material.snapshot.gaps if gap.source == source.id]
    whole = sum(gaps)
    tone: Tone = "warning" if whole else "plain" if gaps else "ok"
    return gap_count(whole, len(gaps) - whole) or "no gap", tone


def _recorded(source: Source, material: Material) -> str:
    if source.start is None or source.end is None:
        return "nothing"
    clock = material.clock
    return f"{clock.day_time(source.start)} – {clock.day_time(source.end)}"


def _to_know(source: Source) -> Iterator[str]:
    if source.state == "interrupted":
        yield "interrupted: what comes after is missing"
    elif source.is_growing:
        yield f"still {source.state}: this report shows what was there"
    if offset := source.spec.clock_offset_ms:
        ahead = "ahead of" if offset > 0 else "behind"
        yield f"its clock is {format_duration(abs(offset) / 1000)} {ahead} ours"
    for key, value in source.spec.attributes:
        if key not in (EXPECTED, RECEIVED):
            yield f"{shown(key, 40)}: {shown(value, 120)}"


def _gaps(material: Material) -> Iterator[Block]:
    gaps = material.snapshot.gaps
    if material.snapshot.span is None:
        yield paragraph("No sample was recorded.")
        return
    if not gaps:
        yield paragraph("No gap was recorded: no sample is known to be missing.")
        return
    whole = sorted(gaps, key=lambda gap: (gap.entity is not None, gap.start))
    yield Heading("Gaps", "what is absent is absent: never zero, never guessed")
    columns = Column("From – until", weight=1.8), Column("Of", weight=2.2), Column("Why", weight=3.4)
    rows = tuple(_gap(gap, material) for gap in whole[:_GAPS])
    left = len(whole) - _GAPS
    note = f"and {format_count(left)} more; 'hyperscope info --json' has all." if left > 0 else ""
    yield Table(columns, rows, note)


def _gap(gap: Gap, material: Material) -> tuple[Cell, ...]:
    snapshot, clock = material.snapshot, material.clock
    source = next((one.spec.name for one in snapshot.sources if one.id == gap.source), "")
    whose = shown(full_name(gap.entity, snapshot), 60) if gap.entity else "everything"
    until = f" – {clock.time(gap.end)} ({format_duration((gap.end - gap.start) / 1000)})"
    return (
        Cell(clock.day_time(gap.start) + (until if gap.end > gap.start else ""), tone="muted"),
        Cell(f"{whose} of {shown(source, 60)}"),
        Cell(shown(gap.reason, 200)),
    )


def _unjudged(material: Material) -> Iterator[Block]:
    verdict = material.verdict
    yield Heading("What was judged, and what was not")
    yield paragraph(reach_text(verdict, material.clock.moment) + ".")
    if lines := limits_of(verdict):
        yield Steps(tuple(shown(line, 600) for line in lines), is_ordered=False)
    elif verdict.is_judged:
        yield paragraph("Every known problem that these sources can show was looked for.")
