"""What came of each check of a guided run, as values: verdict, sentence, numbers, causes, steps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from diagnosis.engine import Diagnosis
from diagnosis.reach import TOO_FEW_SAMPLES, TOO_FEW_THEN
from diagnosis.topology import Topology
from resources.catalogue import Catalogue
from resources.guided_flow import Flow, Row, Ways
from resources.problem_cards import Card, Problems
from resources.units import format_duration
from sessions.findings import Evidence, Finding
from sessions.model import EntityRef
from sessions.times import TimeRange, joined
from sessions.troubleshooting import CheckResult, FoundOn, RuleLine, Symptom
from sessions.verdict_wording import certainty_text, check_because, number_text
from sessions.verdicts import CheckNumber, CheckReach, CheckVerdict
from wizards.flows.troubleshooting.rule_lines import evidence_lines
from wizards.flows.troubleshooting.steps import steps_of

DATA = "data.insufficient"
_MOST_ALSO = 20
_SEVERITY = {"critical": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True)
class Judged:
    """What a diagnosis of the symptom's surroundings found; ``outside`` are findings of the time before.

    ``gaps`` says which sources have gaps in the symptom's time: "esx04: 40 s gap"; empty if none has.
    """

    diagnosis: Diagnosis
    outside: Sequence[Finding]
    topology: Topology
    only: Collection[EntityRef]
    gaps: str = ""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All that is known without looking at the session."""

    flow: Flow
    ways: Ways
    problems: Problems
    catalogue: Catalogue


def check_results(judged: Judged, symptom: Symptom, knowledge: Knowledge) -> tuple[CheckResult, ...]:
    """Return the result of each check, in the order of the flow."""
    return tuple(
        _Check(judged, symptom, knowledge, row, knowledge.problems.card(problem)).result()
        for row in knowledge.flow.rows
        for problem in row.problems
    )


class _Check:
    """One problem that was looked for."""

    def __init__(self, judged: Judged, symptom: Symptom, knowledge: Knowledge, row: Row, card: Card) -> None:
        self._judged, self._symptom, self._knowledge = judged, symptom, knowledge
        self._row, self._card = row, card
        noticed = knowledge.flow.noticed(symptom.noticed)
        self._fits = noticed is not None and row.id in noticed.rows
        self._found = sorted(
            (one for one in judged.diagnosis.findings if one.problem == card.id and self._is_meant(one)),
            key=lambda one: (one.consequence_of is not None, _SEVERITY[one.severity], -one.score),
        )
        checks = {one.problem: one for one in judged.diagnosis.verdict.checks}
        self._reach: CheckReach | None = checks.get(card.id)

    def _is_meant(self, finding: Finding) -> bool:
        """Findings of what lies around; too few samples of a whole source concern everything in it."""
        return finding.entity in self._judged.only or finding.entity.kind == "vcenter"

    def result(self) -> CheckResult:
        """Return what came of it."""
        if self._symptom.entity.kind not in self._row.of:
            return self._told("not applicable", f"{self._row.otherwise}")
        if self._found:
            return self._problem(self._found[0])
        if self._card.id == DATA:
            return self._enough_data()
        if self._reach is None or not self._judged.diagnosis.verdict.is_judged:
            return self._insufficient(self._judged.diagnosis.verdict.reason or "no samples in this time")
        return self._nothing_found(self._reach)

    def _nothing_found(self, reach: CheckReach) -> CheckResult:
        if reach.verdict == "not applicable":
            return self._told("not applicable", check_because(reach), get=_get(reach))
        if reach.verdict == "insufficient data" or (reach.verdict == "problem" and not reach.is_judged):
            return self._insufficient(reach.reason or "no samples in this time")
        verdict: CheckVerdict = "suspected" if reach.verdict == "suspected" else "not found"
        return self._numbered(verdict, reach)

    def _told(self, verdict: CheckVerdict, because: str, get: str = "") -> CheckResult:
        return CheckResult(
            self._card.id,
            self._card.title,
            self._row.id,
            self._row.group,
            verdict,
            because[:1].upper() + because[1:].rstrip(".") + ".",
            self._card.question,
            earlier=self._earlier(),
            get=get,
            fits=self._fits,
        )

    def _insufficient(self, reason: str) -> CheckResult:
        get = _get(self._reach) if self._reach else ""
        if reason in (TOO_FEW_SAMPLES, TOO_FEW_THEN):
            get = get or self._longer()
            reason += f" ({self._judged.gaps})" if self._judged.gaps else ""
        get = get or _how_to_get(reason)
        if self._reach and self._reach.number and self._reach.is_unjudged_past_limit:
            reason = f"{number_text(self._reach.number)}; {reason}"
        return self._told("insufficient data", reason, get)

    def _longer(self) -> str:
        """How long to record, so that the problem can be told to last as long as its rule asks for."""
        kinds = {rule.sustained for rule in self._card.rules}
        sustained = self._knowledge.problems.sustained
        holds = [sustained[one].warning.hold_s for one in kinds if one in sustained]
        least = self._knowledge.flow.numbers.verify_s.value
        return f"Record for {format_duration(max([least, *holds]))} or more."

    def _numbered(self, verdict: CheckVerdict, reach: CheckReach) -> CheckResult:
        number = reach.number
        plain = self._told(verdict, check_because(reach))
        if number is None:
            return plain
        sentence = "; ".join(filter(None, (number_text(number), certainty_text(reach))))
        return CheckResult(
            plain.problem,
            plain.title,
            plain.row,
            plain.group,
            verdict,
            sentence[:1].upper() + sentence[1:] + ".",
            plain.looked_at,
            entity=number.entity,
            name=number.entity_name,
            number=number,
            rule=(_number_line(number, self._card, verdict),),
            evidence=(_number_evidence(number, self._card),),
            earlier=plain.earlier,
            fits=plain.fits,
        )

    def _problem(self, finding: Finding) -> CheckResult:
        window = self._symptom.window
        parts = [part for one in finding.windows if (part := one.intersect(window)) is not None]
        lasted = sum(one.seconds for one in joined(parts))
        above = finding.consequence_of
        reach = self._reach
        return CheckResult(
            self._card.id,
            finding.title,
            self._row.id,
            self._row.group,
            "problem",
            finding.conclusion,
            self._card.question,
            entity=finding.entity,
            name=finding.entity_name,
            severity=finding.severity,
            number=reach.number if reach else None,
            rule=evidence_lines(finding, self._card, lasted),
            evidence=finding.evidence,
            windows=finding.windows,
            lasted_s=lasted,
            share=finding.share,
            score=finding.score,
            causes=finding.causes,
            steps=steps_of(finding, self._card, self._knowledge.ways, self._names(finding.entity)),
            follows_from=None
            if above is None
            else (
                above[0],
                self._knowledge.problems.card(above[0]).title,
                above[1],
                self._judged.topology.entity(above[1]).name,
            ),
            changes=finding.changes,
            notes=finding.notes,
            also=tuple(
                FoundOn(one.entity, one.entity_name, one.severity, one.conclusion)
                for one in self._found[1:_MOST_ALSO]
            ),
            earlier=self._earlier(),
            fits=self._fits,
        )

    def _enough_data(self) -> CheckResult:
        verdict = self._judged.diagnosis.verdict
        if not verdict.is_judged or verdict.judged is None:
            return self._insufficient(verdict.reason or "no samples in this time")
        sources = len(verdict.judged_sources)
        text = f"{verdict.samples:,} sampling instants of {sources} source{'' if sources == 1 else 's'}"
        return self._told("not found", text)

    def _earlier(self) -> tuple[TimeRange, ...]:
        """When the same entities had it before or after the symptom's window."""
        found = [one for one in self._judged.outside if one.problem == self._card.id and self._is_meant(one)]
        return tuple(joined(window for one in found for window in one.windows))

    def _names(self, ref: EntityRef) -> Mapping[str, str]:
        """What the lines to copy name: the entity, its host and what else is above it, by kind."""
        topology = self._judged.topology
        refs = {one.kind: one for one in topology.ancestors(ref).values()}
        for source in topology.sources:
            if ref in topology.entities_in(source) and (host := topology.host(source, ref)):
                refs.setdefault("host", host)
                refs = {**{one.kind: one for one in topology.ancestors(host).values()}, **refs}
        if pool := topology.pools.nearest(ref):
            refs.setdefault("pool", pool)
        names: dict[str, str] = {kind: topology.entity(one).name for kind, one in refs.items()}
        if "nic" in names:  # an uplink's name begins with that of its host
            names["nic"] = names["nic"].rpartition("/")[2]
        return names


def _get(reach: CheckReach | None) -> str:
    """How to get what no source shows."""
    if reach is None:
        return ""
    return f"Connect {reach.shown_by}." if reach.shown_by else ""


def _how_to_get(reason: str) -> str:
    """The second half of a reason says who has it: "no source has %CSTP; esxtop on the hosts has it"."""
    _, semicolon, who = reason.partition("; ")
    return f"{who[:1].upper()}{who[1:]}." if semicolon else ""


def _number_line(number: CheckNumber, card: Card, verdict: CheckVerdict) -> RuleLine:
    source = next((one.source for one in card.thresholds.values() if one.value == number.limit), "")
    held = f", for {format_duration(number.hold_s)}" if number.hold_s else ""
    return RuleLine(
        f"{number.what.rstrip(', ')}{held}",
        number.value,
        number.limit,
        number.unit,
        holds=verdict == "suspected",
        is_below=number.is_below,
        source=source,
    )


def _number_evidence(number: CheckNumber, card: Card) -> Evidence:
    statistic = "min" if number.is_below else "max"
    return Evidence(
        _measured_counter(card), "", statistic, number.value, number.limit, number.unit, number.what
    )


def _measured_counter(card: Card) -> str:
    """The first counter that a card reads."""
    for rule in card.rules:
        for signal in card.signals_for(rule).values():
            for key in (signal.counter, *signal.counters.values()):
                if key and not key.startswith("fact:"):
                    return key.removeprefix("host:")
    return ""
