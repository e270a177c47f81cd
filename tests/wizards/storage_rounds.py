"""Rounds of sweeps and of pairs on a storage, and what stands in the verdicts on them."""

from __future__ import annotations

from resources.study_numbers import load_studies
from tests.wizards.rounds_of_tests import Storage
from wizards.flows.measured import Measured, Round
from wizards.flows.verdict import Verdict

STUDIES = load_studies()
VMS = ("vm1", "vm2")
DEPTHS = {1: 2000.0, 2: 3900.0, 4: 7200.0, 8: 10_000.0, 16: 10_200.0, 32: 10_300.0}


def value(verdict: Verdict, name: str, of: str = "all") -> float:
    return next(
        one.value for one in verdict.figures if (one.name, one.of) == (name, of) and one.value is not None
    )


def condition(verdict: Verdict, name: str) -> bool | None:
    return next(one.holds for one in verdict.conditions if one.name == name)


def sweep(
    rounds: int = 3,
    word: str = "depth",
    curve: dict[int, float] | None = None,
    little: float = 1.0,
    noise: float = 0.01,
) -> Measured:
    storage = Storage(noise=noise)
    found = []
    for number in range(1, rounds + 1):
        for setting, iops in (curve or DEPTHS).items():
            each = iops / 2
            found.append(
                storage.measure(
                    f"{word} {setting}",
                    number,
                    dict.fromkeys(VMS, each),
                    latency_ms=setting / each * 1000,
                    setting=float(setting),
                    outstanding=setting * little,
                    block=setting if word == "block" else 4096,
                )
            )
    return Measured(tuple(found), 2)


def pair(steps: tuple[str, str], levels: tuple[float, float], rounds: int = 4, **options: float) -> Measured:
    storage = Storage(seed=3)
    found: list[Round] = []
    for number in range(1, rounds + 1):
        for step in steps if number % 2 else reversed(steps):
            iops = levels[steps.index(step)]
            found.append(
                storage.measure(
                    step, number, dict.fromkeys(VMS, iops / 2), latency_ms=64_000 / iops, reads=0.7
                )
            )
    return Measured(tuple(found), 2, dict(options))


def density(latencies: dict[int, float], rounds: int = 3) -> Measured:
    storage = Storage(seed=7)
    found = []
    for number in range(1, rounds + 1):
        found.append(storage.measure("baseline 1", number, {"vm1": 360.0}, latency_ms=1.68, setting=1.0))
        for count, ms in latencies.items():
            load = {f"vm{one}": 360.0 for one in range(1, count + 1)}
            found.append(
                storage.measure(f"accelerated {count}", number, load, latency_ms=ms, setting=float(count))
            )
    return Measured(tuple(found), max(latencies))
