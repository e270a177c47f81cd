"""Kills runs of guided tests through VMware Tools, each wizard in each moment, and tells what is left.

The test vCenter's guests run real fio. After ``kill -9`` of the controller `restore` (or `resume`, to the
verdict) must leave the vCenter's settings, the disks, files and processes as before. A line of JSON for each
kill; a difference ends with exit code 1.

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
from queue import SimpleQueue

from benchmarks.kill_log import NOT_KILLED, Outcome, open_changes, report
from tests.app.tools_runs import MEASURE_S, MOMENTS, WIZARDS, Stage, kill_at, lengthen, staged

RESUMED = "measure, resumed"
ORPHANED = "measure, fio left alone"
_ORPHANS_S = 300.0
"""How long fio would go on if its guest did not end it."""
_ORPHANED_S = 60.0
ALL = (*MOMENTS, RESUMED, ORPHANED)


def main(words: Sequence[str]) -> int:
    """Kill what was asked for; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--wizard", choices=list(WIZARDS), action="append")
    parser.add_argument("--moment", choices=[*MOMENTS, RESUMED, ORPHANED], action="append")
    parser.add_argument("--jobs", type=int, default=2, help="wizards at a time")
    parser.add_argument("--out", type=Path, help="append the lines to this file, too")
    told = parser.parse_args(words)
    return report(killed(told.wizard or list(WIZARDS), told.moment or ALL, told.jobs), told.out)


def killed(wizards: Sequence[str], moments: Sequence[str] = ALL, jobs: int = 2) -> Iterator[Outcome]:
    """Kill runs of these wizards, several at a time; their outcomes come as they end."""
    done: SimpleQueue[Outcome | None] = SimpleQueue()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        for name in wizards:
            pool.submit(_killed, name, moments, Path(folder) / name, done)
        left = len(wizards)
        while left:
            one = done.get()
            if one is None:
                left -= 1
            else:
                yield one


def moments_of(wizard: str) -> list[str]:
    """Return the moments in which a wizard's run can be killed."""
    return [one for one in ALL if one != "populate" or WIZARDS[wizard].is_populated]


def _killed(name: str, wanted: Sequence[str], folder: Path, done: SimpleQueue[Outcome | None]) -> None:
    try:
        with staged(WIZARDS[name], folder, lengthen) as stage:
            for number, moment in enumerate(moments_of(name)):
                if moment in wanted:
                    done.put(_one(stage, moment, folder / f"{number}.hscope"))
    except AssertionError as error:
        done.put(Outcome(name, "tools", "plan", "", f"{NOT_KILLED}: not planned: {error}"))
    finally:
        done.put(None)


def _one(stage: Stage, moment: str, session: Path) -> Outcome:
    begun, before = time.monotonic(), stage.everything()
    lengthen(stage.plan, _ORPHANS_S if moment == ORPHANED else MEASURE_S)
    kind = next(one for one in MOMENTS if moment.startswith(one))
    left, orphans, wrong = 0, None, []
    try:
        kill_at(stage, stage.begin(session), session, kind)
        left = open_changes(session)
        if moment == ORPHANED:
            orphans = _seconds_until_quiet(stage)
            wrong += [] if orphans is not None else [f"fio ran on for {_ORPHANED_S:g} s"]
        wrong += _aftermath(stage, moment, session)
        wrong += stage.differences(before)
    except AssertionError as error:
        wrong = [f"{NOT_KILLED}: {error}"]
        stage.typed("restore", session)
    then = "resume" if moment == RESUMED else "restore"
    took = round(time.monotonic() - begun, 1)
    return Outcome(stage.wizard.test, "tools", moment, then, "; ".join(wrong), left, orphans, took)


def _seconds_until_quiet(stage: Stage) -> float | None:
    begun = time.monotonic()
    while stage.site.fios():
        if time.monotonic() - begun > _ORPHANED_S:
            return None
        time.sleep(0.5)
    return round(time.monotonic() - begun, 1)


def _aftermath(stage: Stage, moment: str, session: Path) -> list[str]:
    """Restore or resume; return what it said if it failed."""
    if moment == RESUMED:
        said = stage.finish("test", "resume", session)
        return [f"resume said {said.code}: {(said.err or said.out)[-300:]}"] if said.code else []
    said = stage.typed("restore", session)
    return [f"restore said {said.code}: {said.err[-300:]}"] if said.code else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
