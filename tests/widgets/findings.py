"""Findings of a VM each, for the tests of the findings pane and of the order of its cards."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.findings import CauseVerdict, Evidence, Finding, Severity
from sessions.model import EntityRef
from sessions.times import TimeRange
from viewmodels.finding_order import identity

T0 = 1_700_000_000_000


def finding(
    name: str,
    severity: Severity = "critical",
    cause: Finding | None = None,
    evidence: Sequence[Evidence] = (),
    remedies: tuple[str, ...] = ("Raise the limit.", "Look again."),
) -> Finding:
    entity = EntityRef("vm", name)
    return Finding(
        problem="cpu.limit",
        title="Held back by a CPU limit",
        severity=severity,
        entity=entity,
        entity_name=name,
        windows=(TimeRange(T0, T0 + 60_000),),
        share=0.5,
        conclusion=f"{name} waited for 38.7 % of the time.",
        evidence=tuple(evidence) or (row("cpu.ready", 33.8, 10.0),),
        causes=(CauseVerdict("limit", "The VM has a limit", "likely", "It is 2,000 MHz."),),
        remedies=remedies,
        consequence_of=identity(cause) if cause else None,
    )


def row(counter: str, value: float, threshold: float | None, instance: str = "") -> Evidence:
    return Evidence(counter, instance, "mean", value, threshold, "%")


A, B, C, D = (finding(name) for name in "abcd")
HOSTS = [
    row(counter, 10.0 * number + place, 10.0 if place < 2 else None, f"esx{number}")
    for number in (4, 2, 1, 3)
    for place, counter in enumerate(("latency", "latency.p95", "calm", "commands"))
]
