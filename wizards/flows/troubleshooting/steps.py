"""What to do about a problem, step by step: where in the vSphere Client, and which lines to copy."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from resources.guided_flow import Way, Ways
from resources.problem_cards import Card
from sessions.findings import Finding
from sessions.troubleshooting import CheckResult, SeenChange, Step

_PLACE = re.compile(r"\{(\w+)\}")
_NO_NAME = "NAME"
_UNQUOTED = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029]")
_QUOTES = re.compile("['\u2018\u2019\u201a\u201b]")
"""What PowerShell takes for the end of a text in single quotes, each of which doubled stands for itself."""
_WILDCARDS = re.compile(r"([\[\]*?`])")


def steps_of(finding: Finding, card: Card, ways: Ways, names: Mapping[str, str]) -> tuple[Step, ...]:
    """Return a finding's remedies as steps. ``names`` are those of what it is about, by kind.

    A finding has only the remedies of causes that the numbers support, in the order of its causes: likely
    ones, else possible ones with the words "if so"; without any, one step that is of no cause.
    """
    by_id = {cause.id: cause for cause in card.causes}
    wanted = "likely" if any(one.verdict == "likely" for one in finding.causes) else "possible"
    steps: list[Step] = []
    told: set[str] = set()
    for one in finding.causes:
        cause = by_id.get(one.cause)
        if one.verdict != wanted or cause is None:
            continue
        for number, template in enumerate(cause.remedies, 1):
            if template in told and wanted == "likely":
                continue  # the same step of two causes is told once
            told.add(template)
            if len(steps) == len(finding.remedies):
                break
            text, if_so = finding.remedies[len(steps)], ""
            if wanted == "possible":
                if_so = one.title
                text = text.removeprefix(f"If so ({one.title}): ")
            steps.append(_with_way(text, one.cause, if_so, ways.of(card.id, one.cause, number), names))
    return tuple(steps) or tuple(Step(text, "", "") for text in finding.remedies)


def ticked(check: CheckResult, changes: Sequence[SeenChange], ways: Ways) -> CheckResult:
    """Return a check whose steps that were seen to be done are ticked: a change of the setting that the step
    is about, of the entity that has the problem, after the problem began.
    """
    begun = min((one.start for one in check.windows), default=0)
    numbers: dict[str, int] = {}
    steps = []
    for step in check.steps:
        numbers[step.cause] = numbers.get(step.cause, 0) + 1
        way = ways.of(check.problem, step.cause, numbers[step.cause])
        done = [
            one
            for one in changes
            if way is not None
            and one.setting in way.seen_by
            and one.entity == check.entity
            and one.at > begun
        ]
        steps.append(replace(step, seen=done[-1].what, seen_at=done[-1].at) if done else step)
    return replace(check, steps=tuple(steps))


def _with_way(text: str, cause: str, if_so: str, way: Way | None, names: Mapping[str, str]) -> Step:
    if way is None:
        return Step(text, cause, if_so)
    powercli, esxcli = _filled(way.powercli, names, for_powershell), _filled(way.esxcli, names, for_shell)
    return Step(text, cause, if_so, way.client, powercli, esxcli, way.source)


def _filled(line: str, names: Mapping[str, str], quoted: Callable[[str], str]) -> str:
    return _PLACE.sub(lambda place: quoted(names.get(place[1], _NO_NAME)), line)


def for_powershell(name: str) -> str:
    """Return a name as a PowerCLI line takes it: in single quotes, wildcards standing for themselves.

    A name is foreign text: nothing in it may end the quotes, or run. Control characters become ``?``, which
    PowerCLI takes for any one character.
    """
    escaped = _WILDCARDS.sub(r"`\1", name)
    return "'" + _UNQUOTED.sub("?", _QUOTES.sub(lambda quote: quote[0] * 2, escaped)) + "'"


def for_shell(name: str) -> str:
    """Return a name as a line of ESXi's shell takes it."""
    return shlex.quote(_UNQUOTED.sub("?", name))
