"""Input files of the benchmarks: esxtop captures, made once from the lab and kept in the cache folder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from collectors.esxtop_names import ColumnPath, format_path
from lab import Lab, export_lab, load_scenarios

REAL = Path(__file__).resolve().parents[2] / "shared" / "data"


def lab_capture(cache: Path, *, megabytes: int) -> Path:
    """Return the path of a capture of two lab hosts with all esxtop
    fields: some 20,000 columns, ``megabytes`` MB.
    """
    path = cache / f"lab-{megabytes}.csv"
    if path.exists():
        return path
    scenario = load_scenarios()["healthy-normal"]
    probe = cache / "probe.csv"
    sizes = []
    for rows in (2, 12):
        probe.unlink(missing_ok=True)
        lab = Lab(scenario, seed=7, fields="all")
        export_lab(lab, probe, hosts=lab.hosts[:2], duration_s=rows * 5)
        sizes.append(probe.stat().st_size)
    probe.unlink()
    row = (sizes[1] - sizes[0]) / 10
    rows = max(20, int((megabytes * 1e6 - sizes[0]) / row))
    lab = Lab(scenario, seed=7, fields="all")
    export_lab(lab, path, hosts=lab.hosts[:2], duration_s=rows * 5)
    return path


Values = Literal["noise", "drift"]
"""Values that don't repeat: evenly spread from 0.00 to 100.00, or each a small random step from the last."""
VALUES: tuple[Values, ...] = ("noise", "drift")
DRIFT_STEP = 0.1
_COUNTERS = ("% Used", "% Run", "% System", "% Wait", "% Ready", "% Idle", "% Overlap", "% CoStop")
_HOST = "esx01.lab.local"


def unrepeating_capture(cache: Path, columns: int, rows: int, values: Values) -> Path:
    """Return the path of a capture of ``columns`` × ``rows`` values in which no column stays constant.

    The file is made once and kept in the cache folder.
    """
    path = cache / f"{values}-{columns}x{rows}.csv"
    if path.exists():
        return path
    draft = path.with_suffix(".part")
    text = np.array([f'"{whole / 100:.2f}"' for whole in range(10_001)], dtype=object)
    start = datetime(2026, 3, 9, 14, 0, tzinfo=UTC)
    with draft.open("w", encoding="ascii", newline="") as file:
        names = (f'"{format_path(path)}"' for path in _world_columns(columns))
        file.write(",".join(('"(PDH-CSV 4.0) (UTC)(0)"', *names)) + "\n")
        for row, whole in enumerate(_hundredths(columns, rows, values)):
            stamp = (start + timedelta(seconds=5 * row)).strftime('"%m/%d/%Y %H:%M:%S"')
            file.write(",".join((stamp, *text[whole].tolist())) + "\n")
    draft.replace(path)
    return path


def entropy_bytes(values: Values) -> float:
    """Return the Shannon entropy of such values, in bytes a sample: no lossless format can be smaller."""
    if values == "noise":
        return float(np.log2(10_001)) / 8
    # A normal step, rounded to hundredths (2 pi e sigma^2 under a logarithm).
    return float(np.log2(DRIFT_STEP * 100 * np.sqrt(2 * np.pi * np.e))) / 8


def _world_columns(count: int) -> list[ColumnPath]:
    return [
        ColumnPath(
            _HOST, "Vcpu", f"{at // 80}:vm{at // 80}:{10_000 + at // 8}:vmx-vcpu-{at // 8 % 10}:vm{at // 80}",
            _COUNTERS[at % 8],
        )
        for at in range(count)
    ]  # fmt: skip


def _hundredths(columns: int, rows: int, values: Values) -> Iterator[NDArray[np.int64]]:
    rng = np.random.default_rng(7)
    drifting = rng.uniform(1000, 9000, columns)
    for _ in range(rows):
        if values == "noise":
            yield rng.integers(0, 10_001, columns)
        else:
            drifting = np.clip(drifting + rng.normal(0, DRIFT_STEP * 100, columns), 0, 10_000)
            yield np.rint(drifting).astype(np.int64)
