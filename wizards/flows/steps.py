"""The five steps of a test, with what was chosen, found and measured in each, as the rail shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sessions.journal import JournalEntry, TestRun
from wizards.flows.cards import result_words

StepState = Literal["done", "current", "blocked", "waiting"]
STEPS = ("choose", "check", "plan", "run", "result")
TITLES: Mapping[str, str] = {
    "choose": "Choose",
    "check": "Check",
    "plan": "Plan",
    "run": "Run",
    "result": "Result",
}
_WAITING: Mapping[str, str] = {"run": "Live charts, pause, stop", "result": "Verdict, numbers"}


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a test on the rail: its id, its state, and up to four lines of what was chosen or found."""

    id: str
    state: StepState
    lines: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """True if the step can be gone to."""
        return self.state != "waiting"


@dataclass(frozen=True, slots=True)
class SetupLines:
    """What the rail says of a test that is set up: lines of Choose, Check and Plan; if a check blocks."""

    choose: tuple[str, ...] = ()
    check: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    is_blocked: bool = False


def steps_of(
    shown: str,
    setup: SetupLines,
    run: TestRun | None,
    journal: Sequence[JournalEntry] = (),
    *,
    is_live: bool = False,
) -> list[Step]:
    """Return the steps; with a ``run`` those before it are done, ``shown`` is the one on the right.

    ``journal`` has the changes of all runs. ``is_live``: the run goes on now; one that neither ended nor goes
    on was interrupted.
    """
    if run is not None:
        ended = run.end is not None or not is_live
        done = sum(one.state == "done" for one in run.phases)
        phases = f"{done} of {len(run.phases)} phases" if run.phases else "preparing"
        verdict = (result_words(run, journal),) if ended else (_WAITING["result"],)
        return [
            Step("run", _state_of_run(run, journal, is_live=is_live), (phases,)),
            Step("result", "current" if ended else "waiting", verdict),
        ]
    check: StepState = "blocked" if setup.is_blocked else "done" if setup.check else "waiting"
    found = {"choose": ("done", setup.choose), "check": (check, setup.check)}
    found["plan"] = ("done" if setup.plan else "waiting", setup.plan)
    steps = []
    for one in STEPS:
        state, lines = found.get(one, ("waiting", (_WAITING.get(one, ""),)))
        state = "current" if one == shown and state != "blocked" else state
        steps.append(Step(one, _state(state), _without_empty(lines)))
    return steps


def steps_of_analysis(answer: str) -> list[Step]:
    """Return the one step of an analysis, which has nothing to choose and nothing to run: its result."""
    return [Step("result", "current", (answer or "reading …",))]


def _state_of_run(run: TestRun, journal: Sequence[JournalEntry], *, is_live: bool) -> StepState:
    if run.end is None and is_live:
        return "current"
    is_left = any(one.run == run.id and one.is_open for one in journal)
    is_whole = all(one.state == "done" for one in run.phases[:-1])  # the last one puts everything back
    return "done" if run.end is not None and is_whole and not is_left else "blocked"


def _state(text: str) -> StepState:
    states: Mapping[str, StepState] = {"done": "done", "current": "current", "blocked": "blocked"}
    return states.get(text, "waiting")


def _without_empty(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line for line in lines if line)
