"""Makes the page of a run that goes on: from its plan, its record, the samples so far and the journal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resources.foreign_text import shown
from resources.units import format_count
from sessions.journal import Phase, TestRun
from sessions.times import TimeRange
from viewmodels.health import Health
from wizards.flows.change_count import count_changes
from wizards.flows.chart_values import Band
from wizards.flows.costs import Cost, PlannedStep
from wizards.flows.plan import Plan, PlannedPhase, run_name
from wizards.flows.plan_sheet import PhaseBlock, Tone
from wizards.flows.run_charts import charts_of, strip_of
from wizards.flows.run_rows import guards_of, journal_of, workers_of
from wizards.flows.run_sheet import RunHead, RunSheet
from wizards.flows.run_source import RunSource
from wizards.flows.sheets import phase_blocks

_PREPARE_S, _RESTORE_S = 20.0, 20.0
_MAX_LABELS = 6
_OVER_S = 5.0


def run_sheet(source: RunSource) -> RunSheet:
    """Return the page as it is now."""
    stages = list(_stages(source.run, source.plan, source.cost))
    blocks = tuple(one.block for one in stages)
    bands = tuple(_bands(stages, source.now))
    window = TimeRange(source.run.start, max(source.now, source.run.start + 1))
    return RunSheet(
        head=_head(source, stages),
        phases=blocks,
        done_s=_done(source, stages),
        labels=tuple(_labels(source, stages)),
        charts=tuple(charts_of(source, bands, window)),
        strip=strip_of(source, bands, window),
        workers=tuple(workers_of(source)),
        guards=guards_of(source),
        journal=journal_of(source),
    )


@dataclass(frozen=True, slots=True)
class _Stage:
    """A phase of the run beside what was planned of it; None for preparing and restoring."""

    phase: Phase
    block: PhaseBlock
    step: PlannedStep | None
    planned: PlannedPhase | None


def bands_of_run(run: TestRun, plan: Plan, cost: Cost, until: int) -> Iterator[Band]:
    """Yield the phases of a run as grounds of charts, up to a time (ms)."""
    yield from _bands(list(_stages(run, plan, cost)), until)


def _stages(run: TestRun, plan: Plan, cost: Cost) -> Iterator[_Stage]:
    steps = {run_name(one.name, one.number): one for one in cost.steps}
    blocks = zip(cost.steps, phase_blocks(plan, cost), strict=True)
    found = {run_name(one.name, one.number): block for one, block in blocks}
    for phase in run.phases:
        step = steps.get(phase.name)
        if step is not None:
            yield _Stage(phase, found[phase.name], step, plan.phase(step.name))
            continue
        seconds = _PREPARE_S if phase.name == "prepare" else _RESTORE_S
        tone: Tone = "fill" if phase.name == "prepare" else "restore"
        block = PhaseBlock("", phase.name.capitalize(), seconds, tone, 1, phase.state)
        yield _Stage(phase, block, None, None)


def _head(source: RunSource, stages: Sequence[_Stage]) -> RunHead:
    now = next((one for one in stages if one.phase.state == "running"), None)
    left = sum(one.block.seconds for one in stages if one.phase.state in ("planned", "running"))
    elapsed = (source.now - (now.phase.start or source.now)) / 1000 if now is not None else 0.0
    ends = source.clock(source.now + max(0.0, left - elapsed) * 1000)
    problem = next((one.text for one in reversed(source.events) if one.kind == "test stopped"), "")
    if source.run.end is not None:
        note = f"ended {source.clock(source.run.end)}"
        return RunHead("The run has ended", "info", "", note, can_stop=False, problem=problem, is_over=True)
    if now is None:
        return _between(source, stages, f"ends ≈ {ends}", problem)
    restoring = now.phase.name == "restore"
    rounds = max((one.number for one in source.cost.steps), default=1)
    round_text = ""
    if now.step is not None and rounds > 1 and now.step.kind == "measure":
        round_text = f"round {format_count(now.step.number)} of {format_count(rounds)} · "
    title = now.block.title if now.step is None else f"{now.step.label}: {now.step.title}"
    if now.step is not None and now.step.label == now.step.title:
        title = now.step.title
    word, state = _progress(source, now, elapsed)
    pause = ""
    if not restoring and now.step is not None:
        pause = "Go on" if source.is_paused else f"Pause after {now.step.label}"
    return RunHead(
        shown(title, 90),
        state,
        word,
        "" if restoring else f"{round_text}ends ≈ {ends}",
        pause,
        not restoring,
        source.is_paused,
        problem,
    )


def _between(source: RunSource, stages: Sequence[_Stage], note: str, problem: str) -> RunHead:
    """Return the head between two phases, where a pause holds the run."""
    then = next((one for one in stages if one.phase.state == "planned" and one.step is not None), None)
    if not source.is_paused:
        pause = "" if then is None or then.step is None else f"Pause before {then.step.label}"
        return RunHead("Between two phases", "info", "", note, pause, problem=problem)
    before = "" if then is None or then.step is None else f" before {then.step.label}: {then.step.title}"
    progress = "settings stay; everything is put back after 30 min"
    return RunHead(shown(f"Paused{before}", 90), "warning", progress, "", "Go on", True, True, problem)


def _progress(source: RunSource, now: _Stage, elapsed: float) -> tuple[str, Health]:
    """Return what goes on in a phase, and how long of how long."""
    if now.phase.name == "restore":
        return _restoring(source)
    if now.planned is None:
        return f"preparing {_time(elapsed)}", "info"
    if source.is_paused and elapsed > now.block.seconds:
        return f"paused {_time(elapsed - now.block.seconds)}, ends by itself after 30:00", "warning"
    if now.planned.kind == "fill":
        return f"filling {_time(elapsed)} of ≈ {_time(now.block.seconds)}", "info"
    return _measuring(now.block.seconds, now.planned.measure_s, elapsed)


def _measuring(planned: float, measured: float, elapsed: float) -> tuple[str, Health]:
    """Return how far a phase is that takes ``planned`` seconds and measures in the last of them."""
    before = planned - measured
    if elapsed > planned + _OVER_S:
        return f"measuring, {_time(elapsed - planned)} longer than planned", "ok"
    if elapsed < before:
        return f"warming up {_time(elapsed)} of {_time(before)}", "info"
    return f"measuring {_time(elapsed - before)} of {_time(measured)}", "ok"


def _restoring(source: RunSource) -> tuple[str, Health]:
    count = count_changes(source.changes)
    failed = count_changes(one for one in source.changes if one.state == "failed").all
    if failed:
        return (
            f"{format_count(failed)} of {format_count(count.all)} not put back yet, tried again",
            "critical",
        )
    return f"putting back: {format_count(count.open)} of {format_count(count.all)} to go", "info"


def _time(seconds: float) -> str:
    whole = max(0, int(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


def _done(source: RunSource, stages: Sequence[_Stage]) -> float:
    done = 0.0
    for one in stages:
        if one.phase.state in ("done", "failed", "skipped"):
            done += one.block.seconds
        elif one.phase.state == "running" and one.phase.start is not None:
            done += min(one.block.seconds * 0.995, (source.now - one.phase.start) / 1000)
    return done


def _labels(source: RunSource, stages: Sequence[_Stage]) -> Iterator[tuple[float, str]]:
    """Yield times of the day below the phase bar: those that passed, and the end as it is expected."""
    at, found = 0.0, []
    for one in stages:
        if one.phase.start is not None:
            found.append((at, source.clock(one.phase.start)))
        at += one.block.seconds
    step = max(1, -(-len(found) // _MAX_LABELS))
    yield from found[::step]
    left = at - _done(source, stages)
    yield (at, f"≈ {source.clock(source.now + left * 1000)}")


def _bands(stages: Sequence[_Stage], until: int) -> Iterator[Band]:
    for one in stages:
        if one.phase.start is None or one.step is None or one.planned is None:
            continue
        end = one.phase.end if one.phase.end is not None else until
        if end <= one.phase.start:
            continue
        before = (one.block.seconds - one.planned.measure_s) * 1000 if one.planned.measure_s else 0
        measured = min(end, round(one.phase.start + before))
        if measured > one.phase.start:
            yield Band(TimeRange(one.phase.start, measured), "", one.block.tone, is_warm_up=True)
        label = one.step.label if one.step.number == 1 else f"{one.step.label}, {one.step.number}"
        if end > measured:
            yield Band(TimeRange(measured, end), label, one.block.tone)
