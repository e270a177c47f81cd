"""Makes the cards of the gallery: from the tests as data, what is connected, and the runs of a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from resources.foreign_text import shown
from resources.guided_tests import Analysis, GuidedTest, GuidedTests, Length, TestStep
from resources.units import format_duration
from sessions.journal import JournalEntry, TestRun
from wizards.flows.change_count import count_changes, count_of_run, left_words
from wizards.flows.gallery import CardGroup, Interrupted, LastRun, Level, Outcome, Readiness, TestCard
from wizards.flows.recorded_about import RecordedAbout

Reach = Literal["", "lab", "vcenter", "ssh"]
"""What a session is connected to; empty for one that is only looked at."""

_LAB_WORKERS = 6


@dataclass(frozen=True, slots=True)
class Connected:
    """What tests can act on: how it is reached, its display name, and how many workers are known (None: not
    yet).
    """

    reach: Reach
    name: str = ""
    workers: int | None = None


def card_groups(
    tests: GuidedTests,
    connected: Connected,
    runs: Sequence[TestRun],
    live: str = "",
    recorded: RecordedAbout | None = None,
    least_s: float = 0.0,
    journal: Sequence[JournalEntry] = (),
) -> list[CardGroup]:
    """Return the cards of all tests and analyses, in groups in the order of their first.

    ``live`` is the id of the run that goes on now; others without an end were interrupted. ``recorded`` is
    what an analysis can look at (None without a session), of which it needs ``least_s`` seconds. ``journal``
    has the changes of all runs.
    """
    groups: dict[str, list[TestCard]] = {}
    last = {run.test: run for run in runs if run.id != live}
    running = {run.test: run for run in runs if run.id == live}
    for test in tests.cards:
        if isinstance(test, Analysis):
            card = _analysis_card(test, recorded, least_s)
        else:
            card = _card(test, connected, last.get(test.id), running.get(test.id), journal)
        groups.setdefault(test.group, []).append(card)
    return [CardGroup(question, tuple(cards), _hint(cards)) for question, cards in groups.items()]


def interrupted(
    tests: GuidedTests,
    runs: Sequence[TestRun],
    journal: Sequence[JournalEntry],
    live: str,
    day: Callable[[int], str],
) -> Interrupted | None:
    """Return the newest run that did not put everything back; ``live`` is the run that goes on now.

    ``day`` returns a time (ms) as the page writes it.
    """
    for run in reversed(runs):
        own = [one for one in journal if one.run == run.id]
        left = [one for one in own if one.is_open]
        if run.id == live or (run.end is not None and not left):
            continue
        test = tests.tests.get(run.test)
        title = test.title if test is not None else shown(run.test, 60)
        if run.end is not None:
            text = f"{day(run.end)}, {left_words(count_changes(own))}."
            is_whole = all(one.state in ("done", "skipped") for one in run.phases[:-1])
            title = f"{title} has ended, and left changes behind"
            return Interrupted(run.id, title, text, not is_whole, has_ended=True)
        at = next(
            (n for n, one in enumerate(run.phases) if one.state in ("running", "planned")), len(run.phases)
        )
        count = count_changes(left).all
        changes = f"{count} changes are" if count != 1 else "1 change is"
        undone = f"{changes} not undone." if left else "Every change is undone."
        where = f"phase {min(at + 1, len(run.phases))} of {len(run.phases)}. " if run.phases else ""
        return Interrupted(run.id, f"{title} was interrupted", f"{day(run.start)}, {where}{undone}")
    return None


def levels_of(test: GuidedTest) -> tuple[Level, ...]:
    """Return the safety classes of a test, the highest last."""
    return tuple(cast("Level", int(badge[1:])) for badge in test.badges)


def seconds_of(test: GuidedTest, length: Length, workers: int) -> float:
    """Return about how long a test takes in a length, filling of disks not counted."""
    of = test.lengths[length]
    values = {name: one.default for name, one in test.inputs.items()} | dict(of.inputs)
    total = 0.0
    for step in test.step:
        if step.kind == "fill" or not step.is_wanted(values):
            continue
        times = _repeats(step, values, workers) * (of.rounds if step.in_rounds else 1)
        total += times * ((of.warm_up_s + of.measure_s) * step.longer + of.settle_s)
    return total


def outcome_of(run: TestRun, journal: Sequence[JournalEntry]) -> Outcome:
    """Return what a run that ended came to; ``journal`` has its changes, among others."""
    count = count_of_run(run.id, journal)
    if count.still:
        return "bad" if count.open else "doubtful"
    if run.valid is None:
        return "doubtful"
    return "good" if run.valid else "undecided"


def result_words(run: TestRun, journal: Sequence[JournalEntry]) -> str:
    """Return what a run that does not go on came to; before that, what it left changed."""
    result = "was interrupted" if run.end is None else run.verdict or run.why or "ended without a verdict"
    left = left_words(count_of_run(run.id, journal))
    return f"{left}; {result}" if left else result


def _card(
    test: GuidedTest,
    connected: Connected,
    last: TestRun | None,
    running: TestRun | None,
    journal: Sequence[JournalEntry],
) -> TestCard:
    readiness, here = _here(test, connected)
    phase, result = "", None
    if last is not None:
        result = LastRun(outcome_of(last, journal), result_words(last, journal), last.start, last.id)
    if running is not None:
        phase = next((one.name for one in running.phases if one.state == "running"), "preparing")
    return TestCard(
        test.id,
        test.title,
        test.question,
        levels_of(test),
        _cost(test, connected),
        test.risk,
        readiness,
        here,
        result,
        phase,
        _button(connected.reach, readiness),
    )


def _button(reach: Reach, readiness: Readiness) -> str:
    return "Run" if readiness == "ready" and reach == "lab" else "Set up…"


def _hint(cards: Sequence[TestCard]) -> str:
    reads_only = sum(one.level == 0 for one in cards)
    return "start with the one that only reads" if reads_only == 1 and len(cards) > 1 else ""


def _analysis_card(test: Analysis, recorded: RecordedAbout | None, least_s: float) -> TestCard:
    readiness, here = _to_look_at(recorded, least_s)
    return TestCard(
        test.id, test.title, test.question, (0,), test.cost, test.risk, readiness, here, button="Look"
    )


def _to_look_at(recorded: RecordedAbout | None, least_s: float) -> tuple[Readiness, str]:
    if recorded is None:
        return "impossible", "Open or record a session to look at"
    if recorded.hosts < 2:
        return "impossible", "Not here: needs the recorded VMs of two hosts"
    if not recorded.vms:
        return "impossible", "Not here: no CPU counters of VMs were recorded"
    if recorded.seconds < least_s:
        return "missing", f"Needs {format_duration(least_s)}: {format_duration(recorded.seconds)} recorded"
    return "ready", recorded.text


def _cost(test: GuidedTest, connected: Connected) -> str:
    workers = connected.workers or _LAB_WORKERS
    if connected.reach == "lab":
        time = format_duration(seconds_of(test, "lab", workers))
        return f"{time}{' and filling' if _fills(test) else ''}: about a minute in the lab"
    full, quick = (format_duration(seconds_of(test, length, workers)) for length in ("full", "quick"))
    writes = "" if "D3" in test.badges else " · nothing written"  # the badge says what else is written
    return f"{full}, quick {quick}{', and filling' if _fills(test) else ''}{writes}"


def _fills(test: GuidedTest) -> bool:
    """Return True if disks are filled before the load, which takes as long as they are large."""
    values = {name: one.default for name, one in test.inputs.items()}
    return any(step.kind == "fill" and step.is_wanted(values) for step in test.step)


def _here(test: GuidedTest, connected: Connected) -> tuple[Readiness, str]:
    if not connected.reach and "ssh" in test.environments:
        return "missing", "Connect, or name guests over ssh"
    if not connected.reach:
        return "impossible", "Connect a vCenter, or try the lab, to run it"
    if connected.reach not in test.environments:
        return "impossible", f"Not here: needs {test.environments_text}"
    if connected.workers is not None and connected.workers < test.workers_least:
        return "missing", f"Needs {test.workers_least} workers: {connected.workers} ready"
    if connected.reach == "lab":
        return "ready", f"{connected.name}: simulated VMs, nothing real is touched"
    return "ready", f"{shown(connected.name, 60)}: choose VMs, log in to them"


def _repeats(step: TestStep, values: Mapping[str, object], workers: int) -> int:
    if step.each in ("worker", "worker count"):
        return workers
    found = values.get(step.each)
    return len(found) if isinstance(found, Sequence) and not isinstance(found, str) else 1
