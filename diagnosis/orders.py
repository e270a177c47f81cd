"""Which steps a finding asks for: only those of causes that the numbers support."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sessions.findings import Verdict

GIVING_ORDERS: tuple[Verdict, ...] = ("likely", "possible")
"""The verdicts of causes whose steps a finding may ask for."""
_IF_SO = "If so ({title}): {step}"


@dataclass(frozen=True, slots=True)
class JudgedSteps:
    """The steps of one cause, with what was judged of it."""

    verdict: Verdict
    title: str
    steps: Sequence[str]


def orders(causes: Iterable[JudgedSteps]) -> tuple[str, ...]:
    """Return the steps of the likely causes; where nothing is likely, those of the possible ones with the
    words "if so".

    A cause that is unknown or ruled out never gives a step, so a finding may have none: then its causes say
    which numbers would decide.
    """
    known = [one for one in causes if one.verdict in GIVING_ORDERS]
    likely = [step for one in known if one.verdict == "likely" for step in one.steps]
    possible = [_IF_SO.format(title=one.title, step=step) for one in known for step in one.steps]
    return tuple(dict.fromkeys(likely or possible))
