"""A guided run and its verification as the JSON documents of the command line: ISO times in UTC, percent as
percent, numbers that are not finite as null.
"""

from __future__ import annotations

from collections.abc import Mapping

from diagnosis.json_parts import Json, event_json, number_json, window_json
from sessions.model import EntityRef
from sessions.times import iso
from sessions.troubleshooting import (
    AwaitedSamples,
    CheckedAgain,
    CheckResult,
    RowResult,
    RuleLine,
    SeenChange,
    Step,
    TroubleshootingRun,
    Verification,
    VerifiedNumber,
    ranked,
)
from sessions.verdicts import CheckNumber


def run_json(run: TroubleshootingRun) -> Json:
    """Return a run: ``entity``, ``window`` and ``checks`` first, then what else it has."""
    symptom, worst = run.symptom, run.worst
    return {
        "entity": _entity(symptom.entity, symptom.name),
        "window": window_json(symptom.window),
        "checks": [check_json(one) for one in run.checks],
        "noticed": symptom.noticed,
        "normal": None if symptom.normal is None else window_json(symptom.normal),
        "judged_to": None if run.judged_to is None else iso(run.judged_to),
        "rows": [_row(one) for one in run.rows],
        "ranked": [one.problem for one in ranked(run.checks)],
        "worst": None if worst is None else worst.problem,
        "limits": list(run.limits),
        "changes": [_change(one) for one in run.changes],
        "run": run.number,
        "at": iso(run.at),
        "took_s": run.took_s,
        "notes": [{"at": iso(one.at), "by": one.by, "text": one.text} for one in run.notes],
        "verifications": [verification_json(one) for one in run.verifications],
    }


def runs_json(runs: list[TroubleshootingRun]) -> Json:
    """Return a list of runs in short."""
    return {
        "runs": [
            {
                "run": run.number,
                "at": iso(run.at),
                "entity": _entity(run.symptom.entity, run.symptom.name),
                "noticed": run.symptom.noticed,
                "window": window_json(run.symptom.window),
                "found": [one.problem for one in ranked(run.checks)],
                "notes": len(run.notes),
                "outcome": run.verifications[-1].outcome if run.verifications else None,
            }
            for run in runs
        ]
    }


def check_json(check: CheckResult) -> Json:
    """Return one check."""
    follows = check.follows_from
    return {
        "problem": check.problem,
        "group": check.group,
        "verdict": check.verdict,
        "because": check.because,
        "evidence": [
            {
                "counter": one.counter,
                "instance": one.instance,
                "statistic": one.statistic,
                "value": number_json(one.value),
                "threshold": number_json(one.threshold),
                "unit": one.unit,
                "what": one.what,
            }
            for one in check.evidence
        ],
        "causes": [
            {"cause": one.cause, "title": one.title, "verdict": one.verdict, "because": one.because}
            for one in check.causes
        ],
        "remedies": [f"If so ({one.if_so}): {one.text}" if one.if_so else one.text for one in check.steps],
        "title": check.title,
        "row": check.row,
        "entity": None if check.entity is None else _entity(check.entity, check.name),
        "severity": check.severity,
        "looked_at": check.looked_at,
        "number": _check_number(check.number),
        "rule": [_rule(one) for one in check.rule],
        "windows": [window_json(one) for one in check.windows],
        "lasted_s": check.lasted_s,
        "share": number_json(check.share),
        "steps": [_step(one) for one in check.steps],
        "follows_from": None
        if follows is None
        else {"problem": follows[0], "title": follows[1], "entity": _entity(follows[2], follows[3])},
        "changes": [event_json(one) for one in check.changes],
        "notes": list(check.notes),
        "also": [
            {
                "entity": _entity(one.entity, one.name),
                "severity": one.severity,
                "conclusion": one.conclusion,
            }
            for one in check.also
        ],
        "earlier": [window_json(one) for one in check.earlier],
        "get": check.get,
    }


def verification_json(found: Verification) -> Json:
    """Return a verification."""
    return {
        "state": found.state,
        "outcome": found.outcome,
        "confidence": found.confidence,
        "because": found.because,
        "before": window_json(found.before),
        "after": None if found.after is None else window_json(found.after),
        "session": found.session,
        "same_load": found.same_load,
        "load": found.load,
        "has_s": found.has_s,
        "needs_s": found.needs_s,
        "samples": None if found.samples is None else _awaited(found.samples),
        "changes": [_change(one) for one in found.changes],
        "checks": [_again(one) for one in found.checks],
        "numbers": [_verified(one) for one in found.numbers],
        "elsewhere": [
            {
                "problem": one.problem,
                "title": one.title,
                "severity": one.severity,
                "entity": _entity(one.entity, one.name),
                "conclusion": one.conclusion,
            }
            for one in found.elsewhere
        ],
        "at": iso(found.at),
    }


def _awaited(one: AwaitedSamples) -> Json:
    return {
        "what": one.what,
        "of": one.name,
        "source": one.source,
        "has": one.has,
        "needs": one.needs,
        "interval_s": one.interval_s,
        "due": iso(one.due) if one.is_growing and not one.is_late else None,
    }


def _again(one: CheckedAgain) -> Json:
    return {
        "problem": one.problem,
        "title": one.title,
        "row": one.row,
        "before": one.before,
        "after": one.after,
        "outcome": one.outcome,
        "because": one.because,
        "value_before": number_json(one.value_before),
        "value_after": number_json(one.value_after),
        "limit": number_json(one.limit),
        "unit": one.unit,
        "ended_at": None if one.ended_at is None else iso(one.ended_at),
        "number": None if one.number is None else _verified(one.number),
    }


def _verified(one: VerifiedNumber) -> Json:
    return {
        "what": one.what,
        "of": one.name,
        "unit": one.unit,
        "before": number_json(one.before),
        "after": number_json(one.after),
        "difference": number_json(one.difference),
        "interval": None if one.interval is None else [number_json(end) for end in one.interval],
        "judged": one.judged,
    }


def _change(one: SeenChange) -> Json:
    return {
        "at": iso(one.at),
        "what": one.what,
        "entity": None if one.entity is None else _entity(one.entity, one.name),
        "by": one.by,
        "told": one.told,
        "setting": one.setting,
    }


def _row(row: RowResult) -> Json:
    return {
        "row": row.id,
        "title": row.title,
        "group": row.group,
        "guide": row.guide,
        "verdict": row.verdict,
        "measured": row.measured,
        "leading": row.leading,
        "problems": list(row.problems),
    }


def _step(step: Step) -> Json:
    return {
        "text": step.text,
        "cause": step.cause,
        "if_so": step.if_so,
        "client": step.client,
        "powercli": step.powercli,
        "esxcli": step.esxcli,
        "source": step.source,
        "seen": step.seen,
        "seen_at": None if step.seen_at is None else iso(step.seen_at),
    }


def _rule(line: RuleLine) -> Json:
    return {
        "what": line.what,
        "value": number_json(line.value),
        "limit": number_json(line.limit),
        "unit": line.unit,
        "holds": line.holds,
        "is_below": line.is_below,
        "source": line.source,
    }


def _check_number(number: CheckNumber | None) -> Json | None:
    if number is None:
        return None
    return {
        "what": number.what,
        "entity": _entity(number.entity, number.entity_name),
        "value": number_json(number.value),
        "limit": number_json(number.limit),
        "unit": number.unit,
        "hold_s": number.hold_s,
        "is_below": number.is_below,
        "is_common": number.is_common,
        "word": number.word,
        "bad": number.bad,
        "passed_s": number.passed_s,
        "hold_samples": number.hold_samples,
        "passed_samples": number.passed_samples,
    }


def _entity(ref: EntityRef, name: str) -> Mapping[str, str]:
    return {"kind": ref.kind, "name": name}
