"""A comparison as a JSON document: the shape is part of the program's contract."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from diagnosis.comparison.engine import Comparison
from diagnosis.comparison.values import Change, Load, LoadRow, Row, Sample, Side
from diagnosis.comparison.windows import Windows
from sessions.model import EntityRef, Event
from sessions.times import TimeRange, iso


def comparison_json(comparison: Comparison, rows: Iterable[Row], windows: Windows) -> dict[str, Any]:
    """Return a comparison with these rows; times are ISO 8601 in UTC, percent as percent."""
    judging = comparison.importance.rules.judging
    return {
        "a": _window(windows.a),
        "b": _window(windows.b),
        "aligned": windows.aligned,
        "chosen": windows.chosen,
        "left_out": {name: _left_out(side) for name, side in zip("ab", comparison.sides, strict=True)},
        "same_load": comparison.load.same,
        "load": _load(comparison.load),
        "counts": comparison.counts,
        "judged": comparison.judged,
        "indicative": comparison.indicative,
        "compared": len(comparison.pairs),
        "confidence": judging.confidence.value,
        "correction": {
            "method": "Benjamini-Hochberg",
            "comparisons": len(comparison.pairs),
            "rate": judging.discovery_rate.value,
        },
        "rows": [row_json(row) for row in rows],
        "changes": [_change(one) for one in comparison.changes],
        "counters": [
            {"counter": one.counter, "only_in": one.side, "entities": one.entities}
            for one in comparison.counters
        ],
        "events": [_event(one, comparison) for one in comparison.events],
    }


def row_json(row: Row) -> dict[str, Any]:
    """Return one row."""
    return {
        "entity": _entity(row.entity, row.name_in_b),
        "name_in_a": row.name,
        "joined_by": row.joined_by,
        "counter": row.counter,
        "instance": row.instance,
        "unit": row.unit,
        "source": row.source,
        "a": _sample(row.a),
        "b": _sample(row.b),
        "difference": row.difference,
        "ratio": row.ratio,
        "interval": list(row.interval) if row.interval else None,
        "ratio_interval": list(row.ratio_interval) if row.ratio_interval else None,
        "chance": _number(row.chance),
        "corrected_chance": _number(row.corrected),
        "effect": _number(row.effect),
        "margin": row.margin,
        "verdict": row.verdict,
        "judged": row.judged or None,
        "because": row.why,
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _sample(sample: Sample) -> dict[str, Any]:
    return {
        "n": sample.n,
        "effective": round(sample.effective, 1),
        "mean": _number(sample.mean),
        "p50": _number(sample.p50),
        "p95": _number(sample.p95),
        "p99": _number(sample.p99),
    }


def _entity(ref: EntityRef, name: str) -> dict[str, str]:
    return {"kind": ref.kind, "name": name}


def _window(window: TimeRange) -> list[str]:
    return [iso(window.start), iso(window.end)]


def _left_out(side: Side) -> list[list[str]]:
    return [_window(out) for out in side.left_out_inside]


def _load(load: Load) -> dict[str, Any]:
    return {
        "because": load.because,
        "vms": [load.vms_a, load.vms_b],
        "rows": [_load_row(row) for row in load.rows],
        "only_in_one": [
            {
                "entity": _entity(one.entity, one.name),
                "side": one.side,
                "load": one.title,
                "mean": one.mean,
                "unit": one.unit,
                "window": _window(one.when),
            }
            for one in load.only_in_one
        ],
    }


def _load_row(row: LoadRow) -> dict[str, Any]:
    return {
        "load": row.title,
        "of": row.of,
        "counters": list(row.counters),
        "unit": row.unit,
        "a": row.a,
        "b": row.b,
        "difference": row.difference,
        "interval": list(row.interval) if row.interval else None,
        "margin": row.margin,
        "verdict": row.verdict,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "what": change.what,
        "entity": _entity(change.entity, change.name),
        "setting": change.setting or None,
        "before": change.before or None,
        "after": change.after or None,
    }


def _event(event: Event, comparison: Comparison) -> dict[str, Any]:
    name = comparison.records[1].name(event.entity, event.at) if event.entity else None
    return {
        "at": iso(event.at),
        "end": iso(event.end) if event.end is not None else None,
        "kind": event.kind,
        "text": event.text,
        "entity": _entity(event.entity, name) if event.entity and name else None,
        "by": event.by or None,
    }
