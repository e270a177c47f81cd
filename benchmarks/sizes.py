"""Bytes a sample of a session, beside gzipped CSV and Parquet with zstd of the same numbers."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pandas as pd

from benchmarks.captures import REAL, lab_capture
from benchmarks.measure import Row, run, size_of
from sessions.store import SessionReader


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Measure the lab's capture, and real captures where the machine has some."""
    rows = compare("the lab's capture", lab_capture(cache, megabytes=30 if quick else 300), cache, goal=0.8)
    for name in ("esxtop-batch-default.csv", "esxtop-resaved-by-excel.csv"):
        if (REAL / name).exists():
            rows += compare(name, REAL / name, cache, goal=None)
    return rows


def compare(title: str, capture: Path, cache: Path, *, goal: float | None) -> list[Row]:
    """Store one capture as a session, as .csv.gz and as Parquet, and compare bytes a sample with ``goal``."""
    session, packed, parquet = (cache / name for name in ("size.hscope", "size.csv.gz", "size.parquet"))
    for path in (session, packed, parquet):
        path.unlink(missing_ok=True)
    run(["-m", "app", "import", str(capture), "-o", str(session)], watch=False)
    with capture.open("rb") as source, gzip.open(packed, "wb", compresslevel=6) as out:
        shutil.copyfileobj(source, out)
    pd.read_csv(capture, low_memory=False).to_parquet(parquet, compression="zstd")
    with SessionReader.open(session) as reader:
        samples = sum(source.samples for source in reader.sources())
    own = size_of(session) / samples
    rows = []
    for peer_name, path in (("gzip CSV", packed), ("Parquet+zstd", parquet)):
        peer = size_of(path) / samples
        rows.append(
            Row(
                what=f"{title} ({samples:,} samples)",
                here=f"{own:.3f} bytes a sample",
                peer=f"{peer_name} {peer:.3f}",
                ratio=f"{own / peer:.2f}×",
                goal="≤ 1/2" + (f", ≤ {goal} bytes" if goal else ""),
                holds=own / peer <= 0.5 and (goal is None or own <= goal),
            )
        )
    return rows
