"""Prints a diagnosis on a terminal: worst finding first, each with numbers, causes and remedies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from diagnosis.engine import Check, Diagnosis
from diagnosis.kinds import plural
from diagnosis.reach import TOO_FEW_SAMPLES
from diagnosis.session_events import describe_change
from diagnosis.statistic_names import statistic_name
from diagnosis.wrapped_text import wrapped
from resources.foreign_text import visible
from resources.units import format_count, format_duration, format_measured, format_value
from sessions.clock import UTC_CLOCK, Clock
from sessions.findings import CauseVerdict, Evidence, Finding, Severity, Verdict
from sessions.model import EntityRef
from sessions.times import TimeRange
from sessions.verdict_groups import check_lines
from sessions.verdict_wording import (
    check_because,
    covered_text,
    next_steps,
    reach_text,
    source_limits,
    thresholds_of,
    told_checks,
    unjudged_areas_text,
    verdict_title,
)

_T = TypeVar("_T")
_WIDEST = 100
_LABEL = 11  # columns for "Evidence", "Causes", …
_WINDOWS_SHOWN = 3
_NAMES_SHOWN = 12
_TOLD = 4  # conclusions beside the first that are told in full where many findings say the same
_MANY = 3  # findings of one kind from which they are told together
ALL_CHECKS = "Each check with its number and its limit: hyperscope diagnose SESSION --checks"
"""How a reader of the short report gets the long one."""
_SEVERITY: dict[Severity, tuple[str, str, str]] = {
    "critical": ("‼", "!!", "bold red"),
    "warning": ("▲", "!", "bold yellow"),
    "info": ("ℹ", "i", "bold cyan"),
}
_VERDICT: dict[Verdict, tuple[str, str, str]] = {
    "likely": ("●", "*", "bold"),
    "possible": ("◐", "~", ""),
    "unknown": ("?", "?", "italic"),
    "ruled out": ("○", "-", "dim"),
}


def render_report(
    diagnosis: Diagnosis, console: Console, clock: Clock = UTC_CLOCK, *, checks: bool = False
) -> None:
    """Print the findings, worst first, with consequences below their cause, then what was checked: in a few
    lines, or (``checks``) each check with its number.
    """
    page = _Page(console, min(console.width, _WIDEST), console.options.ascii_only, clock)
    _heading(diagnosis, page)
    below = _consequences(diagnosis.findings)
    for number, alike in enumerate(_alike(diagnosis.findings), start=1):
        page.line()
        if alike[0].severity == "info" and len(alike) > 1:
            _render_list(number, alike, page)
        else:
            _render_finding(number, alike, diagnosis, below, page)
    page.line()
    if checks:
        _render_verdicts(diagnosis, page)
        _render_checks(diagnosis, page)
    elif not diagnosis.verdict.is_judged:
        _render_looked_for(diagnosis, page)
        what = "Nothing else" if diagnosis.verdict.counts.troubles else "Nothing"
        page.line(f"{what} could be judged: this is no all-clear.")
    else:
        for lead, line in _labelled("Checks", [*check_lines(diagnosis.verdict), ALL_CHECKS]):
            page.paragraph(lead, line)


def render_finding(
    finding: Finding, diagnosis: Diagnosis, console: Console, clock: Clock = UTC_CLOCK
) -> None:
    """Print one finding of a diagnosis, with what follows from it."""
    page = _Page(console, min(console.width, _WIDEST), console.options.ascii_only, clock, is_alone=True)
    _render_finding(1, [finding], diagnosis, _consequences(diagnosis.findings), page)


@dataclass(frozen=True, slots=True)
class _Page:
    """Wrapped, indented lines on a console; foreign text is shown, never interpreted."""

    console: Console
    width: int
    ascii: bool
    clock: Clock
    is_alone: bool = False
    """True for a finding without the heading that tells the zone of all times."""

    def zone_of(self, finding: Finding) -> str:
        if not self.is_alone or not finding.windows:
            return ""
        return f" Times in {self.clock.zone_of(finding.windows[0])}."

    def line(self, text: str = "", style: str = "") -> None:
        self.paragraph("", text, style=style)

    def paragraph(
        self, lead: str, text: str, *, indent: int = 0, style: str = "", lead_style: str = ""
    ) -> None:
        """``lead`` and then ``text``, wrapped under itself."""
        room = max(20, self.width - indent - len(lead))
        for number, line in enumerate(wrapped(visible(text), room, self.console)):
            start = Text(" " * indent + (lead if number == 0 else " " * len(lead)), style=lead_style)
            self.console.print(start + Text(line, style=style), highlight=False)

    def symbol(self, symbols: tuple[str, str, str]) -> str:
        return symbols[1] if self.ascii else symbols[0]


def _heading(diagnosis: Diagnosis, page: _Page) -> None:
    verdict = diagnosis.verdict
    title = verdict_title(verdict)
    page.line(f"Findings: {title}" if verdict.counts.troubles else f"{title}.", "bold")
    if diagnosis.window:
        page.line(f"{_span(diagnosis.window, page.clock)}, times in {page.clock.zone_of(diagnosis.window)}")
    if not verdict.is_judged:
        page.paragraph("", reach_text(verdict, page.clock.time) + ".")
        for step in next_steps(verdict):
            page.paragraph("Next: ", step)
    elif not verdict.counts.troubles:
        page.paragraph("", f"{reach_text(verdict, page.clock.time)}: {covered_text(verdict)}.")
        if uncovered := unjudged_areas_text(verdict):
            page.paragraph("", uncovered)
            for step in next_steps(verdict):
                page.paragraph("Next: ", step)
    for line in (*source_limits(verdict), *thresholds_of(verdict)):
        page.paragraph("", line)
    for note in diagnosis.notes:
        page.paragraph("- " if note.startswith("- ") else "", note.removeprefix("- "))


def _consequences(findings: Sequence[Finding]) -> dict[tuple[str, EntityRef], list[Finding]]:
    below: dict[tuple[str, EntityRef], list[Finding]] = {}
    for finding in findings:
        if finding.consequence_of:
            below.setdefault(finding.consequence_of, []).append(finding)
    return below


def _folded(finding: Finding, findings: Sequence[Finding]) -> bool:
    """Whether it is shown beneath another one, which is there."""
    return any((one.problem, one.entity) == finding.consequence_of for one in findings)


def _alike(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings that stand on their own, worst first; many that say the same of several entities together."""
    own = [finding for finding in findings if not _folded(finding, findings)]
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in own:
        groups.setdefault(_sameness(finding), []).append(finding)
    shown = [group for group in groups.values() if len(group) >= _MANY]
    shown += [[one] for group in groups.values() if len(group) < _MANY for one in group]
    return sorted(shown, key=lambda group: own.index(group[0]))


def _sameness(finding: Finding) -> tuple[str, ...]:
    """What findings share that are told together: the problem, its severity, and for the serious ones why."""
    if finding.severity == "info":
        return finding.problem, finding.severity
    return finding.problem, finding.severity, *(cause.cause for cause in finding.causes[:1])


def _render_list(number: int, findings: Sequence[Finding], page: _Page) -> None:
    """What is only worth knowing, one line each."""
    first = findings[0]
    symbols = _SEVERITY[first.severity]
    lead = f"{number}. {page.symbol(symbols)} {first.severity.upper()}  "
    page.paragraph(lead, f"{first.title}: {_how_many(findings)}", style="bold", lead_style=symbols[2])
    for finding in findings:
        page.paragraph("- ", finding.conclusion, indent=3)
    for lead, step in _labelled("What to do", [*dict.fromkeys(_first_steps(findings))][:_MANY]):
        page.paragraph(lead, step, indent=3)
    for lead, note in _labelled("Note", [*dict.fromkeys(note for one in findings for note in one.notes)]):
        page.paragraph(lead, note, indent=3)


def _first_steps(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        yield from finding.remedies[:1]


def _render_finding(
    number: int,
    alike: Sequence[Finding],
    diagnosis: Diagnosis,
    below: dict[tuple[str, EntityRef], list[Finding]],
    page: _Page,
) -> None:
    finding = alike[0]
    symbols = _SEVERITY[finding.severity]
    lead = f"{number}. {page.symbol(symbols)} {finding.severity.upper()}  "
    title = f"{finding.title}: {finding.entity_name} ({finding.entity.kind})"
    if len(alike) > 1:
        title += f" and {len(alike) - 1} more"
    page.paragraph(lead, title, style="bold", lead_style=symbols[2])
    page.paragraph("", finding.conclusion, indent=3)
    page.paragraph("When".ljust(_LABEL), when_text(finding, page.clock) + page.zone_of(finding), indent=3)
    for lead, item in _labelled("Evidence", finding.evidence):
        page.paragraph(lead, _evidence(item, diagnosis), indent=3)
    for lead, cause in _labelled("Causes", finding.causes):
        _render_cause(lead, cause, page)
    for lead, change in _labelled("Before it", _changes(finding)):
        page.paragraph(lead, change, indent=3)
    for position, (lead, step) in enumerate(_labelled("What to do", finding.remedies), start=1):
        page.paragraph(f"{lead}{position}. ", step, indent=3)
    for lead, note in _labelled("Note", finding.notes):
        page.paragraph(lead, note, indent=3)
    for lead, text in _labelled("Likewise", _likewise(alike[1:])):
        page.paragraph(lead, text, indent=3)
    followers = [one for each in alike for one in _all_below(each, below)]
    groups = _by_problem(followers)
    for (lead, same), before in zip(_labelled("So also", groups), [None, *groups], strict=False):
        symbol = page.symbol(_SEVERITY[same[0].severity])
        text = _followers_text(same, [one.entity for one in before or ()])
        page.paragraph(lead, f"{symbol} {same[0].severity}  {text}", indent=3)


def _likewise(others: Sequence[Finding]) -> list[str]:
    """The conclusions of findings that say the same; of many the first ones, and who else has it."""
    told = [one.conclusion for one in others]
    rest = others[_TOLD:]
    return [*told[:_TOLD], f"And {_how_many(rest)} more: {_names(rest)}."] if len(rest) > 1 else told


def _all_below(finding: Finding, below: dict[tuple[str, EntityRef], list[Finding]]) -> Iterator[Finding]:
    for follower in below.get((finding.problem, finding.entity), ()):
        yield follower
        yield from _all_below(follower, below)


def _by_problem(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Consequences of one kind and severity together, in the order in which they came."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.problem, finding.severity), []).append(finding)
    return list(groups.values())


def _followers_text(same: Sequence[Finding], before: Sequence[EntityRef]) -> str:
    """One consequence in full; of many their names, or that they are those of the line ``before``."""
    first = same[0]
    if len(same) < _MANY:
        return " ".join(f"{one.entity_name} ({one.entity.kind}): {one.conclusion}" for one in same)
    if [one.entity for one in same] == before:
        return f"{first.title}: the same {_how_many(same)}."
    return f"{first.title}: {_how_many(same)} ({_names(same)})."


def _names(findings: Sequence[Finding]) -> str:
    """Whose findings they are: the first names, and how many others there are."""
    named = ", ".join(one.entity_name for one in findings[:_NAMES_SHOWN])
    left = len(findings) - _NAMES_SHOWN
    return f"{named} and {left} more" if left > 0 else named


def _how_many(findings: Sequence[Finding]) -> str:
    """What of how many has it: "10 VMs"."""
    kinds = {one.entity.kind for one in findings}
    return f"{len(findings)} {plural(kinds.pop()) if len(kinds) == 1 else 'times'}"


def _labelled(label: str, items: Sequence[_T]) -> Iterator[tuple[str, _T]]:
    """Each item with the label before the first one only."""
    for number, item in enumerate(items):
        yield (label if number == 0 else "").ljust(_LABEL), item


def _render_cause(lead: str, cause: CauseVerdict, page: _Page) -> None:
    symbols = _VERDICT[cause.verdict]
    text = f"{cause.verdict}: {cause.title}. {cause.because}"
    page.paragraph(f"{lead}{page.symbol(symbols)} ", text, indent=3, style=symbols[2], lead_style=symbols[2])


def when_text(finding: Finding, clock: Clock = UTC_CLOCK) -> str:
    """Return the first windows of a finding and the share of its samples."""
    shown = [_span(window, clock) for window in finding.windows[:_WINDOWS_SHOWN]]
    more = len(finding.windows) - len(shown)
    text = "; ".join(shown) + (f"; and {more} more" if more > 0 else "")
    if finding.share <= 0:
        return f"{text}."
    return f"{text}. It was so in {format_value(finding.share * 100, '%')} of its samples."


def _changes(finding: Finding) -> list[str]:
    """What happened shortly before it began, a line each."""
    lines = [
        ": ".join(describe_change(event, window.start))
        for window in finding.windows[:1]
        for event in finding.changes
    ]
    return [*lines, *([f"and {format_count(finding.changes_left)} more"] if finding.changes_left else [])]


def _span(window: TimeRange, clock: Clock) -> str:
    days = [clock(t).date().isoformat() for t in (window.start, window.end)]
    end = "" if days[0] == days[1] else f"{days[1]} "
    times = f"{days[0]} {clock.time(window.start)} to {end}{clock.time(window.end)}"
    return f"{times} ({format_duration(window.seconds)})"


def _evidence(item: Evidence, diagnosis: Diagnosis) -> str:
    what, value, limit = evidence_cells(item, diagnosis)
    return f"{what}: {value}" + (f"   limit {limit}" if limit else "")


def evidence_cells(item: Evidence, diagnosis: Diagnosis) -> tuple[str, str, str]:
    """Return what was measured with its statistic, the value, and the limit (empty: none)."""
    of = _whose(item, diagnosis)
    limit = "" if item.threshold is None else _value(item, item.threshold, diagnosis)
    statistic = statistic_name(item.statistic)
    name = item.what or _label(item.counter, diagnosis)
    how = f", {statistic}" if statistic else ""
    return f"{name}{of}{how}", _value(item, item.value, diagnosis), limit


def _whose(item: Evidence, diagnosis: Diagnosis) -> str:
    """Whose number it is, or which source tells it: a vCenter's name is not that of what has the number."""
    if not item.instance:
        return ""
    if item.what:  # a card's own words ("utilisation of the busiest host") need not take "of esx01"
        return f" ({item.instance})"
    is_host = EntityRef("host", item.instance) in diagnosis.reach
    is_source = any(one.name == item.instance for one in diagnosis.verdict.sources)
    return f", as {item.instance} tells" if is_source and not is_host else f" of {item.instance}"


def _value(item: Evidence, value: float, diagnosis: Diagnosis) -> str:
    """The number with its unit; the word for a state, and for -1 where that means unlimited."""
    known = None if item.what else diagnosis.counters.get(item.counter)
    word = known.value_name(value) if known else None
    if word is not None:
        return word
    if item.threshold is None:
        return format_value(value, item.unit)
    return format_measured(value, item.unit, item.threshold)


def _label(key: str, diagnosis: Diagnosis) -> str:
    known = diagnosis.counters.get(key)
    if not known:
        return key
    return f"{known.label} ({known.short})" if known.short else known.label


def _render_verdicts(diagnosis: Diagnosis, page: _Page) -> None:
    """What came of every check that the session's entities can fail, the found ones aside."""
    checks = told_checks(diagnosis.verdict)
    for lead, check in _labelled("Verdicts", checks):
        page.paragraph(lead, f"{check.problem}: {check.verdict}: {check_because(check)}.")


def _render_looked_for(diagnosis: Diagnosis, page: _Page) -> None:
    found = set() if diagnosis.verdict.is_judged else {one.problem for one in diagnosis.findings}
    ran = [check for check in diagnosis.checks if check.judged and check.problem not in found]
    if ran:
        count, them = (f"{len(ran)} problems", "them") if len(ran) > 1 else ("1 problem", "it")
        lead = "Checked    " if diagnosis.verdict.is_judged else "Looked for "
        few = "" if diagnosis.verdict.is_judged else f", but there are too few samples to rule {them} out"
        first, *others = ran
        entities = "entity" if first.judged == 1 else "entities"
        listed = [f"{first.problem} (in {first.judged} {entities})", *map(_short, others)]
        page.paragraph(lead, f"{count}{few}: {', '.join(listed)}.")


def _render_checks(diagnosis: Diagnosis, page: _Page) -> None:
    _render_looked_for(diagnosis, page)
    for label, is_judged in (("In part", True), ("Not judged", False)):
        reasons: dict[str, list[str]] = {}
        for check in diagnosis.checks:
            if _unchecked(check) and bool(check.judged and check.entities) == is_judged:
                reasons.setdefault(_why_not(check, diagnosis), []).append(check.problem)
        for lead, (reason, named) in _labelled(label, list(reasons.items())):
            page.paragraph(lead, f"{', '.join(named)}: {reason}")


def _short(check: Check) -> str:
    return f"{check.problem} ({check.judged})"


def _unchecked(check: Check) -> bool:
    return not check.judged or bool(check.lacking)


def _reason(problem: str, diagnosis: Diagnosis) -> str:
    """Return what hides a problem from all sources, as its verdict says it; "" where samples are too few."""
    said = next((one.reason for one in diagnosis.verdict.checks if one.problem == problem), "")
    return "" if said in ("", TOO_FEW_SAMPLES) else f"{said.removesuffix('.')}."


def _why_not(check: Check, diagnosis: Diagnosis) -> str:
    counters = ", ".join(_label(key, diagnosis) for key in check.lacking)
    if not check.entities:
        return "this data has nothing that they are about, or not the counters that they need."
    if not check.judged:
        if not counters:
            return _reason(check.problem, diagnosis) or "needs more samples than this data has."
        return f"needs {counters}, which this data does not have."
    return f"judged without {counters}, which this data does not have."
