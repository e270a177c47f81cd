"""Import end to end, beside pandas.read_csv alone on the same file; and the first rows of a big capture.

Where the processors' time goes (py-spy on all processes, captures of 240 MB, 2026-11-22):
noise: parsing 34 to 44 %, encoding 15 to 23 %, between processes 12 to 17 %, start 5 to 8 %, SQLite 5 to 7 %;
drift: encoding 32 to 42 %, parsing 18 to 24 %, between processes 13 to 20 %, start 5 to 16 %, SQLite 4 %.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.captures import VALUES, Values, entropy_bytes, lab_capture, unrepeating_capture
from benchmarks.measure import Row, Run, as_installed, megabytes, run, size_of
from resources.failures import HyperscopeError
from sessions.store import SessionReader

PANDAS = "import sys, pandas; frame = pandas.read_csv(sys.argv[1], low_memory=False); print(frame.shape)"

POLARS = "import sys, polars; frame = polars.read_csv(sys.argv[1]); print(frame.shape)"

TURNS = 5
SHAPES = {"wide": (20_000, 1500), "tall": (1500, 20_000)}
"""Columns and rows."""
MAX_BYTES = 0.8
"""A sample, where the values allow it; noise of 10,001 values takes 1.66 bytes whatever one does."""
OVER_ENTROPY = 1.2


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Measure speed and memory on 300 MB, and the time to the first rows and the memory on 1 GB."""
    small = lab_capture(cache, megabytes=30 if quick else 300)
    large = lab_capture(cache, megabytes=60 if quick else 1000)
    rows = [*against_pandas(small, cache), *first_rows(large, cache)]
    for shape, (columns, count) in SHAPES.items():
        for values in VALUES:
            capture = unrepeating_capture(cache, columns, count // 10 if quick else count, values)
            rows += unrepeating(capture, cache, shape, values)
    return rows


def against_pandas(capture: Path, cache: Path) -> list[Row]:
    """Time the whole import command and pandas in turns; the best run of each counts.

    Memory is measured in runs of its own, because watching it takes CPU time from the import.
    """
    size, session = size_of(capture), cache / "import.hscope"
    ours, theirs = [], []
    for turn in range(TURNS + 1):
        session.unlink(missing_ok=True)
        watch = turn == TURNS
        ours.append(run(["-m", "app", "import", str(capture), "-o", str(session)], watch=watch))
        theirs.append(run(["-c", PANDAS, str(capture)], watch=watch))
    own, peer = min(r.seconds for r in ours[:TURNS]), min(r.seconds for r in theirs[:TURNS])
    shape = re.search(r"\d+, \d+", theirs[0].output)
    what = f"import of {megabytes(size)} ({shape.group(0) if shape else '?'} rows, columns)"
    rate, peer_rate = size / own / 1e6, size / peer / 1e6
    return [
        Row(
            what=f"{what}, end to end",
            here=f"{own:.2f} s, {rate:.0f} MB/s",
            peer=f"pandas.read_csv alone {peer:.2f} s, {peer_rate:.0f} MB/s",
            ratio=f"{peer / own:.2f}×",
            goal="≥ 2×",
            holds=peer / own >= 2,
        ),
        memory_row(what, ours[-1].peak_bytes, theirs[-1].peak_bytes),
    ]


def unrepeating(capture: Path, cache: Path, shape: str, values: Values) -> list[Row]:
    """Import a capture whose values don't repeat, in turns with pandas
    and polars: speed, bytes a sample, memory.
    """
    size, session = size_of(capture), cache / "import.hscope"
    commands = {
        "here": ["-m", "app", "import", str(capture), "-o", str(session)],
        "pandas": ["-c", PANDAS, str(capture)],
        "polars": ["-c", POLARS, str(capture)],
    }
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(TURNS):
        session.unlink(missing_ok=True)
        for name, arguments in commands.items():
            runs[name].append(run(arguments, watch=False))
    stored = size_of(session)
    session.unlink()
    watched = run(commands["here"])
    wall = {name: min(one.seconds for one in some) for name, some in runs.items()}
    cpu = {name: min(one.cpu_seconds for one in some) for name, some in runs.items()}
    with SessionReader.open(session, check=False) as reader:
        samples = sum(source.samples for source in reader.sources())
    per_sample, least = stored / samples, entropy_bytes(values)
    limit = max(MAX_BYTES, OVER_ENTROPY * least)
    what = f"import of {megabytes(size)} of {values}, {shape}"
    speeds = [
        Row(
            what=f"{what}, end to end",
            here=f"{wall['here']:.2f} s ({cpu['here']:.2f} s of processors)",
            peer=f"{peer}.read_csv alone {wall[peer]:.2f} s ({cpu[peer]:.2f} s)",
            ratio=f"{wall[peer] / wall['here']:.2f}×",
            goal=f"≥ {goal:g}×",
            holds=wall[peer] / wall["here"] >= goal,
        )
        for peer, goal in (("pandas", 2.5), ("polars", 1.0))
    ]
    return [
        *speeds,
        Row(
            what=f"{what}, size",
            here=f"{per_sample:.3f} bytes a sample",
            peer=f"entropy of the values {least:.3f}",
            ratio=f"{per_sample / least:.2f}×",
            goal=f"≤ {limit:.2f} bytes",
            holds=per_sample <= limit,
        ),
        memory_row(what, watched.peak_bytes, 0),
    ]


def memory_row(what: str, memory: int, peer: int) -> Row:
    """Make the table row that compares the memory (bytes) of all our processes with the peer's."""
    return Row(
        what=f"{what}, memory of all processes",
        here=megabytes(memory),
        peer=f"pandas {megabytes(peer)}" if peer else "–",
        ratio=f"{peer / memory:.1f}×" if peer else "–",
        goal="≤ 300 MB",
        holds=memory <= 300e6,
    )


def first_rows(capture: Path, cache: Path) -> list[Row]:
    """Measure how long until another process can read rows of a capture that is still being imported."""
    session = cache / "first.hscope"
    session.unlink(missing_ok=True)
    begin = time.perf_counter()
    first = 0.0
    arguments = [sys.executable, "-m", "app", "import", str(capture), "-o", str(session)]
    with subprocess.Popen(arguments, env=as_installed()) as child:
        while child.poll() is None and not first:
            if has_rows(session):
                first = time.perf_counter() - begin
            time.sleep(0.005)
        child.wait()
    whole = time.perf_counter() - begin
    session.unlink(missing_ok=True)
    measured = run(["-m", "app", "import", str(capture), "-o", str(session)])
    what = f"import of {megabytes(size_of(capture))}"
    return [
        Row(
            what=f"{what}: first rows readable by another process",
            here=f"{first:.2f} s",
            peer=f"whole import {whole:.1f} s",
            ratio=f"{whole / first:.0f}×" if first else "–",
            goal="≤ 1 s",
            holds=0 < first <= 1,
        ),
        Row(
            what=f"{what}, memory of all processes",
            here=megabytes(measured.peak_bytes),
            peer=f"sum of resident sizes {megabytes(measured.peak_rss)}",
            ratio="–",
            goal="≤ 300 MB",
            holds=measured.peak_bytes <= 300e6,
        ),
    ]


def has_rows(session: Path) -> bool:
    """Return True if a reader of the session finds samples."""
    if not session.exists():
        return False
    try:
        with SessionReader.open(session, check=False) as reader:
            return any(source.ticks for source in reader.sources())
    except HyperscopeError:
        return False
