"""What moved, as the JSON document of DESIGN §6 with additions: role, reason, places, patterns, events."""

from __future__ import annotations

import math

from diagnosis.correlation.engine import Correlation
from diagnosis.correlation.incidents import Incident
from diagnosis.correlation.patterns import Pattern
from diagnosis.correlation.ranking import Group, Part, Ranked
from diagnosis.correlation.wording import because
from diagnosis.json_parts import Json, number_json, window_json
from sessions.model import EntityRef, Series
from sessions.times import iso

_ROLES: dict[Part, str | None] = {"elsewhere": None, "moved": None, "own load": "culprit"}


def correlation_json(found: Correlation, top: int) -> Json:
    """Return the document; ``ranked`` has one row for each entity, its other series in ``also``."""
    reference = found.reference
    return {
        "of": _reference(found, reference) if reference else None,
        "window": window_json(found.span.window),
        "window_found": found.span.found,
        "baseline": window_json(found.span.baseline) if found.span.has_baseline else None,
        "ranked": [_group(found, group) for group in found.groups[:top]],
        "left_out": max(0, len(found.groups) - top),
        "itself": [_row(found, one) for one in found.itself.all] if found.itself else [],
        "compared": {
            "series": found.compared.series,
            "constant": found.compared.constant,
            "sparse": found.compared.sparse,
            "step_s": found.compared.step_s,
        },
        "patterns": [
            {"entity": _entity(found, one.entity), "counter": one.counter, **_pattern(pattern)}
            for one, pattern in found.patterns
        ],
        "events": [_incident(found, one) for one in found.incidents],
    }  # fmt: skip


def _reference(found: Correlation, one: Series) -> Json:
    return {"entity": _entity(found, one.entity), "counter": one.counter, "instance": one.spec.instance}


def _group(found: Correlation, group: Group) -> Json:
    owner = {"kind": group.entity.kind, "name": found.name(group.entity)}
    lead = _row(found, group.lead)
    return {
        **lead,
        "entity": owner,
        "host": found.name(host) if (host := found.hosts.get(group.entity)) is not None else None,
        "of": lead["entity"],
        "role": _ROLES.get(group.part, group.part),
        "also": [_row(found, one) for one in group.others],
    }


def _row(found: Correlation, one: Ranked) -> Json:
    shared = one.shared
    return {
        "entity": _entity(found, one.series.entity),
        "counter": one.series.counter,
        "unit": one.series.spec.unit,
        "instance": one.series.spec.instance,
        "score": round(min(1.0, max(0.0, one.score)), 4),
        "change": number_json(one.move.change),
        "before": number_json(one.move.before),
        "during": number_json(one.move.during),
        "lag_s": None if math.isnan(one.move.correlation) else one.lag_s,
        "lag_resolution_s": one.move.step_s,
        "correlation": number_json(one.move.correlation),
        "chance": number_json(one.move.chance),
        "makes": one.role,
        "shares": None
        if shared.place is None
        else {"words": shared.words, "entity": {"kind": shared.place.kind, "name": found.name(shared.place)}},
        "because": because(one),
    }


def _entity(found: Correlation, ref: EntityRef) -> Json:
    return {"kind": ref.kind, "name": found.name(ref)}


def _pattern(one: Pattern) -> Json:
    return {
        "period_s": round(one.period_s, 3),
        "length_s": round(one.length_s, 3),
        "since": iso(one.since),
        "until": iso(one.until),
        "bursts": one.bursts,
        "expected": one.expected,
        "chance": number_json(one.chance),
    }


def _incident(found: Correlation, one: Incident) -> Json:
    return {
        "at": iso(one.at),
        "kind": one.kind,
        "text": one.text,
        "by": one.by,
        "entity": _entity(found, one.entity) if one.entity else None,
        "lead_s": round(one.lead_s, 3),
        "near": one.is_near,
    }
