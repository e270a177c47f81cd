"""Kills runs of guided tests through VMware Tools, each wizard in each moment, and tells what is left.

The test vCenter's guests run real fio. After ``kill -9`` of the controller `restore` (or `resume`, to the
verdict) must leave the vCenter's settings, the disks, files and processes as before. A line for each kill; a
difference ends with exit code 1.

    .venv/bin/python -m benchmarks.tools_kills --wizard sioc-shares --moment measure --jobs 2
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.app.tools_runs import MEASURE_S, MOMENTS, WIZARDS, Stage, kill_at, lengthen, staged

RESUMED = "measure, resumed"
ORPHANED = "measure, fio left alone"
_ORPHANS_S = 300.0
"""How long fio would go on if its guest did not end it."""


def main(words: Sequence[str]) -> int:
    """Kill what was asked for; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--wizard", choices=list(WIZARDS), action="append")
    parser.add_argument("--moment", choices=[*MOMENTS, RESUMED, ORPHANED], action="append")
    parser.add_argument("--jobs", type=int, default=2, help="wizards at a time")
    parser.add_argument("--out", type=Path, help="append the lines to this file, too")
    told = parser.parse_args(words)
    wanted = told.moment or [*MOMENTS, RESUMED, ORPHANED]
    bad = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(told.jobs) as pool:
        chosen = told.wizard or list(WIZARDS)
        for lines in pool.map(lambda name: _killed(name, wanted, Path(folder) / name, told.out), chosen):
            bad += sum("ok" not in line for line in lines)
    print(f"{bad} not as before" if bad else "everything as before")
    return 1 if bad else 0


def _killed(name: str, wanted: Sequence[str], folder: Path, out: Path | None) -> list[str]:
    lines = []
    try:
        with staged(WIZARDS[name], folder, lengthen) as stage:
            for number, moment in enumerate(wanted):
                if moment != "populate" or WIZARDS[name].is_populated:
                    lines.append(
                        _said(
                            out, f"{name:12} {moment:24} {_one(stage, moment, folder / f'{number}.hscope')}"
                        )
                    )
    except AssertionError as error:
        lines.append(_said(out, f"{name:12} not planned: {error}"))
    return lines


def _said(out: Path | None, line: str) -> str:
    print(line, flush=True)
    if out is not None:
        with out.open("a") as file:
            file.write(line + "\n")
    return line


def _one(stage: Stage, moment: str, session: Path) -> str:
    begun, before = time.monotonic(), stage.everything()
    lengthen(stage.plan, _ORPHANS_S if moment == ORPHANED else MEASURE_S)
    kind = next(one for one in MOMENTS if moment.startswith(one))
    try:
        kill_at(stage, stage.begin(session), session, kind)
        killed = time.monotonic()
        parts = list(_aftermath(stage, moment, session))
    except AssertionError as error:
        return f"not killed: {error}"
    found = stage.differences(before)
    took = f"killed after {killed - begun:.0f} s, put back after {time.monotonic() - killed:.0f} s"
    return "; ".join(["NOT as before: " + ", ".join(found) if found else "ok", took, *parts])


def _aftermath(stage: Stage, moment: str, session: Path) -> Iterator[str]:
    if moment == ORPHANED:
        begun = time.monotonic()
        while stage.site.fios() and time.monotonic() - begun < 60:
            time.sleep(0.5)
        left = len(stage.site.fios())
        yield (
            f"fio NOT gone after 60 s: {left}" if left else f"fio gone after {time.monotonic() - begun:.0f} s"
        )
    if moment == RESUMED:
        resumed = stage.finish("test", "resume", session)
        yield (
            "resumed to its verdict"
            if resumed.code == 0
            else f"resume said {resumed.code}: {resumed.err[-300:]}"
        )
        return
    restored = stage.typed("restore", session, "--json")
    if restored.code:
        yield f"restore said {restored.code}: {restored.err[-300:]}"
        return
    states = [one["state"] for one in restored.json["changes"]]
    yield ", ".join(f"{states.count(one)} {one}" for one in sorted(set(states)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
