"""``info``: prints what a session holds, where it comes from, and which samples are missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from app.commands.options import AsJson, SessionPath, Times, clock_of
from app.consoles import one_line, results
from app.terminal import print_json
from resources.catalogue import load_catalogue
from resources.failures import DamagedError
from resources.foreign_text import shown
from resources.units import format_bytes, format_count, format_duration
from sessions.clock import UTC_ZONE, Clock
from sessions.current_records import with_current_names
from sessions.journal import JournalEntry, TestRun
from sessions.model import EXPECTED, RECEIVED, EntityRef, Gap, Source
from sessions.store import SessionInfo, SessionReader, check_session
from sessions.times import iso
from sessions.verdict_wording import (
    covered_text,
    reach_text,
    source_limits,
    unjudged_samples_text,
    verdict_json,
    verdict_title,
)
from sessions.verdicts import Verdict, samples_after
from viewmodels.catalogue_difference import (
    CatalogueDifference,
    catalogue_differences,
    difference_lines,
)
from viewmodels.joined_guests import joined_guests
from viewmodels.joined_sources import guessed_names
from wizards.flows.change_count import count_of_run, left_words

GAPS_SHOWN = 8


def info(
    session: SessionPath,
    thorough: Annotated[
        bool, typer.Option("--check", help="Also read and check every sample in it (slow on a big one).")
    ] = False,
    times: Times = UTC_ZONE,
    as_json: AsJson = False,
) -> None:
    """Print sources, entities, series, samples, gaps, time range and size of a session."""
    if thorough and (problems := check_session(session, thorough=True)):
        raise DamagedError(
            f"{session} is damaged: {'; '.join(one.rstrip('.') for one in problems[:3])}.",
            meaning="What is readable is still shown by the other commands.",
            advice="Import or record again, or keep the file for us.",
        )
    with SessionReader.open(session) as reader:
        found = reader.info()
        names = {} if as_json else names_in_gaps(reader, found)
        verdict = reader.verdict()
        clock = clock_of(reader, times)
        later = samples_after(verdict, reader)
        counters = catalogue_differences(reader.facts(), reader.entities(), load_catalogue())
        runs, journal = reader.test_runs(), reader.journal()
        guessed = guessed_names(reader)
        guests = joined_guests(reader)
    if as_json:
        print_json(
            {
                **found.to_json(),
                "verdict": {**verdict_json(verdict), "samples_after": later},
                "counters": [one.to_json() for one in counters],
                "tests": [test_json(one, journal) for one in runs],
                "joined_by_name": guessed,
                "guests": [one.to_json() for one in guests],
            }
        )
    else:
        tests_told = [("test", test_text(one, journal, clock)) for one in runs]
        if any(one.is_open for one in journal):
            tests_told.append(("restore", f"hyperscope restore {session} puts back what is left changed"))
        if guessed:
            tests_told.append(("joined", f"by name alone, which is a guess: {', '.join(guessed)}"))
        tests_told += [("guest", one.text) for one in guests]
        show(found, names, [("verdict", verdict_text(verdict, later, clock)), *tests_told], clock)
        show_counters(counters)


def show_counters(differences: Sequence[CatalogueDifference]) -> None:
    """Print what each server's own list of counters has beyond our catalogue, and lacks of it."""
    console = results()
    for one in differences:
        console.print()
        for line in difference_lines(one):
            console.print(one_line(line))


def test_text(run: TestRun, journal: Sequence[JournalEntry], clock: Clock) -> str:
    """Return what a test's run came to, and what it left changed: ``io-sweep, 14:02:11: The knee is …``."""
    result = run.verdict or run.why or ("no verdict" if run.end is not None else "it did not end by itself")
    left = left_words(count_of_run(run.id, journal))
    at = clock.iso(run.start)
    return shown(f"{run.test}, {at}: {result.rstrip('.')}{f'; {left}' if left else ''}", 1000)


def test_json(run: TestRun, journal: Sequence[JournalEntry]) -> dict[str, object]:
    """Return a test's run as ``info --json`` prints it."""
    count = count_of_run(run.id, journal)
    return {
        "test": run.test,
        "run": run.id,
        "start": iso(run.start),
        "end": iso(run.end) if run.end is not None else None,
        "valid": run.valid,
        "why": run.why,
        "verdict": run.verdict,
        "changes": {"all": count.all, "back": count.back, "left": count.left, "open": count.open},
    }


def verdict_text(verdict: Verdict, later: int, clock: Clock) -> str:
    """Return what the last stored diagnosis found and up to when; ``later`` samples came after it."""
    if not verdict.is_judged:
        return shown(reach_text(verdict, clock.iso))
    parts = [f"{verdict_title(verdict)}.", f"{reach_text(verdict, clock.iso)}: {covered_text(verdict)}."]
    return shown(" ".join([*parts, *source_limits(verdict), unjudged_samples_text(later)]).rstrip())


def names_in_gaps(reader: SessionReader, found: SessionInfo) -> Mapping[EntityRef, str]:
    """Return kind and current name of each entity that has a gap; a part of a VM is named with its VM."""
    refs = {gap.entity for gap in found.gaps if gap.entity is not None}
    if not refs:
        return {}
    entities = with_current_names(reader.entities(), reader.facts())
    names = {}
    for ref in refs & entities.keys():
        parent = entities[ref].parent
        above = f"{entities[parent].name} › " if parent in entities and parent.kind == "vm" else ""
        names[ref] = f"{ref.kind} {above}{entities[ref].name}"
    return names


def show(
    found: SessionInfo, names: Mapping[EntityRef, str], told: Sequence[tuple[str, str]], clock: Clock
) -> None:
    """Print the session's summary, a table of its sources, their notes and their gaps.

    ``names`` are what entities with gaps are called, ``told`` title and value of the lines on what was found
    and tested.
    """
    console = results()
    for name, value in (*summary(found, clock), *told):
        console.print(Text(f"{name:<10}", style="bold"), one_line(value), sep="")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("source", "kind", "every", "samples", "received", "gaps", "state"):
        table.add_column(title, justify="left" if title in {"source", "kind", "state"} else "right")
    for source in found.sources:
        interval = found.intervals.get(source.id)
        table.add_row(
            one_line(source.spec.name),
            source.spec.kind,
            format_duration(interval) if interval else "–",
            format_count(source.samples),
            coverage_text(source),
            format_count(sum(gap.source == source.id for gap in found.gaps)),
            source.state,
        )
    console.print()
    console.print(table)
    for source in found.sources:
        for line in (*notes(source), *gap_lines(found, source, names, clock)):
            console.print(one_line(source.spec.name, "dim"), one_line(line, "dim"), sep="  ", end="\n")


def notes(source: Source) -> list[str]:
    """Return lines about a source: files, time zone, lost samples, the offset of its clock."""
    lines = [f"{key}: {value}" for key, value in source.spec.attributes if key not in (EXPECTED, RECEIVED)]
    if source.state == "interrupted":
        again = "; import the capture again" if source.spec.kind == "esxtop" else ""
        lines.insert(0, f"interrupted: it was not written to its end, what comes after is missing{again}")
    if source.spec.counted:
        expected, got = source.spec.counted
        lines.append(f"received {format_count(got)} of {format_count(expected)} expected samples")
    if offset := source.spec.clock_offset_ms:
        lines.append(
            f"clock: {format_duration(abs(offset) / 1000)} {'ahead of' if offset > 0 else 'behind'} ours"
        )
    return lines


def coverage_text(source: Source) -> str:
    """Return the percentage of a live source's expected samples that came; 100 % only if none is missing."""
    if not source.spec.counted or not source.spec.counted[0]:
        return "–"
    expected, got = source.spec.counted
    part = 100.0 * got / expected
    return "100 %" if got >= expected else f"{min(part, 99.99):.2f} %"


def gap_lines(found: SessionInfo, source: Source, names: Mapping[EntityRef, str], clock: Clock) -> list[str]:
    """Return lines for the first gaps of a source, and how many more there are."""
    gaps = [gap for gap in found.gaps if gap.source == source.id]
    lines = [
        f"gap: {clock.iso(gap.start)} to {clock.iso(gap.end)}{gap_ticks(gap)}, "
        f"{gap_entity(gap, names)}: {gap.reason}"
        for gap in gaps[:GAPS_SHOWN]
    ]
    more = len(gaps) - GAPS_SHOWN
    return [*lines, f"and {format_count(more)} gaps more (--json has all)"] if more > 0 else lines


def gap_ticks(gap: Gap) -> str:
    """Return how many ticks a gap covers: `` (12 instants)``; empty if that is unknown."""
    if gap.ticks is None:
        return ""
    return f" ({format_count(gap.ticks)} {'instant' if gap.ticks == 1 else 'instants'})"


def gap_entity(gap: Gap, names: Mapping[EntityRef, str]) -> str:
    """Return what the entity that a gap is of is called, or ``everything``."""
    return names.get(gap.entity, gap.entity.key) if gap.entity else "everything"


def summary(found: SessionInfo, clock: Clock) -> list[tuple[str, str]]:
    """Return title and value of each line above the table."""
    kinds = ", ".join(f"{format_count(n)} {kind}" for kind, n in found.entities.items())
    lines = [("entities", kinds or "none"), ("series", format_count(found.series))]
    if found.span:
        length = format_duration(found.span.seconds)
        lines.insert(0, ("time", f"{clock.iso(found.span.start)} to {clock.iso(found.span.end)} ({length})"))
    each = f", {found.bytes / found.samples:.2f} bytes each" if found.samples else ""
    if found.title:
        lines.insert(0, ("title", found.title))
    if found.events:
        kinds = ", ".join(f"{format_count(n)} {shown(kind)}" for kind, n in sorted(found.events.items()))
        lines.append(("events", kinds))
    lines.append(("samples", f"{format_count(found.samples)} in {format_bytes(found.bytes)}{each}"))
    return lines
