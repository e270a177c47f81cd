"""The result of a test run as ``test run --json`` prints it, and as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

from collectors.fio.histogram import merged
from resources.foreign_text import shown
from resources.units import format_value
from sessions.journal import JournalEntry, TestRun
from sessions.times import iso
from wizards.flows.change_count import count_changes
from wizards.flows.measured import Measured
from wizards.flows.run_details import read_verdict
from wizards.flows.verdict import Verdict
from workloads.journal import changes_json

_SIGNS = {True: "\u25cf", False: "\u25b2", None: "\u25cb"}
"""WIZARDS §1.7: it holds, it does not, nobody knows."""


def result_json(
    run: TestRun, measured: Measured, workers: Mapping[str, str], changes: Sequence[JournalEntry]
) -> dict[str, object]:
    """Return a run's result (DESIGN §6, ``test run``); ``workers`` are their states by name."""
    return {
        "test": run.test,
        "plan": run.plan,
        "run": run.id,
        "valid": bool(run.valid),
        "why": run.why,
        "verdict": run.verdict,
        **_verdict_json(read_verdict(run.details, run)),
        "phases": [
            {"name": one.name, "start": _time(one.start), "end": _time(one.end), "state": one.state}
            for one in run.phases
        ],
        "figures": [
            {
                "name": one.name,
                "of": one.of,
                "value": one.value,
                "unit": one.unit,
                "interval": list(one.interval) if one.interval is not None else None,
                "n": one.n,
            }
            for one in run.figures
        ],
        "workers": [_worker(name, state, measured) for name, state in workers.items()],
        "changes": changes_json(changes),
    }


def _verdict_json(verdict: Verdict | None) -> dict[str, object]:
    if verdict is None:
        return {"confidence": "none", "sentence": "", "conditions": [], "notes": [], "needs": ""}
    return {
        "confidence": verdict.confidence,
        "sentence": verdict.sentence,
        "conditions": [
            {"name": one.name, "measured": one.measured, "limit": one.limit, "holds": one.holds}
            for one in verdict.conditions
        ],
        "notes": list(verdict.notes),
        "needs": verdict.needs,
    }


def result_lines(run: TestRun, changes: Sequence[JournalEntry]) -> Iterator[str]:
    """Yield what a person reads after a run: the verdict, how sure it is, whether it is valid, the numbers,
    and what was put back.
    """
    verdict = read_verdict(run.details, run)
    yield run.verdict or "No verdict."
    if run.why:
        yield shown(run.why, 1000)
    if verdict is not None:
        yield from _verdict_lines(verdict)
    for one in run.figures:
        value = "–" if one.value is None else format_value(one.value, one.unit)
        bounds = ""
        if one.interval is not None:
            low, high = (format_value(each, one.unit) for each in one.interval)
            bounds = f" ({low} to {high})"
        yield f"  {shown(one.name)}, {shown(one.of)}: {value}{bounds}"
    yield from change_lines(changes)


def _verdict_lines(verdict: Verdict) -> Iterator[str]:
    if verdict.valid:
        yield shown(verdict.sentence, 1000)
        word = (
            verdict.confidence if verdict.confidence == "indicative" else f"confidence {verdict.confidence}"
        )
        yield word.capitalize() + (f"; surer with {verdict.needs}." if verdict.needs else ".")
    good = sum(one.holds is True for one in verdict.conditions)
    of = f"{good} of {len(verdict.conditions)} conditions hold"
    lowered = verdict.valid and good < len(verdict.conditions)
    rest = "; the others lower its confidence only" if lowered else ""
    yield f"Is it valid? {'Yes' if verdict.valid else 'No'}: {of}{rest}."
    for one in verdict.conditions:
        sign = _SIGNS[one.holds]
        yield f"  {sign} {shown(one.name)} {shown(one.measured, 500)}; needed: {shown(one.limit, 200)}"
    for note in verdict.notes:
        yield f"  {shown(note, 500)}"


def change_lines(changes: Sequence[JournalEntry]) -> Iterator[str]:
    """Yield how many changes were put back, and each that was not."""
    made, count = [one for one in changes if one.state != "not needed"], count_changes(changes)
    yield f"Put back: {count.back} of {count.all}, read back." if made else "Nothing was changed."
    for one in made:
        if one.state != "undone":
            yield f"  {one.state}: {shown(one.setting)} of {shown(one.object.name)}. {shown(one.why, 500)}"


def what_failed(run: TestRun | None) -> str:
    """Return the sentence for a run that did not reach its end; empty if it did.

    That something could not be put back at the end is no part of it: the changes say so.
    """
    left = sum(one.state != "done" for one in run.phases[:-1]) if run is not None else 0
    if not left:
        return ""
    phases = "1 phase was" if left == 1 else f"{left} phases were"
    return f"The test did not reach its end: {phases} not run to the end."


def _worker(name: str, state: str, measured: Measured) -> dict[str, object]:
    own = [(one, each) for each in measured.rounds for one in each.workers if one.worker == name]
    good = [(one, each) for one, each in own if not one.error]
    seconds = sum(each.seconds for _, each in good)
    ios = sum(one.reads.ios + one.writes.ios for one, _ in good)
    latencies = merged(side.latencies for one, _ in good for side in (one.reads, one.writes))
    p99 = latencies.percentile(99) / 1e6
    lost = next((one for one in measured.lost if one.worker == name), None)
    return {
        "name": name,
        "state": state,
        **({"why": lost.why, "lost_at": _time(lost.at)} if lost is not None else {}),
        "iops": round(ios / seconds, 3) if seconds else None,
        "p99_ms": round(p99, 4) if isfinite(p99) else None,
    }


def _time(at: int | None) -> str | None:
    return iso(at) if at is not None else None
