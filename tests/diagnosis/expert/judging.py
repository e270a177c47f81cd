"""What an expert reads in a session, as data, and how a diagnosis is held against it, claim by claim."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from diagnosis import Diagnosis
from resources.problem_cards import load_problems
from sessions.findings import Finding
from sessions.model import EntityRef
from tests.diagnosis.supported_orders import unsupported_orders

FOLDER = Path(__file__).resolve().parent
_TOLERANCE_S = 60.0


class Problem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A problem that the expert finds: ``problem`` is an id of the expert's text (P04).

    ``within_s`` is the time from the first sample in which it is, in so many ``spells`` (0: any). ``cause``
    is the first cause that an expert names, ``not_likely`` are causes that must not be called likely;
    ``says`` and ``never_says`` are regular expressions for what an admin reads of the finding.
    """

    problem: str
    text: str
    entity: str = ""
    within_s: tuple[float, float] | None = None
    spells: int = 0
    severity: tuple[str, ...] = ("warning", "critical")
    cause: str = ""
    not_likely: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    never_says: tuple[str, ...] = ()


class Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A problem of an entity (of any, if none is named), and the line of the expert's text on it."""

    problem: str
    text: str = ""
    entity: str = ""


class Unjudged(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A problem that the data cannot show; ``says`` are words that the reason must have."""

    problem: str
    text: str
    says: tuple[str, ...] = ()


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An expert's reading of one session.

    ``fine`` was judged and is no problem, ``absent`` is no problem, judged or not; ``also`` may be found but
    need not. ``ordered`` are entities in the order in which findings of one problem name them. A warning of
    anything else is a false alarm.
    """

    found: tuple[Problem, ...] = ()
    fine: tuple[Named, ...] = ()
    absent: tuple[Named, ...] = ()
    also: tuple[Named, ...] = ()
    unjudged: tuple[Unjudged, ...] = ()
    ordered: tuple[str, ...] = ()
    judged: bool | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that the expert says of a session: does the product say it, and if not, what instead."""

    key: str
    is_right: bool
    text: str
    instead: str = ""
    kind: str = ""


class _Names(msgspec.Struct, frozen=True):
    problems: dict[str, tuple[str, ...]]
    causes: dict[str, tuple[str, ...]]


@cache
def names() -> _Names:
    """The table of the expert's names and the product's."""
    document = tomllib.loads((FOLDER / "expert_text.toml").read_text(encoding="utf-8"))
    return msgspec.convert(document, _Names)


def claims(reading: Reading, diagnosis: Diagnosis) -> Iterator[Claim]:
    """Hold a diagnosis against a reading."""
    start = diagnosis.window.start if diagnosis.window else 0
    matched: list[Finding] = []
    for one in reading.found:
        finding = _match(one, diagnosis)
        if finding is not None:
            matched.append(finding)
        yield from _of_problem(one, finding, diagnosis, start)
    for named in (*reading.fine, *reading.absent):
        found = [each for each in _named(named, diagnosis.findings) if each.severity != "info"]
        yield Claim(f"absent {_key(named)}", not found, named.text, _told(found), "absent")
    for named in reading.fine:
        yield Claim(f"judged {_key(named)}", _is_judged(named, diagnosis), named.text,
                    f"not judged: {_reason(named.problem, diagnosis)}", "judged")  # fmt: skip
        yield from _of_verdict(named, ("not found",), diagnosis, has_number=True)
    for hidden in reading.unjudged:
        yield from _of_unjudged(hidden, diagnosis)
    yield from _of_order(reading, diagnosis)
    yield from _alarms(reading, diagnosis, matched)
    yield from _invariants(diagnosis)
    if reading.judged is not None:
        is_right = diagnosis.verdict.is_judged == reading.judged
        yield Claim("verdict", is_right, f"judged: {reading.judged}", diagnosis.verdict.state, "verdict")


def product_ids(problem: str) -> tuple[str, ...]:
    """The product's ids of a problem of the expert's text; ``P24|P25`` is either of two."""
    return tuple(known for one in problem.split("|") for known in names().problems[one])


def _match(one: Problem, diagnosis: Diagnosis) -> Finding | None:
    fits = _named(one, diagnosis.findings)
    good = [each for each in fits if each.severity in one.severity]
    return next(iter(good or fits), None)


def _named(one: Problem | Named, findings: tuple[Finding, ...]) -> list[Finding]:
    ids = product_ids(one.problem)
    return [each for each in findings if each.problem in ids and one.entity in ("", each.entity_name)]


def _of_problem(one: Problem, finding: Finding | None, diagnosis: Diagnosis, start: int) -> Iterator[Claim]:
    key = _key(one)
    good = finding is not None and finding.severity in one.severity
    others = [each for each in diagnosis.findings if each.entity_name == one.entity]
    instead = f"{finding.severity}" if finding else f"nothing; of it: {_told(others)}"
    yield Claim(f"found {key}", good, one.text, instead, "found")
    if finding is None:
        return
    if one.within_s is not None:
        yield Claim(f"when {key}", _is_in_time(one.within_s, finding, start), one.text,
                    _times(finding, start), "when")  # fmt: skip
    if one.spells:
        yield Claim(
            f"spells {key}", len(finding.windows) == one.spells, one.text, _times(finding, start), "when"
        )
    if one.cause:
        first = finding.causes[0] if finding.causes else None
        ok = (
            first is not None
            and first.verdict in ("likely", "possible")
            and _is_cause(first.cause, one.cause)
        )
        instead = f"{first.verdict} {first.cause}: {first.because}" if first else "no cause"
        yield Claim(f"cause {key} {one.cause}", ok, one.text, instead, "cause")
    for wrong in one.not_likely:
        likely = [
            each for each in finding.causes if each.verdict == "likely" and _is_cause(each.cause, wrong)
        ]
        yield Claim(f"not likely {key} {wrong}", not likely, one.text,
                    "; ".join(each.because for each in likely), "not likely")  # fmt: skip
    whole = text_of(finding)
    for pattern in one.says:
        yield Claim(
            f"says {key} {pattern}", bool(re.search(pattern, whole, re.IGNORECASE)), one.text, whole, "text"
        )
    for pattern in one.never_says:
        told = re.search(pattern, whole, re.IGNORECASE)
        yield Claim(f"never says {key} {pattern}", not told, one.text, told.group() if told else "", "text")


def text_of(finding: Finding) -> str:
    """What an admin reads of a finding: conclusion, causes not ruled out, remedies, notes, changes."""
    causes = [f"{one.title}. {one.because}" for one in finding.causes if one.verdict != "ruled out"]
    changes = [one.text for one in finding.changes]
    return "\n".join([finding.conclusion, *causes, *finding.remedies, *finding.notes, *changes])


def _is_cause(given: str, name: str) -> bool:
    return given == name or given in names().causes.get(name, ())


def _is_in_time(within_s: tuple[float, float], finding: Finding, start: int) -> bool:
    """At least half of the finding's time is in the range, or half of the range is covered by it."""
    first, last = (start + round(one * 1000) for one in within_s)
    slack = round(_TOLERANCE_S * 1000)
    inside = total = covered = 0
    for one in finding.windows:
        total += one.end - one.start + 1
        inside += max(0, min(one.end, last + slack) - max(one.start, first - slack) + 1)
        covered += max(0, min(one.end, last) - max(one.start, first) + 1)
    return inside >= 0.5 * total and covered > 0


def _times(finding: Finding, start: int) -> str:
    return ", ".join(
        f"{(one.start - start) / 1000:.0f}-{(one.end - start) / 1000:.0f} s" for one in finding.windows
    )


def _of_verdict(
    named: Named, wanted: tuple[str, ...], diagnosis: Diagnosis, *, has_number: bool
) -> Iterator[Claim]:
    """The verdict on a check, with its number in a unit against its limit."""
    ids = product_ids(named.problem)
    checks = [one for one in diagnosis.verdict.checks if one.problem in ids]
    told: list[str] = [one.verdict for one in checks] or ["no such check"]
    key = _key(named)
    yield Claim(f"verdict {key}", any(one in wanted for one in told), named.text, ", ".join(told), "verdict")
    if has_number and not named.entity:
        numbers = [one.number for one in checks if one.number is not None]
        ok = any(one.what and one.entity_name for one in numbers)
        yield Claim(f"number {key}", ok, "issue 12: each verdict with its numbers", "no number", "verdict")


def _is_judged(named: Named, diagnosis: Diagnosis) -> bool:
    ids = product_ids(named.problem)
    return any(check.problem in ids and check.judged > 0 for check in diagnosis.verdict.checks)


def _reason(problem: str, diagnosis: Diagnosis) -> str:
    ids = product_ids(problem)
    told = [check.reason for check in diagnosis.verdict.checks if check.problem in ids]
    return "; ".join(told) or "no such check"


def _of_unjudged(one: Unjudged, diagnosis: Diagnosis) -> Iterator[Claim]:
    judged = _is_judged(Named(one.problem), diagnosis)
    yield Claim(f"unjudged {one.problem}", not judged, one.text, "it was judged", "unjudged")
    verdicts = ("insufficient data", "not applicable")
    yield from _of_verdict(Named(one.problem, one.text), verdicts, diagnosis, has_number=False)
    reason = _reason(one.problem, diagnosis)
    for word in one.says:
        yield Claim(
            f"reason {one.problem} {word}", word.lower() in reason.lower(), one.text, reason, "unjudged"
        )


def _of_order(reading: Reading, diagnosis: Diagnosis) -> Iterator[Claim]:
    if reading.ordered:
        problem, *wanted = reading.ordered
        ids = product_ids(problem)
        given = [one.entity_name for one in diagnosis.findings if one.problem in ids]
        given = [one for one in given if one in wanted]
        yield Claim(f"order {problem}", given == wanted, "the worst first", ", ".join(given), "text")


def _alarms(reading: Reading, diagnosis: Diagnosis, matched: list[Finding]) -> Iterator[Claim]:
    allowed = [each for also in reading.also for each in _named(also, diagnosis.findings)]
    fine: set[tuple[str, EntityRef]] = {(one.problem, one.entity) for one in (*matched, *allowed)}
    by_key = {(one.problem, one.entity): one for one in diagnosis.findings}
    for key, finding in by_key.items():
        above = finding.consequence_of
        while above in by_key and above not in fine:
            above = by_key[above].consequence_of
        if finding.severity != "info" and key not in fine and above not in fine:
            yield Claim(f"alarm {finding.problem} {finding.entity_name}", False, "nothing is wrong with it",
                        f"{finding.severity}: {finding.conclusion}", "alarm")  # fmt: skip


_HOLE = re.compile(
    r"\(–|–\)| –[,;.:]|(at most|of|to|was|against|on|carried) –( |$)|– (of|on|to|cores)|none of them"
)
"""A dash where a sentence wanted a number or a name."""


def _invariants(diagnosis: Diagnosis) -> Iterator[Claim]:
    """What holds of any session: no order without a cause that numbers support, no sentence with a hole."""
    for order in unsupported_orders(diagnosis.findings, load_problems()):
        text = "DESIGN §11: remedies come from likely and possible causes only"
        yield Claim(f"orders {order}", False, text, order, "invariant")
    holes: set[str] = set()
    for one in diagnosis.findings:
        told_by = {"": "\n".join([one.conclusion, *one.remedies, *one.notes])}
        told_by |= {cause.cause: cause.because for cause in one.causes}
        for cause, sentence in told_by.items():
            key = f"hole {one.problem} {cause}".strip()
            if _HOLE.search(sentence) and key not in holes:
                holes.add(key)
                yield Claim(key, False, "issue 12: text that an admin acts on", sentence, "invariant")


def _key(one: Problem | Named) -> str:
    return f"{one.problem} {one.entity}".strip()


def _told(findings: list[Finding]) -> str:
    return "; ".join(f"{one.severity} {one.problem}: {one.conclusion}" for one in findings) or "nothing"
