"""A-A tests on real fio: how often equal rounds are called different, and injected differences are found.

Rounds are short (0.3 s), since 200 tests of three pairs take 1,200 of them. Beside it stands what many
scripts do: a t-test that takes every sample within the rounds for independent.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np

from benchmarks.measure import Row
from diagnosis.statistics.power import power_of, rounds_to_tell
from diagnosis.statistics.ratio import RatioLimits, noise_floor, ratio_of_pairs, scatter_of
from diagnosis.statistics.student import two_sided
from resources.study_numbers import load_studies
from sessions.model import FloatArray

_PAIRS = 3
_BYTES = 64 << 20
_JOB = """[global]
ioengine={engine}
direct={direct}
thread=1
rw=randread
bs=4k
iodepth=8
norandommap=1
time_based=1
runtime=300ms
write_iops_log=noise
log_avg_msec=20
[disk]
filename=disk.img
"""


@dataclass(frozen=True, slots=True)
class MeasuredRound:
    """The IOPS of a round, and those of its samples of 20 ms."""

    iops: float
    samples: FloatArray


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Measure rounds of one and the same job, and judge them as if they were of two settings."""
    if shutil.which("fio") is None:
        return []
    tests = 5 if quick else 200
    judging = load_studies().judging
    limits = RatioLimits(judging.confidence.value, judging.floor_confidence.value)
    rounds = measured_rounds(cache, tests * 2 * _PAIRS)
    groups = [rounds[at : at + 2 * _PAIRS] for at in range(0, len(rounds), 2 * _PAIRS)]
    declared = sum(is_declared(*abba(group), limits) for group in groups)
    naive = sum(is_declared_by_samples(*abba(group)) for group in groups)
    rows = [
        Row(
            what=f"A-A on real fio, {tests} tests of {_PAIRS} + {_PAIRS} rounds: a difference is declared",
            here=f"{declared} ({100 * declared / tests:.1f} %)",
            peer=f"t-test over all samples {naive} ({100 * naive / tests:.1f} %)",
            ratio="–",
            goal="≤ 5 %",
            holds=declared <= 0.05 * tests,
        )
    ]
    return rows + [
        row for change in (5.0, 10.0) if (row := found_row(rounds, change, limits, judging.power.value))
    ]


def found_row(
    rounds: Sequence[MeasuredRound], change: float, limits: RatioLimits, power: float
) -> Row | None:
    """Return how often a change that is put on the B rounds is found, with as many rounds as the plan says.

    The plan knows the scatter of neighbouring rounds, as an A-A run before the test gives it.
    """
    levels = [one.iops for one in rounds]
    scatter = scatter_of([levels[at : at + 2] for at in range(0, len(levels) - 1, 2)])
    needed = rounds_to_tell(change, scatter, power, limits, at_most=100)
    what = f"{change:.0f} % put on B; rounds scatter by {100 * scatter:.1f} %"
    if needed is None or len(rounds) < 2 * needed:
        least = f"{needed} + {needed}" if needed is not None else "over 100 + 100"
        return Row(
            what, f"needs {least} rounds, {len(rounds)} were measured", "–", "–", "as promised", holds=False
        )
    groups = [rounds[at : at + 2 * needed] for at in range(0, len(rounds) - 2 * needed + 1, 2 * needed)]
    floor = noise_floor(scatter, len(rounds), needed, limits)
    found = 0
    for group in groups:
        a, b = abba(group)
        levels_of_b = [one.iops * (1 + change / 100) for one in b]
        found += ratio_of_pairs([one.iops for one in a], levels_of_b, limits, floor).difference == "higher"
    promised, share = power_of(needed, scatter, change, limits), found / len(groups)
    chance = 2 * sqrt(promised * (1 - promised) / len(groups))
    return Row(
        what=f"{what}, {needed} + {needed} rounds",
        here=f"found in {100 * share:.0f} % of {len(groups)} tests",
        peer=f"promised {100 * promised:.0f} %",
        ratio=f"{share / promised:.2f}×",
        goal="as promised, within two standard errors",
        holds=share >= promised - chance,
    )


def abba(group: Sequence[MeasuredRound]) -> tuple[list[MeasuredRound], list[MeasuredRound]]:
    """Return the rounds of A and of B, measured in the order A B B A A B …"""
    a = [one for at, one in enumerate(group) if at % 4 in (0, 3)]
    return a, [one for at, one in enumerate(group) if at % 4 in (1, 2)]


def is_declared(a: Sequence[MeasuredRound], b: Sequence[MeasuredRound], limits: RatioLimits) -> bool:
    """Return True if our rule sees a difference."""
    ratio = ratio_of_pairs([one.iops for one in a], [one.iops for one in b], limits)
    return ratio.difference in ("higher", "lower")


def is_declared_by_samples(a: Sequence[MeasuredRound], b: Sequence[MeasuredRound]) -> bool:
    """Return True if a t-test sees one that takes every sample for independent."""
    first, last = (np.concatenate([one.samples for one in side]) for side in (a, b))
    if min(first.size, last.size) < 2:
        return False
    error = sqrt(first.var(ddof=1) / first.size + last.var(ddof=1) / last.size)
    return bool(abs(first.mean() - last.mean()) > two_sided(0.95, first.size + last.size - 2) * error)


def measured_rounds(cache: Path, count: int) -> list[MeasuredRound]:
    """Run fio so many times on a file of the cache's disk."""
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        place = Path(folder)
        (place / "disk.img").write_bytes(np.random.default_rng(1).bytes(_BYTES))
        job = _JOB.format(engine="libaio", direct=1)
        try:
            one_round(place, job)
        except subprocess.CalledProcessError:
            job = _JOB.format(engine="psync", direct=0)  # a disk or system without direct I/O
        return [one_round(place, job) for _ in range(count)]


def one_round(place: Path, job: str) -> MeasuredRound:
    """Run the job once."""
    (place / "job.fio").write_text(job, encoding="utf-8")
    for log in place.glob("noise_*.log"):
        log.unlink()
    subprocess.run(
        ["fio", "--output=out.json", "--output-format=json", "job.fio"],
        cwd=place,
        check=True,
        capture_output=True,
    )
    (log,) = place.glob("noise_iops*.log")
    samples = np.loadtxt(log, delimiter=",", dtype=np.float64, usecols=1, ndmin=1)
    return MeasuredRound(float(samples.mean()), samples)
