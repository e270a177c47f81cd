"""The one esxtop repairer gives the same whatever batches rows come in, as numbers and as hundredths."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from collectors.esxtop_names import (
    ColumnPath,
    EsxtopRepairs,
    FillRun,
    HostColumns,
    ZeroFillRuns,
    columns_by_host,
)
from resources.catalogue import load_catalogue
from sessions.model import FloatArray, IntArray
from sessions.store import numbers_of
from tests.esxtop.captures import DEVICE, HOST, group_columns, world_columns

PATHS = [
    *group_columns(HOST, 8, "helper", vm=False),
    *world_columns(HOST, 8, "helper", 81, "HELPER_QUEUE"),
    *(
        ColumnPath(HOST, "Group Memory", "8:helper", counter)
        for counter in ("Memory Size MBytes", "Swapped MBytes")
    ),
    *(ColumnPath(HOST, "Physical Disk SCSI Device", "naa.600", counter) for counter in DEVICE),
]
LAYOUT: HostColumns = columns_by_host(PATHS, load_catalogue())[0]


@st.composite
def samples(draw: st.DrawFn) -> tuple[IntArray, FloatArray, list[int]]:
    """Times, rows of small hundredths with many zeros, and where they are cut into batches."""
    rows = draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    whole = rng.integers(-1, 4, (rows, len(LAYOUT.specs))) * rng.integers(0, 2, (rows, 1))
    times = np.cumsum(rng.choice([0, 1000, 5000], rows)).astype(np.int64)
    cuts = draw(st.sets(st.integers(1, rows)))
    return times, whole / 100, sorted({0, rows, *cuts})


def repaired(
    times: IntArray, rows: FloatArray, cuts: list[int], *, hundredths: bool
) -> tuple[FloatArray, list[FillRun], bool]:
    """Values, zero-filled runs and whether the first row had no I/O, of rows that come in batches."""
    repairs, runs = EsxtopRepairs(LAYOUT.repairs), ZeroFillRuns(LAYOUT.repairs)
    values, without_io = [], False
    for begin, end in pairwise(cuts):
        some = rows[begin:end].copy()
        batch = np.rint(some * 100).astype(np.int32) if hundredths else some
        done = repairs.repair(times[begin:end], batch, first=None if begin else 0)
        runs.add(times[begin:end], done.filled)
        without_io |= done.without_io
        numbers = numbers_of(batch).copy()
        numbers[:, LAYOUT.cumulative] = done.rates
        values.append(numbers)
    return np.concatenate(values), list(runs.runs()), without_io


@settings(max_examples=200, deadline=None)
@given(samples())
def test_batches_make_no_difference(case: tuple[IntArray, FloatArray, list[int]]) -> None:
    times, rows, cuts = case
    at_once, runs, without_io = repaired(times, rows, [0, len(rows)], hundredths=False)
    for hundredths in (False, True):
        for batches in (cuts, list(range(len(rows) + 1)), [0, len(rows)]):
            values, found, first = repaired(times, rows, batches, hundredths=hundredths)
            np.testing.assert_array_equal(values, at_once)
            assert found == runs
            assert first == without_io


def test_a_live_host_is_repaired_row_by_row() -> None:
    columns = {(spec.entity.kind, spec.counter): at for at, spec in enumerate(LAYOUT.specs)}
    rows = np.full((4, len(LAYOUT.specs)), 2.0)
    rows[0, LAYOUT.io] = 0.0
    rows[1:, columns["device", "vaai.ats"]] = 100, 150, 20
    rows[2, : len(PATHS) - len(DEVICE)] = 0.0
    times = np.array([0, 5000, 10_000, 15_000])
    values, runs, without_io = repaired(times, rows, [0, 1, 2, 3, 4], hundredths=False)
    assert without_io
    assert np.isnan(values[0, LAYOUT.io]).all()
    np.testing.assert_array_equal(values[:, columns["device", "vaai.ats"]], [np.nan, np.nan, 10, np.nan])
    assert np.isnan(values[2, : len(PATHS) - len(DEVICE)]).all()
    assert [(run.first_row, run.last_row, run.start) for run in runs] == [(2, 2, 10_000)]
