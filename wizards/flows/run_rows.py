"""The rows of a run that goes on: its workers, its guards, its journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isfinite, nan

import numpy as np

from resources.foreign_text import shown
from resources.units import format_count, format_duration
from sessions.journal import JournalEntry
from sessions.model import FloatArray
from viewmodels.health import Health
from viewmodels.host_domains import shared_domain, without
from viewmodels.run_curves import WorkCurve
from wizards.flows.change_count import count_changes
from wizards.flows.change_words import (
    alike,
    change_title,
    is_made_by_the_run,
    objects_text,
    value_words,
)
from wizards.flows.plan import PlannedPhase
from wizards.flows.result_sheet import Chip, FactLine, FactList
from wizards.flows.run_sheet import RunWorker
from wizards.flows.run_source import RunSource
from wizards.flows.verdicts.phrases import counted

_RECENT_S = 10
_LATE_S, _SILENT_S = 5.0, 30.0
_TOGETHER_MS = 60_000
_CHANGE_WORDS = {
    "intended": "about to be",
    "applied": "applied",
    "undone": "undone",
    "left": "left",
    "failed": "not undone",
    "not needed": "as it was",
}
_CHANGE_STATES: dict[str, Health] = {
    "intended": "info",
    "applied": "warning",
    "undone": "ok",
    "left": "warning",
    "failed": "critical",
    "not needed": "ok",
}


def workers_of(source: RunSource) -> Iterator[RunWorker]:
    """Yield what each worker does now, beside what is due to it."""
    times = source.work.times.astype(np.float64)
    by_name = {one.worker: one for one in source.work.workers}

    def recent(worker: str, values: Callable[[WorkCurve], FloatArray]) -> float:
        curve = by_name.get(worker)
        return nan if curve is None else _recent(values(curve), times, source.now)

    iops = {one.name: recent(one.name, lambda curve: curve.iops) for one in source.plan.workers}
    total = sum(value for value in iops.values() if isfinite(value))
    shares = _shares(source)
    at_work = _at_work(source)
    domain = shared_domain(one.host for one in source.plan.workers if one.host)
    for one in source.plan.workers:
        heard = (source.now - source.heard[one.name]) / 1000 if one.name in source.heard else nan
        state, words = _worker_state(iops[one.name], heard, at_work is None or one.name in at_work)
        if one.name in source.lost:
            state, words = "critical", "lost"
        elif source.run.end is not None:
            state, words = "none", "ended"
        elif words == "idle" and heard > _SILENT_S and _should_be_heard(source, one.name):
            state, words = "warning", "silent"
        yield RunWorker(
            name=one.name,
            role=one.role,
            host=without(domain, one.host),
            state=state,
            words=words,
            iops=iops[one.name],
            share=100 * iops[one.name] / total if total > 0 else nan,
            due=100 * shares[one.name] / sum(shares.values()) if one.name in shares else None,
            mb=recent(one.name, lambda curve: curve.mb),
            latency=recent(one.name, lambda curve: curve.latency),
            p99=recent(one.name, lambda curve: curve.p99),
            heard_s=heard,
        )


def _running_phase(source: RunSource) -> PlannedPhase | None:
    running = next((one for one in source.run.phases if one.state == "running"), None)
    name = running.name.partition(", round ")[0] if running is not None else ""
    return next((one for one in source.plan.phases if one.name == name), None)


def _at_work(source: RunSource) -> set[str] | None:
    """Return the workers that have work in the running phase; None where no phase of the plan runs."""
    phase = _running_phase(source)
    return {name for work in phase.work for name in work.workers} if phase is not None else None


def _shares(source: RunSource) -> dict[str, float]:
    """Return the shares that the running phase gives each worker's disks; nothing where it gives none."""
    phase = _running_phase(source)
    by_vm: dict[str, float] = {}
    for change in phase.changes if phase is not None else ():
        if change.setting.startswith("disk.shares") and isinstance(change.value, int | float):
            by_vm[change.object] = by_vm.get(change.object, 0.0) + float(change.value)
    found = {one.name: by_vm[one.vm] for one in source.plan.workers if one.vm in by_vm}
    return found if len(found) == len(source.plan.workers) and sum(found.values()) > 0 else {}


def _should_be_heard(source: RunSource, worker: str) -> bool:
    """True if a worker was heard in the running phase, and its work there can't be done yet."""
    phase = _running_phase(source)
    start = next((one.start for one in source.run.phases if one.state == "running"), None)
    if phase is None or phase.kind != "measure" or start is None:
        return False
    if not any(worker in work.workers for work in phase.work):
        return False
    seconds = phase.warm_up_s + phase.steady_s + phase.measure_s
    return source.heard[worker] > start and source.now - start < 1000 * seconds


def _worker_state(iops: float, heard: float, has_work: bool) -> tuple[Health, str]:
    if not isfinite(heard):
        return "none", "waiting"
    if heard > _SILENT_S or not has_work:
        return "none", "idle"
    if heard > _LATE_S:
        return "warning", "late"
    return ("ok", "working") if isfinite(iops) else ("none", "idle")


def guards_of(source: RunSource) -> FactList:
    """Return what would end the run, and how near it is."""
    plan, lines = source.plan, []
    lost = source.lost
    late = [one for one in plan.workers if one.name not in source.heard or one.name in lost]
    count = len(plan.workers)
    heard = max(source.heard.values(), default=None)
    ago = f", heard {format_duration(max(0.0, (source.now - heard) / 1000))} ago" if heard is not None else ""
    state: Health = "warning" if lost else "none" if late else "ok"
    lines.append(FactLine(state, "Workers", "", f"{count - len(late)} of {count}{ago}"))
    hosts = {one.host for one in plan.workers if one.host}
    if hosts:
        least = f"{len(hosts)} with workers, at least {plan.guards.hosts_least}"
        lines.append(FactLine("ok", "Hosts", "", least))
    if plan.guards.bystander_ms and plan.chosen:
        limit = f"stops above {plan.guards.bystander_ms:g} ms for {plan.guards.bystander_s:g} s"
        lines.append(FactLine("ok", "Latency of bystanders", "", limit))
    if plan.guards.free_percent and plan.chosen:
        limit = f"stops below {plan.guards.free_percent:g} %"
        lines.append(FactLine("ok", "Free space", "", limit))
    disturbed = [one for one in source.events if one.kind == "test disturbed"]
    words = shown(disturbed[-1].text, 60) if disturbed else "none"
    lines.append(FactLine("warning" if disturbed else "ok", "Events in this run", "", words))
    lines.append(FactLine("ok", "Guests end by themselves", "", "30 s after silence"))
    fired = next((one.text for one in reversed(source.events) if one.kind == "test stopped"), "")
    if fired:
        lines.insert(0, FactLine("warning", shown(fired, 200), ""))
        return FactList("Guards", tuple(lines), Chip("stopped", "warning"))
    chip = Chip("all quiet", "ok") if not disturbed else Chip("disturbed", "warning")
    if lost:
        lines[:0] = [FactLine("critical", shown(why, 200), "") for why in lost.values()]
        chip = Chip(f"{counted(len(lost), 'worker')} lost", "warning")
    return FactList("Guards", tuple(lines), chip)


def journal_of(source: RunSource) -> FactList:
    """Return the changes, the newest first, each with how it is undone; alike ones of one moment together."""
    mine = sorted(source.changes, key=lambda each: each.at, reverse=True)
    count = count_changes(mine)
    groups = alike(mine, source.settings, _TOGETHER_MS)
    lines = tuple(_journal_line(source, group) for group in groups)
    note = f"{format_count(count.all)} applied, {format_count(count.back)} undone"
    return FactList("Journal", lines, Chip(note))


def _journal_line(source: RunSource, group: Sequence[JournalEntry]) -> FactLine:
    one = group[0]
    title = change_title(one, source.settings)
    done = one.state in ("undone", "not needed")
    value = value_words(one, one.before if done else one.after, source.settings)
    names = sorted(shown(each.object.name, 60) for each in group)
    of = objects_text(group)
    before = value_words(one, one.before, source.settings)
    back = f"↶ {before}" if is_made_by_the_run(one) else f"↶ back to {before}"
    back = "" if done else back
    tip = "\n".join([f"{title}: {', '.join(names)}", *(shown(each.why) for each in group if each.why)])
    words = f"{_CHANGE_WORDS[one.state]} {source.clock(one.at)}"
    line = f"{title} {value}, {of}"
    at = source.clock(one.at) if one.state == "applied" else words
    return FactLine(_CHANGE_STATES[one.state], line, back or words, at if back else "", tip)


def _recent(values: FloatArray, times: FloatArray, now: int) -> float:
    """Return the mean of the newest seconds; NaN if there is nothing."""
    there = np.isfinite(values) & (times >= now - _RECENT_S * 1000)
    return float(values[there].mean()) if there.any() else nan
