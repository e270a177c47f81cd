"""What a test run keeps in its session beyond its figures: its rounds, so that it can go on, and its
verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite, nan
from typing import Any, get_args

import numpy as np

from collectors.fio.histogram import Histogram
from resources.failures import DamagedError
from sessions.journal import TestRun
from sessions.times import TimeRange
from wizards.flows.earlier_verdicts import verdict_told
from wizards.flows.measured import (
    NOTHING_MEASURED,
    LostWorker,
    Measured,
    Observed,
    Round,
    Transfers,
    WorkerRound,
)
from wizards.flows.verdict import MAX_NOTES, Answer, Condition, Verdict
from workloads.environment import Disturbance, WorkSample


def details_text(measured: Measured, verdict: Verdict | None) -> str:
    """Return the rounds and the verdict as JSON."""
    document: dict[str, object] = {
        "rounds": [_round(one) for one in measured.rounds],
        "worker_count": measured.worker_count,
        "inputs": dict(measured.inputs),
        "shares": dict(measured.shares),
        "before": {name: value for name, value in measured.before.items() if isfinite(value)},
        "placements": {step: dict(hosts) for step, hosts in measured.placements.items()},
        "after_fill": {name: value for name, value in measured.after_fill.items() if isfinite(value)},
        "lost": [[one.worker, one.phase, one.at, one.after_s, one.why] for one in measured.lost],
    }
    if verdict is not None:
        document["verdict"] = {
            "line": verdict.line,
            "sentence": verdict.sentence,
            "confidence": verdict.confidence,
            "notes": list(verdict.notes),
            "needs": verdict.needs,
            "answer": verdict.answer,
            "conditions": [
                [one.name, one.measured, one.limit, one.holds, one.source, one.refusal]
                for one in verdict.conditions
            ],
        }
    return json.dumps(document, allow_nan=False, separators=(",", ":"))


def read_rounds(text: str) -> Measured:
    """Return the rounds of a run's details; nothing of an empty text. Raises DamagedError."""
    if not text:
        return NOTHING_MEASURED
    try:
        known = json.loads(text)
        return Measured(
            tuple(_read_round(one) for one in known["rounds"]),
            int(known["worker_count"]),
            _floats(known["inputs"]),
            _floats(known["shares"]),
            _floats(known["before"]),
            {
                str(step): {str(k): str(v) for k, v in hosts.items()}
                for step, hosts in known["placements"].items()
            },
            _floats(known.get("after_fill", {})),
            tuple(
                LostWorker(str(worker), str(phase), int(at), _value(after_s), str(why))
                for worker, phase, at, after_s, why in known.get("lost", [])
            ),
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise DamagedError("The rounds of a test run in this session can't be read.") from error


def read_conditions(text: str) -> tuple[Condition, ...]:
    """Return the conditions of a verdict in a run's details; none if it has no verdict. Raises
    DamagedError."""
    try:
        listed = json.loads(text).get("verdict", {}).get("conditions", []) if text else []
        return tuple(
            Condition(
                str(name),
                str(measured),
                str(limit),
                None if holds is None else bool(holds),
                str(source),
                "".join(str(one) for one in refusal[:1]),  # sessions of before have none
            )
            for name, measured, limit, holds, source, *refusal in listed
        )
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedError("The verdict of a test run in this session can't be read.") from error


def read_verdict(text: str, run: TestRun) -> Verdict | None:
    """Return the verdict of a run from its details as it is told now; None if it has none. Raises
    DamagedError.
    """
    conditions = read_conditions(text)
    try:
        known = json.loads(text).get("verdict") if text else None
        if not known:
            return None
        confidence = known["confidence"]
        answers: dict[object, Answer] = {one: one for one in get_args(Answer)}
        verdict = Verdict(
            bool(run.valid),
            run.why,
            str(known["line"]),
            str(known["sentence"]),
            confidence if confidence in ("high", "medium", "indicative") else "none",
            conditions,
            run.figures,
            tuple(str(one) for one in known["notes"])[:MAX_NOTES],
            str(known.get("needs", "")),
            answers.get(known.get("answer"), "good"),
        )
        return verdict_told(verdict)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedError("The verdict of a test run in this session can't be read.") from error


def _round(one: Round) -> dict[str, object]:
    return {
        "step": one.step,
        "phase": one.phase,
        "number": one.number,
        "window": [one.window.start, one.window.end],
        "setting": _number(one.setting),
        "planned_seconds": _number(one.planned_seconds),
        "workers": [_worker(each) for each in one.workers],
        "observed": [
            [each.counter, each.of, each.times.tolist(), [_number(value) for value in each.values.tolist()]]
            for each in one.observed
        ],
        "disturbances": [[each.at, each.kind, each.text] for each in one.disturbances],
        "facts": {name: value for name, value in one.facts.items() if isfinite(value)},
    }


def _worker(one: WorkerRound) -> dict[str, object]:
    return {
        "worker": one.worker,
        "reads": _transfers(one.reads),
        "writes": _transfers(one.writes),
        "role": one.role,
        "host": one.host,
        "outstanding": _number(one.outstanding),
        "samples": [
            [
                each.at,
                *map(
                    _number,
                    (each.reads, each.writes, each.read_mb, each.write_mb, each.read_ms, each.write_ms),
                ),
            ]
            for each in one.samples
        ],
        "depth_reached": _number(one.depth_reached),
        "cpu": _number(one.cpu),
        "error": one.error,
    }


def _transfers(one: Transfers) -> list[object]:
    return [
        one.ios,
        one.bytes,
        _number(one.mean_ms),
        one.latencies.values.tolist(),
        one.latencies.counts.tolist(),
    ]


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


def _value(value: Any) -> float:
    return nan if value is None else float(value)


def _floats(values: Mapping[str, Any]) -> dict[str, float]:
    return {str(name): _value(value) for name, value in values.items()}


def _read_round(one: Mapping[str, Any]) -> Round:
    start, end = one["window"]
    return Round(
        str(one["step"]),
        int(one["number"]),
        TimeRange(int(start), int(end)),
        tuple(_read_worker(each) for each in one["workers"]),
        _value(one["setting"]),
        _value(one["planned_seconds"]),
        tuple(
            Observed(
                str(counter),
                str(of),
                np.array(times, np.int64),
                np.array([_value(value) for value in values], np.float64),
            )
            for counter, of, times, values in one["observed"]
        ),
        tuple(Disturbance(int(at), str(kind), str(text)) for at, kind, text in one["disturbances"]),
        _floats(one["facts"]),
        str(one.get("phase", one["step"])),
    )


def _read_worker(one: Mapping[str, Any]) -> WorkerRound:
    return WorkerRound(
        str(one["worker"]),
        _read_transfers(one["reads"]),
        _read_transfers(one["writes"]),
        one["role"] if one["role"] in ("critical", "competing", "heavy", "light") else "",
        str(one["host"]),
        _value(one["outstanding"]),
        tuple(WorkSample(int(at), *map(_value, rest)) for at, *rest in one["samples"]),
        _value(one["depth_reached"]),
        _value(one["cpu"]),
        str(one["error"]),
    )


def _read_transfers(one: Any) -> Transfers:
    ios, count, mean, values, counts = one
    latencies = Histogram(np.array(values, np.int64), np.array(counts, np.int64))
    if latencies.values.shape != latencies.counts.shape or latencies.values.ndim != 1:
        raise ValueError("a histogram of two lengths")
    return Transfers(int(ios), int(count), _value(mean), latencies)
