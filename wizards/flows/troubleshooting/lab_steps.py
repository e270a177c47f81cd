"""Which steps of a check the running lab can do, in the place of the vSphere Client."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from resources.lab_acts import LabAct, load_lab_acts
from sessions.troubleshooting import CheckResult


def lab_acts_of(check: CheckResult) -> Sequence[tuple[LabAct, ...]]:
    """Return for each step of a check what the lab can do of it: nothing, one act, or a choice."""
    acts, kind = load_lab_acts(), check.entity.kind if check.entity is not None else ""
    numbers: Counter[str] = Counter()
    found = []
    for step in check.steps:
        numbers[step.cause] += 1
        found.append(
            tuple(one for one in acts.of(check.problem, step.cause, numbers[step.cause]) if one.is_for(kind))
        )
    return found
