"""Inputs of the benchmarks, made once from the lab and kept in the cache folder."""

from __future__ import annotations

from pathlib import Path

from lab import Lab, export_lab, load_scenarios

REAL = Path(__file__).resolve().parents[2] / "shared" / "data"


def lab_capture(cache: Path, *, megabytes: int) -> Path:
    """A capture of all fields of two hosts, some 20,000 columns, with as many rows as make this size."""
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
