"""The first page of a report: what happened, why, is it over, what to do; every word explained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from diagnosis.correlation.patterns import pattern_of
from diagnosis.correlation.wording import rhythm_words
from resources.correlation_roles import load_correlation
from resources.foreign_text import shown
from resources.guided_flow import load_flow
from resources.units import format_count, format_duration, format_value
from sessions.findings import Finding
from sessions.times import TimeRange, joined, longest_pause
from sessions.verdict_wording import (
    counts_text,
    covered_text,
    judged_areas_text,
    limits_of,
    limits_of_areas,
    reach_text,
)
from sessions.verdicts import SeverityCounts
from viewmodels.comparison_texts import headline as comparison_headline
from viewmodels.comparison_texts import same_load
from viewmodels.finding_labels import evidence_row, late_notes, lookup_in
from viewmodels.finding_order import families, identity, main_causes
from viewmodels.report.document import (
    SUMMARY,
    Block,
    Callout,
    Cell,
    Column,
    Heading,
    Paragraph,
    Run,
    Section,
    Steps,
    Table,
    Tile,
    Tiles,
    Tone,
    bold,
    paragraph,
)
from viewmodels.report.evidence import anchors_of_findings
from viewmodels.report.material import Material
from viewmodels.source_gaps import gap_count

_NAME = 60
_MOST_ROWS = 8
_MOST_STEPS = 5
_MOST_NAMES = 4
_NAME_IN_STEP = "\ue001"
"""Stands for the name that a step is about, when steps are compared."""
_STILL = 3
"""A problem was still there at the end if it ended less than so many samples before the last one."""
_PAUSES = 2
"""Of the longest pause of a problem that comes and goes, so many without it are more than a pause."""


def manager_page(material: Material) -> Section:
    """Return the first page."""
    told = main_causes(material.findings, _MOST_ROWS)
    blocks: list[Block] = [_answer(material, told), _tiles(material)]
    if told:
        blocks += [Heading("What was found", "worst first"), _found(material, told)]
    blocks += _outcomes("What was looked into", "Symptom", material.guided)
    blocks += _outcomes("What was tested", "Test", material.tests)
    to_do = [one for one, _ in told if (one.problem, one.entity) not in material.fixes]
    if steps := _steps(to_do):
        blocks += [Heading("What to do next"), Steps(tuple(steps))]
    if material.snapshot.marks:
        count = len(material.snapshot.marks)
        words = "note was" if count == 1 else "notes were"
        blocks.append(paragraph(f"{format_count(count)} {words} taken: see Notes.", style="muted"))
    blocks += _reservations(material)
    if glossary := _glossary(material, blocks):
        blocks += [Heading("Words on this page", level=4), glossary]
    return Section(SUMMARY, "Summary", "", tuple(blocks))


def headline(material: Material) -> str:
    """Return the report's title: the worst problem in plain words, or that none was found."""
    first = next((one for one, _ in main_causes(material.findings, 1) if one.severity != "info"), None)
    if first is not None:
        return plain_sentence(first, material)
    if material.tests:
        return material.tests[0].title if len(material.tests) == 1 else "Guided tests"
    if not material.verdict.is_judged:
        return "Performance report: nothing was judged"
    if material.verdict.is_partly_clear:
        return f"Judged in part: no performance problem found in {judged_areas_text(material.verdict)}"
    return "No performance problem found"


def plain_sentence(finding: Finding, material: Material) -> str:
    """Return what a finding says to somebody who does not know vSphere."""
    words = material.knowledge.words
    plain = words.by_problem.get(finding.problem)
    name = shown(finding.entity_name, _NAME)
    if plain is None:  # a card of the admin's own
        return f"{shown(finding.title, 120)}: {words.entity(finding.entity.kind, name)}"
    return plain.sentence(words.entity(finding.entity.kind, name))


def now_text(finding: Finding, material: Material) -> tuple[str, bool]:
    """Return whether a finding is over, in a few words, and True if it is; "" where it has no time."""
    end = _judged_end(material)
    if not finding.windows or end is None:
        return "", True
    last = _last_of(finding, material)
    if end - last <= _STILL * _interval_ms(material):
        if _is_growing(material):
            return f"still so at {_at(end, material)}", False
        return "still so at the end of the recording", False
    fixed = material.fixes.get((finding.problem, finding.entity))
    if fixed is not None:
        return f"fixed, verified to {_at(fixed, material)}", True
    if end - last < _PAUSES * longest_pause(finding.windows):
        return f"comes and goes, quiet since {_at(last, material)}", False
    return f"over since {_at(last, material)}", True


def _at(t_ms: int, material: Material) -> str:
    """The time of day, of a recording over midnight with the date: of a week "since 02:55" says little."""
    clock, span = material.clock, material.snapshot.span
    is_one_day = span is None or clock.day(span.start) == clock.day(span.end)
    return clock.time(t_ms) if is_one_day else clock.day_time(t_ms)


def _last_of(finding: Finding, material: Material) -> int:
    """When a finding, or what follows from it, was last seen."""
    followers = families(material.findings).get(identity(finding), ())
    return max(window.end for one in (finding, *followers) for window in one.windows)


def _judged_end(material: Material) -> int | None:
    judged = material.verdict.judged_to
    return judged if judged is not None else (material.window.end if material.window else None)


def _interval_ms(material: Material) -> float:
    return max(material.snapshot.intervals.values(), default=0.0) * 1000


def _outcomes(title: str, head: str, sections: Sequence[Section]) -> Iterator[Block]:
    """The verdict of each guided run or test in its line."""
    told = [(one, next((x for x in one.blocks if isinstance(x, Callout)), None)) for one in sections]
    rows = tuple(
        (
            Cell(one.title.partition(": ")[2] or one.title, link=one.key),
            Cell(box.line, is_bold=True, tone=box.tone),
        )
        for one, box in told
        if box is not None
    )
    if rows:
        yield Heading(title)
        yield Table((Column(head, weight=1.6), Column("Verdict", weight=4.0)), rows)


def _answer(material: Material, told: Sequence[tuple[Finding, int]]) -> Paragraph:
    problems = [one for one, _ in told if one.severity != "info"]
    if not problems:
        return Paragraph(tuple(_no_problem(material)), "lead")
    return Paragraph(tuple(_story(material, problems)), "lead")


def _no_problem(material: Material) -> Iterator[Run]:
    verdict, at = material.verdict, material.clock.time
    if not verdict.is_judged:
        yield bold("No known problem could be looked for. ")
        yield Run(f"{reach_text(verdict, at)}.")
        return
    if verdict.is_partly_clear:
        yield bold(f"Judged in part: no problem was found in {judged_areas_text(verdict)}. ")
        yield Run(f"{' '.join(limits_of_areas(verdict))} ")
    else:
        yield bold("No problem was found. ")
    yield Run(f"Hyperscope {covered_text(verdict)}, up to {at(verdict.judged_to or 0)}. ")
    if material.findings:
        yield Run("What is worth knowing, and hurts nobody now, is listed below. ")
    yield Run("This holds for what was recorded; what was not is said at the end of this report.")
    yield from _before_against_after(material)


def _story(material: Material, problems: Sequence[Finding]) -> Iterator[Run]:
    first = problems[0]
    yield bold("What happened: ")
    when = _when(first, material)
    yield Run(f"{plain_sentence(first, material)}{f', {when}' if when else ''}. ")
    plain = material.knowledge.words.by_problem.get(first.problem)
    yield Run(f"{plain.effect} " if plain is not None else f"{shown(first.conclusion, 400)} ")
    roots = families(material.findings)
    others = sum(one.severity != "info" and identity(one) in roots for one in material.findings) - 1
    if followers := len(roots.get(identity(first), ())):
        what = (
            "1 more finding follows" if followers == 1 else f"{format_count(followers)} more findings follow"
        )
        yield Run(f"{what} from it. ")
    yield bold("Why: ")
    yield Run(_why(first))
    yield bold(" Is it over? ")
    yield from _is_over(first, material)
    if others > 0:
        more = "another problem was" if others == 1 else f"{format_count(others)} others were"
        yield Run(f" Besides this one, {more} found: see below.")


def _when(finding: Finding, material: Material) -> str:
    windows = joined(finding.windows)
    if not windows:
        return ""
    whole = TimeRange(windows[0].start, windows[-1].end)
    seconds = sum(window.seconds for window in windows)
    text = f"from {material.clock.window(whole)}".replace(" – ", " to ")
    if len(windows) > 1 and whole.seconds - seconds < load_flow().numbers.calm_part.value * whole.seconds:
        # Short pauses part nothing: what is bad for nearly all of an evening is not bad 17 times.
        return f"nearly all the time {text}, {format_duration(seconds)} of {format_duration(whole.seconds)}"
    if len(windows) > 1:
        times = f"{format_count(len(windows))} times {text}, {format_duration(seconds)} together"
        return f"{times}{_rhythm(windows, material)}"
    return f"{text}, for {format_duration(seconds)}" if seconds else text.replace("from", "at", 1)


def _rhythm(windows: Sequence[TimeRange], material: Material) -> str:
    """How often it comes back, if it does: who reads "each day at 01:30" knows which job to ask for."""
    begins = np.array([one.start for one in windows], np.int64)
    lengths = np.array([one.end - one.start for one in windows], np.int64)
    step = max(1, round(_interval_ms(material)))
    found = pattern_of(begins, lengths, step, load_correlation().numbers)
    return f": {rhythm_words(found, material.clock)}" if found is not None else ""


def _why(finding: Finding) -> str:
    likely = [one for one in finding.causes if one.verdict == "likely"]
    possible = [one for one in finding.causes if one.verdict == "possible"]
    if likely:
        # Its sentence names who: the VM that loads the LUN, the setting with its value.
        return f"{shown(likely[0].title, 200).rstrip('.')}. {shown(likely[0].because, 400)}".rstrip()
    if possible:
        names = ". Or: ".join(shown(one.title, 120).rstrip(".") for one in possible[:3])
        return f"not certain. Possible: {names}."
    if not finding.causes:
        return "the finding says it itself."
    return "the recording does not tell. What would tell it stands with the finding."


def _is_growing(material: Material) -> bool:
    return material.snapshot.recording


def _is_over(finding: Finding, material: Material) -> Iterator[Run]:
    text, is_over = now_text(finding, material)
    end = _judged_end(material)
    if not text or end is None:
        yield Run("It is a state, not an incident: it stays until it is changed.")
        return
    last = _last_of(finding, material)
    calm, when = format_duration((end - last) / 1000), _at(last, material)
    if is_over:
        yield Run(
            f"Yes, it ended at {when} and did not come back in the {calm} recorded after it.", tone="ok"
        )
    elif end - last > _STILL * _interval_ms(material):
        pause = format_duration(longest_pause(finding.windows) / 1000)
        yield Run(
            f"Nobody can say yet: it comes and goes, and stayed away for up to {pause} before. It has been "
            f"quiet since {when}, for {calm}.",
            tone="warning",
        )
    else:
        at = _at(end, material)
        when = (
            f"at {at}; the recording goes on"
            if _is_growing(material)
            else f"when the recording ended, at {at}"
        )
        yield Run(f"No, it was still so {when}.", tone="critical")
    yield from _before_against_after(material)


def _before_against_after(material: Material) -> Iterator[Run]:
    if material.compared is not None:
        found = material.compared.comparison
        load = {"yes": "under the same load", "no": "but the load was different"}.get(same_load(found), "")
        text = comparison_headline(found).rstrip(".")
        yield Run(f" Before against after: {text}{f', {load}' if load else ''}.")


def _tiles(material: Material) -> Tiles:
    counts = material.verdict.counts
    tiles = []
    first = next((one for one, _ in main_causes(material.findings, 1) if one.severity != "info"), None)
    if first is not None:
        seconds = sum(window.seconds for window in joined(first.windows))
        proof = anchors_of_findings(material).get(identity(first), "")
        if seconds:
            tiles.append(Tile(format_duration(seconds), "the worst problem lasted", "critical", proof))
        if first.evidence:
            row = evidence_row(first.evidence[0], lookup_in(material.knowledge.catalogue, lambda *_: ()))
            what = shown(f"{row.what}{f'; {row.limit}' if row.limit else ''}", 90)
            tiles.append(Tile(row.value, what, link=proof))
    if material.verdict.is_judged:
        clear: Tone = "plain" if material.verdict.is_partly_clear else "ok"
        tone: Tone = "critical" if counts.critical else "warning" if counts.warning else clear
        words = counts_text(SeverityCounts(counts.critical, counts.warning))
        noun = "problem" if counts.troubles == 1 else "problems"
        problems = f"{noun}: {words}" if words else noun
        tiles.append(Tile(format_count(counts.troubles), problems, tone, "findings"))
    if material.compared is not None:
        judged = material.compared.comparison.judged
        worse, total = judged.get("worse", 0), len(material.compared.comparison.pairs)
        tone = "warning" if worse else "ok"
        tiles.append(Tile(f"{format_count(worse)} of {format_count(total)}", "series got worse", tone))
    else:
        tiles.append(_completeness(material))
    return Tiles(tuple(tiles))


def _completeness(material: Material) -> Tile:
    counted = [one.spec.counted for one in material.snapshot.sources if one.spec.counted]
    expected = sum(one[0] for one in counted)
    if expected:
        got = sum(min(one) for one in counted)
        part = "100 %" if got >= expected else format_value(min(100 * got / expected, 99.9), "%")
        return Tile(part, "of the expected samples came", "ok" if got >= expected else "warning")
    if material.snapshot.span is None:
        return Tile("0", "samples in the recording", "warning")
    gaps = sum(gap.entity is None for gap in material.snapshot.gaps)
    partial = len(material.snapshot.gaps) - gaps
    words = "gap in the recording" if gaps == 1 else "gaps in the recording"
    if partial:
        words += f", and {gap_count(0, partial)}: of single entities"
    return Tile(format_count(gaps), words, "warning" if gaps else "plain" if partial else "ok")


_COLUMNS = (
    Column("What", weight=3.4),
    Column("From – until", weight=1.9),
    Column("Measured", is_number=True, weight=1.0),
    Column("Limit", is_number=True, weight=0.9),
    Column("Now", weight=1.5),
)


def _found(material: Material, told: Sequence[tuple[Finding, int]]) -> Table:
    lookup = lookup_in(material.knowledge.catalogue, lambda *_: ())
    anchors = anchors_of_findings(material)
    rows = []
    for finding, left in told:
        proof = anchors.get(identity(finding), "")
        row = evidence_row(finding.evidence[0], lookup) if finding.evidence else None
        now, is_over = now_text(finding, material)
        more = f" (and {format_count(left)} more like it)" if left else ""
        windows = joined(finding.windows)
        when = ""
        if windows:
            when = material.clock.window(TimeRange(windows[0].start, windows[-1].end), zone=False)
        rows.append(
            (
                Cell(
                    plain_sentence(finding, material) + more,
                    is_bold=True,
                    symbol=finding.severity,
                    link=proof,
                ),
                Cell(when, tone="muted"),
                Cell(row.value if row else "", is_bold=True, link=proof),
                Cell(row.limit.removeprefix("limit ") if row else "", tone="muted"),
                Cell(now, tone="ok" if is_over else "critical"),
            )
        )
    rest = len(families(material.findings)) - len(told) - sum(left for _, left in told)
    note = f"and {format_count(rest)} more: see Findings." if rest > 0 else ""
    return Table(_COLUMNS, tuple(rows), note)


def _steps(findings: Sequence[Finding]) -> list[str]:
    """The first remedies of each problem, and that they come too late, if so; one that differs by the name
    alone is told once, with all names.
    """
    found: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for finding in findings:
        for step in finding.remedies[:1]:
            name, remedy = finding.entity_name, " ".join([shown(step, 400), *late_notes(finding)])
            alike = finding.entity.kind, remedy.replace(name, _NAME_IN_STEP) if name else remedy
            found.setdefault(alike, (remedy, []))[1].append(name)
    return [
        shown(remedy, 800) + _the_same_for(distinct[1:] if _NAME_IN_STEP in alike else [])
        for (_, alike), (remedy, names) in list(found.items())[:_MOST_STEPS]
        if (distinct := list(dict.fromkeys(names)))
    ]


def _the_same_for(names: Sequence[str]) -> str:
    """Whom else a step is about, as a sentence after it."""
    if not names:
        return ""
    more = len(names) - _MOST_NAMES
    told = ", ".join(shown(one, _NAME) for one in names[:_MOST_NAMES])
    return f" The same for {told}{f' and {format_count(more)} more' if more > 0 else ''}."


def _reservations(material: Material) -> Iterator[Block]:
    """What limits what this page says: gaps, what was not judged, that it is simulated."""
    lines = list(material.notes)
    if material.is_simulated:
        lines.insert(0, "These are simulated servers: the numbers are the lab's.")
    gaps = sum(gap.entity is None for gap in material.snapshot.gaps)
    if gaps:
        count = f"{format_count(gaps)} gap{'' if gaps == 1 else 's'}"
        lines.append(f"The recording has {count}: of that time nothing is known.")
    unjudged = len(limits_of(material.verdict))
    if material.verdict.is_judged and unjudged:
        lines.append("Not everything could be judged: the last pages say what, and why.")
    if lines:
        yield paragraph(" ".join(lines), style="muted")


def _glossary(material: Material, blocks: Sequence[Block]) -> Paragraph | None:
    """Explain the words of the field that stand on the page; as running text, so that it stays one page."""
    found = material.knowledge.words.explained(" ".join(texts_of(blocks)))
    runs = (run for one in found for run in (bold(one.word), Run(f" {one.means}  ")))
    return Paragraph(tuple(runs), "muted") if found else None


def texts_of(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield all texts of the blocks of a page."""
    for block in blocks:
        match block:
            case Paragraph(runs=runs):
                yield from (run.text for run in runs)
            case Tiles(tiles=tiles):
                yield from (text for one in tiles for text in (one.value, one.label))
            case Table(columns=columns, rows=rows, note=note):
                yield from (column.head for column in columns)
                yield from (cell.text for row in rows for cell in row)
                yield note
            case Steps(items=items):
                yield from items
            case Heading(text=text, note=note):
                yield from (text, note)
            case _:
                pass
