"""Whether every step that findings ask for belongs to a cause that their numbers support."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from resources.problem_cards import Problems
from sessions.findings import Finding

_PLACE = re.compile(r" \((?:[^(){}]|\{[^{}]*\})*\)|\[[^\[\]]*\]|\{[^{}]*\}")
"""A part that may be left out (round brackets, too, where nothing in them is known), a number, a name."""
_IF_SO = re.compile(r"If so \((?P<title>.*?)\): (?P<step>.*)", re.DOTALL)


def unsupported_orders(findings: Sequence[Finding], problems: Problems) -> list[str]:
    """Return a line for every step that no likely cause (no possible one, for "if so") of its finding has.
    Where no cause is supported, the one step to look at what it is, is right.
    """
    wrong = []
    for finding in findings:
        card = problems.card(finding.problem)
        steps = {cause.id: [*cause.remedies] for cause in card.causes}
        if card.way:
            steps[card.way.cause] += card.way.steps
        if _is_first_look(finding, problems):
            continue
        for order in finding.remedies:
            possible = _IF_SO.fullmatch(order)
            wanted, text = ("possible", possible["step"]) if possible else ("likely", order)
            supported = [one for one in finding.causes if one.verdict == wanted]
            if not any(_fits(text, template) for one in supported for template in steps[one.cause]):
                wrong.append(f"{finding.problem} of {finding.entity_name}: {order}")
    return wrong


def _is_first_look(finding: Finding, problems: Problems) -> bool:
    looks = problems.looks
    wanted = (looks.undecided, *(looks.more.replace("{where}", one) for one in looks.looks.values()))
    is_supported = any(one.verdict in ("likely", "possible") for one in finding.causes)
    one_step = len(finding.remedies) == 1 and any(_fits(finding.remedies[0], each) for each in wanted)
    return one_step and not is_supported


def _fits(text: str, template: str) -> bool:
    return _pattern(template).fullmatch(text) is not None


@cache
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in _PLACE.split(template)), re.DOTALL)
