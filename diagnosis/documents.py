"""A diagnosis as the JSON document of DESIGN §6: ISO times, severities, evidence, causes, remedies."""

from __future__ import annotations

from collections.abc import Mapping

from diagnosis.engine import Diagnosis
from diagnosis.json_parts import Json, event_json, number_json, window_json
from sessions.findings import CauseVerdict, Evidence, Finding
from sessions.model import EntityRef
from sessions.times import iso
from sessions.verdict_wording import check_because, verdict_json


def findings_json(diagnosis: Diagnosis) -> Json:
    """Return ``{"window", "judged_to", "findings", "not_judged", "verdict", "checks", "notes"}``; numbers
    that are not finite become null.
    """
    judged_to = diagnosis.verdict.judged_to
    names = {finding.entity: finding.entity_name for finding in diagnosis.findings}
    return {
        "verdict": verdict_json(diagnosis.verdict),
        "window": window_json(diagnosis.window) if diagnosis.window else None,
        "judged_to": None if judged_to is None else iso(judged_to),
        "findings": [finding_json(finding, names) for finding in diagnosis.findings],
        "not_judged": [
            {"problem": one.problem, "why": check_because(one)}
            for one in diagnosis.verdict.checks
            if not one.judged
        ],
        "checks": [
            {
                "problem": check.problem,
                "entities": check.entities,
                "judged": check.judged,
                "lacking": list(check.lacking),
            }
            for check in diagnosis.checks
        ],
        "notes": list(diagnosis.notes),
    }


def finding_json(finding: Finding, names: Mapping[EntityRef, str]) -> Json:
    """Return one finding; ``names`` are the display names of the entities of all findings."""
    above = finding.consequence_of
    return {
        "problem": finding.problem,
        "severity": finding.severity,
        "entity": {"kind": finding.entity.kind, "name": finding.entity_name},
        "windows": [window_json(window) for window in finding.windows],
        "share": number_json(finding.share),
        "evidence": [_evidence(item) for item in finding.evidence],
        "causes": [_cause(cause) for cause in finding.causes],
        "remedies": list(finding.remedies),
        "title": finding.title,
        "conclusion": finding.conclusion,
        "notes": list(finding.notes),
        "score": number_json(finding.score),
        "changes": [event_json(event) for event in finding.changes],
        "changes_left": finding.changes_left,
        "consequence_of": {
            "problem": above[0],
            "entity": {"kind": above[1].kind, "name": names.get(above[1], above[1].key)},
        }
        if above
        else None,
    }


def _evidence(item: Evidence) -> Json:
    return {
        "counter": item.counter,
        "instance": item.instance,
        "statistic": item.statistic,
        "value": number_json(item.value),
        "threshold": number_json(item.threshold),
        "unit": item.unit,
        "what": item.what,
    }


def _cause(cause: CauseVerdict) -> Json:
    return {"cause": cause.cause, "verdict": cause.verdict, "because": cause.because, "title": cause.title}
