"""Makes the page of a result: from a run, its verdict, what was measured, and the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from diagnosis.statistics.ratio import LEAST_FOR_INTERVAL
from resources.foreign_text import shown
from resources.study_numbers import Studies
from resources.units import format_count, format_duration
from sessions.journal import JournalEntry, TestRun
from viewmodels.health import Health
from wizards.flows.change_count import count_changes, left_words
from wizards.flows.change_words import (
    alike,
    change_title,
    is_made_by_the_run,
    objects_text,
    value_words,
)
from wizards.flows.chart_values import TimeChart
from wizards.flows.earlier_verdicts import verdict_told
from wizards.flows.measured import Measured
from wizards.flows.raw_numbers import raw_table
from wizards.flows.result_charts import changes_of, points_of, shares_of, steps_of
from wizards.flows.result_placements import placements_of
from wizards.flows.result_sheet import ActLine, Chip, FactLine, FactList, ResultHead, ResultSheet
from wizards.flows.verdict import Answer, Condition, Verdict
from wizards.flows.verdicts.phrases import counted

_BAD_NOTES = ("changed meanwhile", "not handed", "lost −", "slower", "not the model's", "something else",
              " was lost ")  # fmt: skip
_TOGETHER_MS = 60_000
_CONFIDENCE: dict[str, Health] = {"high": "ok", "medium": "info", "indicative": "none", "none": "none"}


@dataclass(frozen=True, slots=True)
class ResultSource:
    """What a page is made from. ``clock`` writes times of the day; ``is_live`` while the run goes on."""

    run: TestRun
    title: str
    verdict: Verdict | None
    measured: Measured
    journal: Sequence[JournalEntry]
    studies: Studies
    clock: Callable[[float], str]
    chart: TimeChart | None = None
    settings: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Title and unit of each setting by its name."""
    is_live: bool = False
    placement: str = ""
    """The name of the DRS placement that is shown; empty for the most unequal one."""
    phase_titles: Mapping[str, str] = field(default_factory=dict)
    """What the plan's phases are called, by their names."""
    newest: int = 0
    """The time of the workers' newest sample in ms; 0 without one."""

    @property
    def changes(self) -> list[JournalEntry]:
        """The changes of this run."""
        return [one for one in self.journal if one.run == self.run.id]

    def phase_title(self, name: str) -> str:
        """Return what a phase of the run is called: ``P3, round 2`` has the title of the plan's ``P3``."""
        of_plan, mark, number = name.partition(", round ")
        return shown(self.phase_titles.get(of_plan, of_plan) + mark + number, 90)


def result_sheet(source: ResultSource) -> ResultSheet:
    """Return the page of a run that has ended, or that did not end by itself."""
    verdict = source.verdict or _verdict_of(source.run)
    measured = source.measured
    return ResultSheet(
        head=_head(source, verdict),
        validity=validity_of(verdict) if verdict.conditions else _what_is_there(source),
        shares=tuple(shares_of(verdict, source.studies)),
        steps=tuple(steps_of(verdict, measured)),
        steps_title=_steps_title(verdict, measured),
        changes=changes_of(verdict, source.studies),
        points=tuple(points_of(verdict, source.studies)),
        placements=tuple(placements_of(measured, source.studies, source.placement)),
        run=source.chart,
        notes=_notes(verdict),
        raw=raw_table(verdict, measured, source.run),
        foot=_foot(source, verdict),
        steps_by_hand=_steps_by_hand(source),
        put_back=put_back(source),
    )


def verdict_state(verdict: Verdict) -> Health:
    """Return how a verdict is coloured: good, against what was hoped, or grey where there is none."""
    if not verdict.valid or verdict.confidence in ("none", "indicative"):
        return "none"
    states: dict[Answer, Health] = {"good": "ok", "against": "warning", "no difference": "none"}
    return states[verdict.answer]


def put_back(source: ResultSource) -> FactList:
    """Return the changes and what became of each, with how many are put back."""
    changes = source.changes
    groups = alike(reversed(changes), source.settings, _TOGETHER_MS)
    lines = tuple(_change_line(source, group) for group in groups)
    count = count_changes(changes)
    state: Health = "critical" if count.open else "warning" if count.left else "ok"
    chip = Chip(f"{format_count(count.back)} of {format_count(count.all)}", state) if changes else None
    return FactList("Put back", lines, chip)


def _steps_by_hand(source: ResultSource) -> str:
    """Return what is to be set back by hand, the newest change first."""
    lines = []
    for one in reversed(source.changes):
        if one.is_open or one.state == "left":
            before, after = (value_words(one, each, source.settings) for each in (one.before, one.after))
            title, of = change_title(one, source.settings), shown(one.object.name)
            why = f" {shown(one.why)}" if one.why else ""
            told = f"to be {before}" if is_made_by_the_run(one) else f"is {after}, was {before}"
            lines.append(f"{title} of {of} ({shown(one.object.id)}): {told}.{why}")
    return "\n".join(lines)


def _verdict_of(run: TestRun) -> Verdict:
    """Return what a run tells by itself, without its details."""
    valid = bool(run.valid)
    line = run.verdict or f"No verdict: {run.why or 'the run did not reach its end'}"
    return verdict_told(Verdict(valid, run.why, line, run.why if valid else "", "none", (), run.figures))


def _head(source: ResultSource, verdict: Verdict) -> ResultHead:
    problem = _trouble(source, verdict)
    if problem is not None:
        return problem
    acts = (ActLine("report", "Put into report"), ActLine("export", "Export…"), ActLine("again", "Run again"))
    if source.run.why and not source.run.verdict and source.run.end is not None:
        back = put_back(source).chip
        chips = (Chip(f"{back.text} put back", "ok"),) if back is not None else ()
        return ResultHead("warning", "Stopped before there was a verdict", source.run.why, chips, acts)
    sentence = verdict.sentence if verdict.valid else verdict.why
    return ResultHead(verdict_state(verdict), verdict.line, sentence, tuple(_chips(source, verdict)), acts)


def _trouble(source: ResultSource, verdict: Verdict) -> ResultHead | None:
    """Return what stands before any verdict: not ended, or not all put back."""
    changes = source.changes
    still = [one for one in changes if one.is_open or one.state == "left"]
    count = count_changes(changes)
    if source.run.end is None and not source.is_live:
        last = max(
            [source.newest, *(one.at for one in changes), *(one.start or 0 for one in source.run.phases)]
        )
        phase = next((one.name for one in source.run.phases if one.state == "running"), "")
        where = f" in “{source.phase_title(phase)}”" if phase else ""
        applied = f"{counted(count.still, 'change')} {'is' if count.still == 1 else 'are'} still applied."
        when = f"It was last heard of at {source.clock(last)}{where}. " if last else ""
        acts: tuple[ActLine, ...] = (ActLine("restore", "Restore now"), ActLine("resume", "Resume"))
        sentence = f"{when}Workers end by themselves after 30 s of silence. {applied}"
        return ResultHead(
            "warning",
            "This run did not end by itself",
            sentence,
            (Chip("restoring is always safe"),),
            acts,
        )
    if still and not source.is_live:
        reasons = list(dict.fromkeys(shown(one.why) for one in still if one.why))
        acts = (ActLine("steps", "Copy the steps"), ActLine("again", "Run again"))
        if count.open:
            acts = (ActLine("restore", "Try again"), *acts)
        result = f"The result: {verdict.line}"
        more = f"{counted(len(reasons) - 1, 'other')} could not be put back either: see below."
        said = [*reasons[:1], *([more] if len(reasons) > 2 else reasons[1:2])]
        state: Health = "critical" if count.open else "warning"
        return ResultHead(state, left_words(count), " ".join([*said, result]), (), acts)
    return None


def _chips(source: ResultSource, verdict: Verdict) -> Iterator[Chip]:
    if verdict.valid and source.run.why:
        yield Chip(shown(source.run.why, 80).rstrip("."), "warning")
    if verdict.confidence != "none":
        word = f"confidence {verdict.confidence}" if verdict.confidence != "indicative" else "indicative"
        yield Chip(word, _CONFIDENCE[verdict.confidence])
    rounds = max((one.number for one in source.measured.rounds), default=0)
    if rounds:
        yield Chip(counted(rounds, "round"))
    if source.measured.rounds:
        yield Chip("common window of all workers")
        yield Chip("percentiles from merged histograms")
    if verdict.needs:
        yield Chip(f"surer with {verdict.needs}")


def conditions_text(verdict: Verdict) -> str:
    """Return how many conditions hold; of a valid verdict, how many only lower its confidence."""
    count = len(verdict.conditions)
    good = sum(one.holds is True for one in verdict.conditions)
    if verdict.valid and good < count:
        return f"valid, {format_count(count - good)} to know"
    return f"{format_count(good)} of {format_count(count)}"


def validity_of(verdict: Verdict) -> FactList:
    """Return the conditions of a verdict, each with what was measured of its limit."""
    lines = tuple(
        _condition_line(one) for one in sorted(verdict.conditions, key=lambda each: each.holds is True)
    )
    states = {one.state for one in lines}
    state: Health = "warning" if "warning" in states else "ok" if states == {"ok"} else "none"
    state = state if verdict.valid else "none"
    chip = Chip(conditions_text(verdict), state) if lines else None
    return FactList("Is it valid?", lines, chip)


def _what_is_there(source: ResultSource) -> FactList:
    """Return what a run without conditions left: its rounds, its phases, its changes."""
    run, count = source.run, count_changes(source.changes)
    whole = sum(one.state == "done" for one in run.phases)
    lines = [FactLine("ok" if source.measured.rounds else "none", "Rounds that are kept", "",
                      format_count(len(source.measured.rounds)))]  # fmt: skip
    lines.append(FactLine("info", "Phases that were done", "", f"{whole} of {len(run.phases)}"))
    broken = next((one.name for one in run.phases if one.state in ("running", "failed")), "")
    if broken:
        words = "Begins again when resumed" if run.end is None else "Broken off in"
        lines.append(FactLine("info", words, "", source.phase_title(broken)))
    state: Health = "warning" if count.still else "ok"
    lines.append(FactLine(state, "Changes still applied", "", f"{count.still} of {count.all}"))
    return FactList("What is there", tuple(lines))


def _condition_line(one: Condition) -> FactLine:
    state: Health = "ok" if one.holds else "none" if one.holds is None or one.refusal else "warning"
    tip = "; ".join(
        text
        for text in (
            f"{one.name} {one.measured}, needed: {one.limit}",
            "without it there is no verdict" if one.refusal else "without it the confidence is lower",
            f"source: {one.source}" if one.source else "",
        )
        if text
    )
    return FactLine(state, one.name, one.measured, one.limit, tip)


def _notes(verdict: Verdict) -> FactList | None:
    lines = []
    for note in verdict.notes:
        head, colon, rest = note.partition(": ")
        is_plain = head in ("Price", "Study") or note.startswith(("Compare shapes", "The limit is what"))
        state: Health = "info" if is_plain else "ok"
        if any(words in note for words in _BAD_NOTES):
            state = "warning"
        lines.append(FactLine(state, f"{head}:" if colon else note, rest if colon else "", "", note))
    return FactList("What else it shows", tuple(lines)) if lines else None


def _change_line(source: ResultSource, group: Sequence[JournalEntry]) -> FactLine:
    one = group[0]
    title = change_title(one, source.settings)
    before, after = (value_words(one, value, source.settings) for value in (one.before, one.after))
    states: dict[str, Health] = {"undone": "ok", "not needed": "ok", "left": "warning", "failed": "critical"}
    words = (_made_words if is_made_by_the_run(one) else _set_words)(before, after)[one.state]
    names = ", ".join(shown(each.object.name) for each in group)
    tip = f"{title} of {names}: {words}" + (f". {shown(one.why)}" if one.why else "")
    state = states.get(one.state, "info")
    return FactLine(state, f"{title}, {objects_text(group)}", words, source.clock(one.at), tip)


def _set_words(before: str, after: str) -> Mapping[str, str]:
    """Return what is said of a setting in each state of its change."""
    return {
        "undone": f"put back to {before}",
        "not needed": f"was {before} already",
        "left": f"left at another's value; was {before}",
        "failed": f"not put back: is {after}, was {before}",
        "applied": f"is {after}; back to {before}" if after != before else f"is {after}, as it was",
        "intended": f"about to become {after}",
    }


def _made_words(gone: str, there: str) -> Mapping[str, str]:
    """Return what is said of what a run makes for itself, which has no value to go back to."""
    return {
        "undone": gone,
        "not needed": f"was {gone} already",
        "left": "left: somebody else changed it meanwhile",
        "failed": f"not {gone} yet",
        "applied": f"{there}; {gone} at the end",
        "intended": f"about to be {there}",
    }


def _steps_title(verdict: Verdict, measured: Measured) -> tuple[str, str]:
    if any(one.name == "duplicates asked" for one in verdict.figures):
        return "Content of the disks", "asked and reported"
    rounds = max((one.number for one in measured.rounds), default=0)
    critical = sorted({one.worker for each in measured.rounds for one in each.of_role("critical")})
    name = critical[0] if len(critical) == 1 else "All workers" if not critical else "Critical VMs"
    how = f"mean of {counted(rounds, 'round')}" + (", 95 % CI" if rounds >= LEAST_FOR_INTERVAL else "")
    return f"{name} by phase", how


def _foot(source: ResultSource, verdict: Verdict) -> tuple[str, str]:
    marks = "~ no real difference. " if "~" in verdict.line + "".join(verdict.notes) else ""
    end = source.run.end
    lasted = f" · {format_duration((end - source.run.start) / 1000)}" if end is not None else ""
    return (
        f"{marks}Every number was made from the samples of this session; a phase opens its own.",
        f"run {shown(source.run.id, 12)}{lasted}",
    )
