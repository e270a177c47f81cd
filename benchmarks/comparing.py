"""Compare beside a naive Mann–Whitney test and a block bootstrap: false alarms, changes found, time.

A-A are two windows between which nothing was changed: whatever is called different there is a false alarm.
The naive test takes each sample for an independent one.
"""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan
from pathlib import Path

import numpy as np

from benchmarks.big_session import big_session
from benchmarks.captures import REAL
from benchmarks.measure import Row
from diagnosis.comparison import Choice, Side, compare
from diagnosis.comparison.measuring import samples_of
from diagnosis.comparison.verdicts import Differences
from diagnosis.statistics.false_discovery import corrected
from diagnosis.statistics.student_arrays import two_sided_chance
from resources.catalogue import Catalogue, load_catalogue
from resources.comparison_rules import ComparisonRules, load_comparison_rules
from resources.problem_cards import Problems, load_problems
from sessions.model import Entity, EntityRef, FloatArray, IntArray, SeriesSpec, SourceSpec
from sessions.store import SessionReader
from sessions.times import TimeRange
from tests.sessions.memory_session import MemorySession
from viewmodels.comparison_page import comparison_page

RATE = 0.05
MOST_BEFORE, MOST_AFTER = 5.0, 1.0
LEAST_FOUND = 90.0
RESAMPLES = 200
SEEDS = 10
STEP_MS = 5000
REAL_WINDOW = 120  # samples, ten minutes of a real capture
VARYING = 2000  # series of the lab that are read for the naive test


@dataclass(frozen=True)
class Alarms:
    """The part of series, in percent, that is called different: before and after the correction.

    ``alone`` is before the correction and however small the difference is; NaN for a test without margins.
    """

    before: float
    after: float
    alone: float = nan

    def __str__(self) -> str:
        text = f"{self.before:.1f} % / {self.after:.2f} %"
        return text if isnan(self.alone) else f"{text} (without margins {self.alone:.1f} %)"


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Measure false alarms, injected changes and time."""
    series = 300 if quick else 2000
    rows = [alarms_of_noise(phi, series // 5) for phi in (0.0, 0.5, 0.9)]
    rows += [
        injected(phi, spread, series) for phi, spread in ((0.0, 0.1), (0.5, 0.1), (0.8, 0.1), (0.9, 0.05))
    ]
    if quick:
        rows.append(alarms_of_lab(big_session(cache, hours=1), minutes=15, pairs=3))
    else:
        rows += [alarms_of_lab(big_session(cache, hours=24), minutes, 12) for minutes in (15, 30, 240)]
    rows += list(alarms_of_real())
    return [*rows, speed(cache, hours=1 if quick else 24), speed_of_demo(cache)]


# ---------------------------------------------------------------- false alarms


def alarms_of_noise(phi: float, series: int) -> Row:
    """Autocorrelated noise without any change, half an hour against half an hour.

    Of 500 series a rate of 5 % scatters by a point: SEEDS times as many tell whether it is more.
    """
    found = []
    for seed in range(7, 7 + SEEDS):
        values = 100.0 * noise(series, 720, phi, seed)  # so that the counter's margin hides nothing
        half = values.shape[1] // 2
        sides = values[:, :half], values[:, half:]
        found.append((ours_of(values)[0], naive_alarms(*sides), bootstrap_alarms(*sides)))
    ours, naive, bootstrap = (_mean(alarms) for alarms in zip(*found, strict=True))
    what = f"A-A: AR(1) {phi:g}, {series * SEEDS:,} series × 2 × 30 min"
    return _row(what, ours, f"{naive}; block bootstrap {bootstrap}", naive)


def alarms_of_lab(path: Path, minutes: float, pairs: int) -> Row:
    """The lab's healthy cluster: pairs of neighbouring windows, spread over the session."""
    ours, naive, varying = [], [], 0
    with SessionReader.open(path) as reader:
        span = reader.span()
        assert span is not None
        length = round(minutes * 60_000)
        for number in range(pairs):
            start = span.start + round((span.end - span.start - 2 * length) * number / max(1, pairs - 1))
            middle = start + length
            sides = (
                Side(reader, TimeRange(start, middle - 1)),
                Side(reader, TimeRange(middle, middle + length - 1)),
            )
            found = compare(*sides, Choice(), _knowledge())
            of, (a, b) = found.differences, found.means
            moving = np.flatnonzero((a.spread > 0) | (b.spread > 0))
            varying += moving.size
            ours.append(_alarms(of, moving))
            some = [found.pairs[at] for at in moving[:: max(1, pairs * moving.size // VARYING)].tolist()]
            naive.append(
                naive_alarms(
                    [_present(sides[0], pair.a.id) for pair in some],
                    [_present(sides[1], pair.b.id) for pair in some],
                )
            )
    other = _mean(naive)
    what = f"A-A: lab, {varying // pairs:,} varying series × 2 × {minutes:g} min, {pairs} pairs"
    return _row(what, _mean(ours), str(other), other)


def _mean(alarms: Sequence[Alarms]) -> Alarms:
    before, after, alone = ([getattr(one, name) for one in alarms] for name in ("before", "after", "alone"))
    return Alarms(float(np.mean(before)), float(np.mean(after)), float(np.mean(alone)))


def _alarms(of: Differences, index: IntArray) -> Alarms:
    is_rare = of.chance[index] <= RATE
    is_far = np.abs(of.difference[index]) > of.margin[index]
    return Alarms(_percent(is_rare & is_far), _percent(of.verdict[index] < 2), _percent(is_rare))


def alarms_of_real() -> Iterator[Row]:
    """Real captures, where they are at hand: neighbouring windows of each series.

    Nobody says that nothing changed in them: the esxtop one has a burst of real load, 45 % of a PCPU instead
    of 27, for ten minutes; both columns that tell of that PCPU are called different there.
    """
    capture = REAL / "esxtop-resaved-by-excel.csv"
    if capture.exists():
        with capture.open(newline="") as file:
            cells = [row[1:] for row in csv.reader(file)][1:]
        width = min(map(len, cells))
        table = np.array([[float(cell or "nan") for cell in row[:width]] for row in cells]).T
        windows = table.shape[1] // (2 * REAL_WINDOW)
        pairs = [table[:, at * 2 * REAL_WINDOW : (at + 1) * 2 * REAL_WINDOW] for at in range(windows)]
        yield _alarms_row(
            f"A-A: real esxtop capture, {width} columns × {windows} pairs", np.concatenate(pairs)
        )
    metrics = REAL / "vcsim_vpx_metricData.json"
    if metrics.exists():
        kinds = json.loads(metrics.read_text())["data"]
        rows = [row for kind in kinds.values() for row in kind.values() if len(row) == 100]
        steady = [row for row in rows if len(set(row)) > 1 and any(np.diff(row) < 0)]  # no count since boot
        yield _alarms_row(
            f"A-A: real vCenter metrics, {len(steady)} × 2 × 50 samples", np.array(steady, np.float64)
        )


def _alarms_row(what: str, values: FloatArray) -> Row:
    half = values.shape[1] // 2
    naive = naive_alarms(values[:, :half], values[:, half:])
    bootstrap = bootstrap_alarms(values[:, :half], values[:, half:])
    return _row(what, ours_of(values)[0], f"{naive}; block bootstrap {bootstrap}", naive)


def _row(what: str, ours: Alarms, beside: str, naive: Alarms) -> Row:
    return Row(
        f"{what}: called different before / after correction",
        str(ours),
        f"Mann–Whitney {beside}",
        f"{naive.after / ours.after:.0f}×" if ours.after else "none here",
        f"≤ {MOST_BEFORE:g} % / {MOST_AFTER:g} %",
        ours.before <= MOST_BEFORE and ours.after <= MOST_AFTER,
    )


# ---------------------------------------------------------------- injected changes


def injected(phi: float, spread: float, series: int) -> Row:
    """A tenth of the series rise by 10 % after half of two hours; ``spread`` by their mean is their noise."""
    values = 50.0 * (1 + spread * noise(series, 1440, phi, seed=11))
    changed = np.arange(series) < series // 10
    values[changed, 720:] *= 1.1
    _, higher = ours_of(values)
    other = corrected(mann_whitney(values[:, :720], values[:, 720:])) <= RATE
    found, found_naively = _percent(higher[changed]), _percent(other[changed])
    wrong, wrong_naively = _percent(higher[~changed]), _percent(other[~changed])
    return Row(
        f"+10 % in {changed.sum():,} of {series:,} series, AR(1) {phi:g}, noise {spread:.0%}: found / false",
        f"{found:.0f} % / {wrong:.2f} %",
        f"Mann–Whitney {found_naively:.0f} % / {wrong_naively:.1f} %",
        f"{wrong_naively / wrong:.0f}× fewer false" if wrong else "none false",
        f"≥ {LEAST_FOUND:g} % / ≤ {MOST_AFTER:g} %",
        found >= LEAST_FOUND and wrong <= MOST_AFTER,
    )


def ours_of(values: FloatArray) -> tuple[Alarms, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Compare halves as ``hyperscope compare`` does; returns alarms, and which series were called higher."""
    ref = EntityRef("host", "esx01")
    session = MemorySession()
    specs = [SeriesSpec(ref, "cpu.switches", "/s", str(at)) for at in range(len(values))]
    times = np.arange(values.shape[1], dtype=np.int64) * STEP_MS
    source = SourceSpec("esxtop", "esx01", STEP_MS / 1000)
    session.add_source(source, times, specs, values.T, entities=[Entity(ref, "esx01")])
    middle = int(times[values.shape[1] // 2])
    sides = Side(session, TimeRange(0, middle - 1)), Side(session, TimeRange(middle, int(times[-1])))
    found = compare(*sides, Choice(), _knowledge())
    of = found.differences
    places = [int(pair.a.spec.instance) for pair in found.pairs]
    higher = np.zeros(len(values), np.bool_)
    higher[places] = of.verdict == 0
    return _alarms(of, np.arange(of.chance.size)), higher


# ---------------------------------------------------------------- the peers


def naive_alarms(a: Sequence[FloatArray] | FloatArray, b: Sequence[FloatArray] | FloatArray) -> Alarms:
    """What Mann–Whitney calls different at 5 %, before and after the same correction."""
    chances = mann_whitney(a, b)
    return Alarms(_percent(chances <= RATE), _percent(corrected(chances) <= RATE))


def mann_whitney(a: Sequence[FloatArray] | FloatArray, b: Sequence[FloatArray] | FloatArray) -> FloatArray:
    """Two-sided probabilities by the normal approximation, corrected for ties; 1 where all samples are
    equal.
    """
    return np.array([_mann_whitney(first, second) for first, second in zip(a, b, strict=True)])


def _mann_whitney(a: FloatArray, b: FloatArray) -> float:
    a, b = a[~np.isnan(a)], b[~np.isnan(b)]
    both = np.concatenate([a, b])
    ordered, inverse, counts = np.unique(both, return_inverse=True, return_counts=True)
    n = both.size
    if ordered.size < 2 or not a.size or not b.size:
        return 1.0
    middle = np.cumsum(counts) - (counts - 1) / 2
    u = middle[inverse[: a.size]].sum() - a.size * (a.size + 1) / 2
    ties = float((counts.astype(np.float64) ** 3 - counts).sum()) / (n * (n - 1))
    spread = np.sqrt(a.size * b.size / 12 * (n + 1 - ties))
    z = abs(u - a.size * b.size / 2) / spread
    return float(two_sided_chance(np.array([z]), np.array([1e8]))[0])


def bootstrap_alarms(a: FloatArray, b: FloatArray) -> Alarms:
    """What a moving block bootstrap of the means calls different; blocks of twice the cube root of n
    samples.
    """
    errors = [_bootstrap_variance(one, seed) for seed, one in enumerate((a, b))]
    error = np.sqrt(errors[0] + errors[1])
    difference = np.nanmean(b, axis=1) - np.nanmean(a, axis=1)
    t = np.where(error > 0, np.abs(difference) / np.where(error > 0, error, 1.0), 0.0)
    chances = two_sided_chance(t, np.full(t.size, 1e8))
    return Alarms(_percent(chances <= RATE), _percent(corrected(chances) <= RATE))


def _bootstrap_variance(values: FloatArray, seed: int) -> FloatArray:
    n = values.shape[1]
    block = max(2, round(2 * n ** (1 / 3)))
    random = np.random.default_rng(seed)
    means = np.empty((RESAMPLES, len(values)))
    for at in range(RESAMPLES):
        starts = random.integers(0, n - block + 1, -(-n // block))
        chosen = (starts[:, None] + np.arange(block)).ravel()[:n]
        means[at] = np.nanmean(values[:, chosen], axis=1)
    variance: FloatArray = means.var(axis=0, ddof=1)
    return variance


# ---------------------------------------------------------------- time


def speed(cache: Path, *, hours: int) -> Row:
    """The two halves of a day of 20,000 series, percentiles of the twenty rows that are shown included."""
    with SessionReader.open(big_session(cache, hours=hours, scenario="demo")) as reader:
        span = reader.span()
        assert span is not None
        middle = (span.start + span.end) // 2
        sides = Side(reader, TimeRange(span.start, middle)), Side(reader, TimeRange(middle + 1, span.end))
        knowledge = _knowledge()
        ids = np.array([one.id for one in reader.series()], np.int64)

        def once() -> None:
            list(compare(*sides, Choice(), knowledge).rows(range(20)))

        seconds = cpu_seconds(once)
        begin = time.process_time()
        for first in range(0, ids.size, 500):
            reader.read(ids[first : first + 500])
        whole = time.process_time() - begin
    return Row(
        f"comparing the halves of {ids.size:,} series × {hours} h, CPU",
        f"{seconds:.2f} s",
        f"reading every sample once {whole:.1f} s",
        f"{whole / seconds:.1f}×",
        "≤ 1 s",
        seconds <= 1,
    )


def speed_of_demo(cache: Path) -> Row:
    """What the Compare page computes before its first row: twenty minutes of the demo against the rest."""
    with SessionReader.open(big_session(cache, hours=0.75, scenario="demo", hosts=4)) as reader:
        span = reader.span()
        assert span is not None
        middle = span.start + 20 * 60_000
        sides = Side(reader, TimeRange(span.start, middle)), Side(reader, TimeRange(middle + 1, span.end))
        catalogue, problems, rules = _knowledge()

        def once() -> None:
            comparison_page(compare(*sides, Choice(), (catalogue, problems, rules)), catalogue)

        seconds, series = cpu_seconds(once), len(reader.series())
    return Row(
        f"the Compare page's rows of the demo, {series:,} series × 45 min, CPU",
        f"{seconds:.2f} s",
        "–",
        "–",
        "≤ 1 s",
        seconds <= 1,
    )


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the least CPU time of three runs, in seconds: it does not depend on what else runs."""
    taken = []
    for _ in range(3):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return min(taken)


def noise(series: int, samples: int, phi: float, seed: int) -> FloatArray:
    """AR(1) of mean 0 and standard deviation 1; shape (series, samples)."""
    random = np.random.default_rng(seed).normal(size=(series, samples + 200))
    values = random.copy()
    for at in range(1, samples + 200):
        values[:, at] = phi * values[:, at - 1] + random[:, at] * np.sqrt(1 - phi * phi)
    return values[:, 200:]


def _knowledge() -> tuple[Catalogue, Problems, ComparisonRules]:
    catalogue = load_catalogue()
    return catalogue, load_problems(), load_comparison_rules(catalogue)


def _present(side: Side, series: int) -> FloatArray:
    _, (values,) = samples_of(side, np.array([series], np.int64))
    present: FloatArray = values[~np.isnan(values)]
    return present


def _percent(chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
    return 100.0 * float(chosen.mean()) if chosen.size else 0.0
