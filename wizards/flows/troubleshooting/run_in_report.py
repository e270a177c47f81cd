"""A guided run as a section of a report: what came of it, did the fix work, each check with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from diagnosis.session_events import describe_change
from resources.foreign_text import shown
from resources.guided_flow import Flow
from resources.units import format_change, format_changes, format_count, format_duration, format_measured
from sessions.clock import Clock
from sessions.model import EntityRef
from sessions.store import SessionReader
from sessions.troubleshooting import (
    CheckResult,
    Step,
    TroubleshootingRun,
    Verification,
    VerifiedNumber,
    ranked,
)
from sessions.verdicts import CheckVerdict
from viewmodels.chart_spec import Band, Limit
from viewmodels.finding_labels import likely_first
from viewmodels.report.document import (
    TONES,
    Block,
    Callout,
    Cause,
    Causes,
    Cell,
    Column,
    Figure,
    Heading,
    Section,
    Steps,
    Table,
    Tone,
    paragraph,
)
from viewmodels.report.drawing import Box, Drawing, Shape
from viewmodels.report.time_charts import PLOT_HEIGHT, PLOT_TOP, DrawnCurve, TimeAxis, bucketed, time_chart
from viewmodels.snapshot import Snapshot
from viewmodels.work import UnwatchedWork, Work
from wizards.flows.troubleshooting.check_charts import CheckChart
from wizards.flows.troubleshooting.check_results import Knowledge
from wizards.flows.troubleshooting.detail import head_of, rules_of, verify_words
from wizards.flows.troubleshooting.page_rows import STATES, ListHead, checks_now, lines_of
from wizards.flows.troubleshooting.run_charts import charts_of_run

_MOST_RUNS, _CHARTED_RUNS, _MOST_CHECKS, _CHARTS = 20, 5, 8, 3
_MOST_NOTES, _MOST_CHANGES = 100, 20
_NAME, _TEXT = 80, 600
_FOUND = ("problem", "suspected")


def guided_runs(
    runs: Sequence[TroubleshootingRun],
    reader: SessionReader,
    snapshot: Snapshot,
    knowledge: Knowledge,
    clock: Clock,
    work: Work | None = None,
) -> list[Section]:
    """Return a section for each of the guided runs of a session; of very many for the last ones."""
    runs = runs[-_MOST_RUNS:]
    sections = []
    for at, run in enumerate(runs):
        (work or UnwatchedWork()).check()
        again = verified_of(run)
        charts: Mapping[str, CheckChart] = {}
        if at >= len(runs) - _CHARTED_RUNS:
            drawn = replace(run, checks=tuple(ranked(run.checks)[:_CHARTS]))
            charts = charts_of_run(reader, snapshot, drawn, again, knowledge) if drawn.checks else {}
        sections.append(_RunSection(run, again, charts, knowledge.flow, clock).section())
    return sections


def verified_of(run: TroubleshootingRun) -> Verification | None:
    """Return the last verification of a run that is done; None if there is none."""
    return next((one for one in reversed(run.verifications) if one.state == "done"), None)


def fixes_of(runs: Sequence[TroubleshootingRun]) -> dict[tuple[str, EntityRef], int]:
    """Return up to when (ms) which problem of which entity was verified to be fixed."""
    found: dict[tuple[str, EntityRef], int] = {}
    for run in runs:
        again = verified_of(run)
        for one in again.checks if again is not None and again.outcome == "fixed" else ():
            check = run.check(one.problem)
            if (
                one.outcome == "fixed"
                and check is not None
                and check.entity is not None
                and again is not None
            ):
                found[one.problem, check.entity] = again.after.end if again.after is not None else again.at
    return found


class _RunSection:
    """Writes one run; ``again`` is its verification that is done."""

    def __init__(
        self,
        run: TroubleshootingRun,
        again: Verification | None,
        charts: Mapping[str, CheckChart],
        flow: Flow,
        clock: Clock,
    ) -> None:
        self._run, self._again, self._charts, self._flow, self._clock = run, again, charts, flow, clock

    def section(self) -> Section:
        """Return the section."""
        run, symptom = self._run, self._run.symptom
        noticed = self._flow.noticed(symptom.noticed)
        what = noticed.title if noticed else shown(symptom.noticed)
        name = shown(symptom.name, _NAME)
        blocks = [
            self._verdict(),
            paragraph(self._asked(f"{name} is {what}")),
            *(self._verified(self._again) if self._again is not None else ()),
            Heading("What was looked at", self._counted()),
            self._rows(),
            *self._checks(),
            *self._lacking(),
            *self._notes(),
        ]
        note = f"run {run.number}, {self._clock.stamp(run.at)}"
        return Section(f"guided-{run.number}", f"Guided troubleshooting: {name}", note, tuple(blocks))

    def _verdict(self) -> Callout:
        found = ranked(self._run.checks)
        if self._again is not None:
            words = verify_words(self._again, self._clock)
            return Callout(_tone(words.state), f"{words.title}.", shown(self._again.because, _TEXT))
        if not found:
            return Callout("ok" if self._judged() else "none", *self._nothing_found())
        first = found[0]
        others = f" {format_count(len(found) - 1)} more found." if len(found) > 1 else ""
        chips = [one.text for one in head_of(first).chips]
        line = f"{shown(first.title)}: {shown(first.name, _NAME)}."
        return Callout(_tone(STATES[first.verdict]), line, shown(first.because, _TEXT) + others, tuple(chips))

    def _judged(self) -> int:
        return sum(one.verdict == "not found" for one in self._run.checks)

    def _nothing_found(self) -> tuple[str, str]:
        judged, applying = self._judged(), sum(one.verdict != "not applicable" for one in self._run.checks)
        if not judged:
            return "Nothing could be judged.", "What is missing, and how to get it, stands below."
        of = f"{format_count(judged)} of {format_count(applying)} checks"
        return "Nothing found.", f"What {of} could judge is well; what could not be judged stands below."

    def _asked(self, what: str) -> str:
        run, at = self._run, self._clock
        judged = f", judged to {at.time(run.judged_to)}" if run.judged_to is not None else ""
        normal = f" Normal was {at.window(run.symptom.normal)}." if run.symptom.normal is not None else ""
        return f"{what}: {at.window(run.symptom.window)}{judged}.{normal}"

    def _counted(self) -> str:
        lines = lines_of(self._run, self._flow, self._again)
        rows = [one for one in lines if not isinstance(one, ListHead)]
        after = ", after the change" if self._again is not None else ""
        return f"{format_count(sum(one.is_found for one in rows))} of {format_count(len(rows))} found{after}"

    def _rows(self) -> Table:
        guides = {row.id: row.guide for row in self._run.rows}
        rows, group = [], ""
        for line in lines_of(self._run, self._flow, self._again):
            if isinstance(line, ListHead):
                group = line.title
                continue
            verdict = line.verdict or "insufficient data"
            rows.append(
                (
                    Cell(shown(line.title, _NAME), is_bold=line.is_found),
                    Cell(group, tone="muted"),
                    Cell(verdict, tone=_verdict_tone(verdict)),
                    Cell(shown(line.measured, 200), link=self._anchor(line.leading) if line.leading else ""),
                    Cell(guides.get(line.id, ""), tone="muted"),
                )
            )
        columns = (
            Column("Question", weight=2.4),
            Column("Group", weight=1.3),
            Column("Verdict", weight=1.2),
            Column("Measured", weight=2.8),
            Column("Guide", weight=0.9),
        )
        return Table(columns, tuple(rows))

    def _verified(self, again: Verification) -> Iterator[Block]:
        yield Heading("Did the fix work?", verify_words(again, self._clock).title)
        before = f"Before: {self._clock.window(again.before)}"
        if again.after is not None:
            where = f" in {shown(again.session, _NAME)}" if again.session else ""
            before += (
                f"; after: {self._clock.window(again.after)}{where} ({format_duration(again.after.seconds)})"
            )
        yield paragraph(f"{before}. {shown(again.load, _TEXT)}".strip())
        if again.changes:
            changes = verify_words(again, self._clock).changes[:_MOST_CHANGES]
            yield Steps(tuple(shown(one, _TEXT) for one in changes), is_ordered=False)
        if again.numbers:
            yield _numbers(again.numbers)
        told = [one for one in again.checks if one.before in _FOUND or one.after in _FOUND]
        if told:
            columns = (
                Column("Check", weight=2.0),
                Column("Outcome", weight=1.0),
                Column("Because", weight=4.0),
            )
            rows = tuple(
                (
                    Cell(shown(one.title), is_bold=True),
                    Cell(one.outcome, tone=_OUTCOMES.get(one.outcome, "none")),
                    Cell(shown(one.because, _TEXT), tone="muted"),
                )
                for one in told
            )
            yield Table(columns, rows)
        if again.elsewhere:
            yield Heading("Worse elsewhere", level=4)
            lines = [f"{one.name}: {one.title}. {one.conclusion}" for one in again.elsewhere[:_MOST_CHANGES]]
            yield Steps(tuple(shown(one, _TEXT) for one in lines), is_ordered=False)

    def _checks(self) -> Iterator[Block]:
        """The checks that found something: as they were when the symptom was looked into."""
        now = checks_now(self._run, self._again)
        found = ranked(self._run.checks)
        for check in found[:_MOST_CHECKS]:
            yield from self._check(check, now.get(check.problem))
        if rest := found[_MOST_CHECKS:]:
            lines = (
                f"{shown(one.title)}, {shown(one.name, _NAME)}: {shown(one.because, _TEXT)}" for one in rest
            )
            yield Heading("Likewise", level=4)
            yield Steps(tuple(lines), is_ordered=False)

    def _check(self, check: CheckResult, now: CheckResult | None) -> Iterator[Block]:
        head = head_of(check)
        state = f"now {now.verdict}" if self._again is not None and now is not None else ""
        note = " · ".join([*(one.text for one in head.chips), *([state] if state else [])])
        title = f"{shown(check.title)}: {shown(check.name, _NAME)}"
        yield Heading(title, note, symbol=check.severity, anchor=self._anchor(check.problem))
        yield paragraph(" ".join(shown(one, _TEXT) for one in (head.sentence, head.follows) if one))
        if (chart := self._charts.get(check.problem)) is not None:
            yield replace(_figure(check, chart, self._clock), anchor=self._chart_anchor(check.problem))
        if check.rule:
            yield _rule(check, self._chart_anchor(check.problem) if chart is not None else "")
        if check.causes:
            ordered = likely_first(check.causes)
            yield Causes(
                tuple(Cause(one.verdict, shown(one.title), shown(one.because, _TEXT)) for one in ordered)
            )
        if check.steps:
            yield Heading("What to do", level=4)
            yield Steps(tuple(self._step(one) for one in check.steps))
        lines = [": ".join(describe_change(one, check.windows[0].start if check.windows else one.at))
                 for one in check.changes[:_MOST_CHANGES]]  # fmt: skip
        if lines := [*lines, *head.notes]:
            yield Steps(tuple(shown(one, _TEXT) for one in lines), is_ordered=False)

    def _anchor(self, problem: str) -> str:
        return f"guided-{self._run.number}-{problem.replace('.', '-')}"

    def _chart_anchor(self, problem: str) -> str:
        return f"{self._anchor(problem)}-chart"

    def _step(self, step: Step) -> str:
        so = f"If so ({step.if_so}): " if step.if_so else ""
        ways = [
            f"{name}: {line}"
            for name, line in (
                ("vSphere Client", step.client),
                ("PowerCLI", step.powercli),
                ("esxcli", step.esxcli),
            )
            if line
        ]
        done = ""
        if step.seen and step.seen_at is not None:
            done = f" Done: seen at {self._clock.time(step.seen_at)}, {shown(step.seen, 200)}."
        return shown(f"{so}{step.text} {' · '.join(ways)}".strip(), 2 * _TEXT) + done

    def _lacking(self) -> Iterator[Block]:
        lacking = [one for one in self._run.checks if one.verdict == "insufficient data"]
        if lacking or self._run.limits:
            yield Heading("What could not be judged, and how to get it", level=4)
            lines = [
                f"{one.title}: {' '.join((head_of(one).sentence, *head_of(one).notes[:1]))}"
                for one in lacking
            ]
            yield Steps(tuple(shown(one, _TEXT) for one in [*lines, *self._run.limits]), is_ordered=False)

    def _notes(self) -> Iterator[Block]:
        if not self._run.notes:
            return
        yield Heading("Notes of this run")
        rows = tuple(
            (
                Cell(self._clock.day_time(one.at), tone="muted"),
                Cell(shown(one.by, _NAME), tone="muted"),
                Cell(shown(one.text, 2000)),
            )
            for one in self._run.notes[:_MOST_NOTES]
        )
        yield Table((Column("When", weight=1.2), Column("Who"), Column("Note", weight=5.0)), rows)


_OUTCOMES: dict[str, Tone] = {
    "fixed": "ok",
    "better": "warning",
    "ended by itself": "warning",
    "unchanged": "critical",
    "worse": "critical",
    "new": "critical",
}
_JUDGED: dict[str, Tone] = {"better": "ok", "worse": "critical", "~": "muted", "undecided": "muted"}
_JUDGED_WORDS = {"~": "no real difference"}


def _tone(state: str) -> Tone:
    return TONES.get(state, "none")


def _verdict_tone(verdict: CheckVerdict) -> Tone:
    return TONES.get(STATES[verdict], "muted")


def _numbers(numbers: Sequence[VerifiedNumber]) -> Table:
    columns = (
        Column("Number", weight=2.6),
        Column("Of", weight=1.6),
        Column("Before", is_number=True),
        Column("After", is_number=True),
        Column("Change", is_number=True),
        Column("95 % interval", is_number=True, weight=1.8),
        Column("Judged", weight=1.3),
    )
    rows = []
    for one in numbers:
        interval = ""
        if one.interval is not None:
            interval = format_changes(*one.interval, one.unit)
        is_real = one.judged not in ("~", "undecided")
        rows.append(
            (
                Cell(shown(one.what[:1].upper() + one.what[1:]), is_bold=True),
                Cell(shown(one.name, _NAME), tone="muted"),
                Cell(format_measured(one.before, one.unit)),
                Cell(format_measured(one.after, one.unit)),
                Cell(format_change(one.difference, one.unit) if is_real else "~", is_bold=is_real),
                Cell(interval, tone="muted"),
                Cell(
                    "no real difference" if one.judged == "~" else one.judged,
                    tone=_JUDGED.get(one.judged, "info"),
                ),
            )
        )
    return Table(columns, tuple(rows))


def _rule(check: CheckResult, chart: str) -> Table:
    """``chart`` is the anchor of the check's chart, empty if there is none."""
    columns = (
        Column("Rule", weight=3.2),
        Column("Measured", is_number=True, weight=1.1),
        Column("Limit", is_number=True, weight=1.1),
        Column("Holds", weight=0.7),
        Column("Where the limit is from", weight=2.6),
    )
    rows = tuple(
        (
            Cell(shown(one.what, 200)),
            Cell(one.measured, is_bold=True, link=chart),
            Cell(one.limit, tone="muted"),
            Cell(one.holds, tone="critical" if one.holds == "yes" else "muted"),
            Cell(shown(one.source, 200), tone="muted"),
        )
        for one in rules_of(check)
    )
    return Table(columns, rows)


def _figure(check: CheckResult, found: CheckChart, clock: Clock) -> Figure:
    chart = found.chart
    assert chart.window is not None
    axis = TimeAxis(chart.window, clock)
    curves = [DrawnCurve(one.name, bucketed(chart.times, one.values)) for one in chart.curves]
    limits = [Limit(found.limit, found.limit_text)] if found.limit is not None else []
    bands = [Band(one, check.severity or "warning") for one in found.problems]
    drawn = time_chart(chart.unit, curves, axis, limits, bands)
    shapes: list[Shape] = []
    for window in (found.normal, found.after):
        part = window.intersect(chart.window) if window is not None else None
        if part is not None:
            x = axis.x(part.start)
            shapes.append(Box(x, PLOT_TOP, max(axis.x(part.end) - x, 1.0), PLOT_HEIGHT, "ok", 0.07))
    note = "green: normal" + (" and after the change" if found.after is not None else "")
    title = f"{shown(check.title)}: {shown(check.name, _NAME)}"
    return Figure(
        title, note if shapes else "", Drawing(drawn.height, (*shapes, *drawn.shapes), drawn.spoken)
    )
