"""Import end to end, against pandas.read_csv alone on the same file; and the first rows of a big capture."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.captures import lab_capture
from benchmarks.measure import Row, megabytes, run, size_of
from resources.failures import HyperscopeError
from sessions.store import SessionReader

PANDAS = "import sys, pandas; frame = pandas.read_csv(sys.argv[1], low_memory=False); print(frame.shape)"

TURNS = 5


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Speed and memory on 300 MB; first rows and memory on 1 GB."""
    small = lab_capture(cache, megabytes=30 if quick else 300)
    large = lab_capture(cache, megabytes=60 if quick else 1000)
    return [*against_pandas(small, cache), *first_rows(large, cache)]


def against_pandas(capture: Path, cache: Path) -> list[Row]:
    """The whole command, in turns with pandas; the best of each.

    Looking at memory takes time from a processor that an import keeps busy: it has runs of its own.
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


def memory_row(what: str, memory: int, peer: int) -> Row:
    """Memory of all processes."""
    return Row(
        what=f"{what}, memory of all processes",
        here=megabytes(memory),
        peer=f"pandas {megabytes(peer)}",
        ratio=f"{peer / memory:.1f}×",
        goal="≤ 300 MB",
        holds=memory <= 300e6,
    )


def first_rows(capture: Path, cache: Path) -> list[Row]:
    """How long until another process reads rows of a capture that is still being imported."""
    session = cache / "first.hscope"
    session.unlink(missing_ok=True)
    begin = time.perf_counter()
    first = 0.0
    with subprocess.Popen([sys.executable, "-m", "app", "import", str(capture), "-o", str(session)]) as child:
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
    """Whether a reader finds samples."""
    if not session.exists():
        return False
    try:
        with SessionReader.open(session, check=False) as reader:
            return any(source.ticks for source in reader.sources())
    except HyperscopeError:
        return False
