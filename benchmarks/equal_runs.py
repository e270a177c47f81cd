"""A-A runs of the whole engine on real fio: how often a run of two equal settings is called a difference.

Each run is a plan of three rounds each of A and B, in the order A B B A A B, which do the very same: guests
over ssh whose disks are files, fio of the job of VM density (360 I/Os a second), judged as a cache that is
off and on. Several guests run side by side, each a test of its own, at high priority: rounds are short, and
this machine does other things meanwhile.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue

import psutil
from msgspec.structs import replace as with_fields

from benchmarks.measure import Row
from connections.fingerprints import HOST_KEY
from connections.known_hosts import KnownHosts
from connections.ssh.address import parse_address
from connections.ssh.login import SshLogin
from recorder.limits import StoppingLimits, load_recorder_limits
from recorder.recording import Recording
from recorder.writing import SpaceRules
from resources.failures import HyperscopeError
from resources.fio_jobs import load_fio_jobs
from resources.guided_tests import load_guided_tests
from resources.study_numbers import load_studies
from sessions.journal import Figure
from tests.workloads.guests.separate import Guest, separate_guests
from wizards.flows import load
from wizards.flows.engine import RunOptions, TestCollector
from wizards.flows.plan import Plan, PlannedPhase, PlannedWork
from wizards.flows.plan_file import plan_text
from wizards.flows.planning import Choice, make_plan
from wizards.flows.surroundings import look
from wizards.flows.verdict import Verdict
from wizards.flows.verdicts.judging import judge
from wizards.flows.verdicts.validity import steady_limits
from workloads.environment import Environment
from workloads.guests.opening import open_guests

_LANES, _RUNS = 6, 200
_ORDER = ("baseline", "accelerated", "accelerated", "baseline", "baseline", "accelerated")
_WARM_UP_S, _MEASURE_S = 1.0, 2.0
_LEAD_S = 1.0
"""This machine is all guests: a second is enough for a job to wait for its start."""
_NICE = -10
_NO_DIFFERENCE = "The cache makes no real difference (~)."


@dataclass(frozen=True)
class Judged:
    """What came of a run: its verdict, None if it failed; ``why`` it did then."""

    verdict: Verdict | None
    why: str = ""

    @property
    def is_declared(self) -> bool:
        """True if the verdict says that A and B differ."""
        return self.verdict is not None and self.verdict.valid and self.verdict.line != _NO_DIFFERENCE

    @property
    def iops(self) -> Figure | None:
        """The ratio of the I/Os a second, with its interval."""
        figures = self.verdict.figures if self.verdict is not None else ()
        return next((one for one in figures if one.name.startswith("IOPS")), None)


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Run the A-A runs, and count the differences that the engine's verdicts declare."""
    if shutil.which("fio") is None or sys.platform != "linux" or os.geteuid() != 0:
        return []
    wanted = 6 if quick else _RUNS
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        done = judged_runs(Path(folder), wanted)
    minutes = (time.monotonic() - begun) / 60
    good = [one for one in done if one.verdict is not None and one.verdict.valid]
    for one in done:
        if one not in good:
            print(f"not judged: {one.why or (one.verdict.why if one.verdict else '')}", file=sys.stderr)
    declared = sum(one.is_declared for one in good)
    scatter = sorted(_half_width(one) for one in good)
    middle = f"{scatter[len(scatter) // 2]:.1f} %" if scatter else "–"
    rounds = len(good) * len(_ORDER)
    return [
        Row(
            f"A-A through the engine on guests over ssh with real fio, {len(good)} runs ({rounds} rounds of "
            f"{_MEASURE_S:g} s, {_LANES} guests side by side, {minutes:.0f} min, machine shared): "
            "a difference is declared",
            f"{declared} ({100 * declared / max(1, len(good)):.1f} %); {wanted - len(good)} not judged",
            f"median half width of the interval: {middle}",
            "–",
            "≤ 5 %",
            holds=len(good) == wanted and declared <= 0.05 * len(good),
        )
    ]


def _half_width(one: Judged) -> float:
    """Half of the interval of the weighted latency's ratio, in percent."""
    figures = one.verdict.figures if one.verdict is not None else ()
    bounds = next((each.interval for each in figures if each.name.startswith("weighted")), None)
    return 50 * (bounds[1] - bounds[0]) if bounds is not None else float("inf")


def judged_runs(folder: Path, wanted: int) -> list[Judged]:
    """Make so many runs, each guest one after the other."""
    load.LEAD_S = _LEAD_S
    numbers: SimpleQueue[int] = SimpleQueue()
    for number in range(wanted):
        numbers.put(number)
    found: list[Judged] = []
    with separate_guests(folder, _LANES, size=64 << 20) as guests:
        for one in guests:
            _prefer(one)
        plans = [_plan(one, folder) for one in guests]
        lanes = [
            threading.Thread(target=_lane, args=(one, plan, folder, numbers, found))
            for one, plan in zip(guests, plans, strict=True)
        ]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()
    return found


def _prefer(guest: Guest) -> None:
    """Give a guest's sshd, and all that it will start, a high priority."""
    for one in guest.processes():
        with contextlib.suppress(psutil.Error):
            one.nice(_NICE)


def _lane(guest: Guest, plan: Plan, folder: Path, numbers: SimpleQueue[int], found: list[Judged]) -> None:
    while True:
        try:
            number = numbers.get_nowait()
        except Empty:
            return
        found.append(_run(guest, plan, folder, number))
        print(f"run {number}: {found[-1].verdict.line if found[-1].verdict else found[-1].why}", flush=True)


def _open(guest: Guest, folder: Path) -> Environment:
    return open_guests(
        [parse_address(guest.address)],
        lambda _: SshLogin(key_file=guest.server.user_key),
        known=KnownHosts(folder / f"known-{guest.server.port}", HOST_KEY),
        ask=lambda _: True,
    )


def _plan(guest: Guest, folder: Path) -> Plan:
    """A plan of a cache's test, in which nobody switches a cache."""
    with contextlib.closing(_open(guest, folder)) as environment:
        made = make_plan(
            load_guided_tests().require("cache-pair"), look(environment), Choice("cache-pair", "quick")
        )
    names = tuple(one.name for one in made.workers)
    phases = tuple(
        PlannedPhase(
            step, step, step, "measure", warm_up_s=_WARM_UP_S, measure_s=_MEASURE_S,
            work=(PlannedWork(names, "cache-density", {"reads": 70}),),
        )
        for step in dict.fromkeys(_ORDER)
    )  # fmt: skip
    return with_fields(made, phases=phases, order=_ORDER, environment=(guest.address,))


def _run(guest: Guest, plan: Plan, folder: Path, number: int) -> Judged:
    studies = load_studies()
    options = RunOptions(
        run=f"equal-{number}",
        open=lambda: _open(guest, folder),
        known=load_guided_tests(),
        jobs=load_fio_jobs(),
        judge=lambda of, measured: judge(of.test, measured, studies),
        steady=steady_limits(studies.judging),
        poll_s=0.2,
    )
    collector = TestCollector(plan, plan_text(plan), options)
    limits = with_fields(load_recorder_limits(), stopping=StoppingLimits(600.0))
    session = folder / f"{number}.hscope"
    over = threading.Event()
    recording = Recording(
        [collector], session, limits, SpaceRules(0, 0, 0), on_over=over.set, title="equal runs"
    )
    recording.start()
    over.wait()
    outcome = recording.finish()
    session.unlink(missing_ok=True)
    why = str(outcome.error) if isinstance(outcome.error, HyperscopeError) else ""
    return Judged(collector.verdict, why or _left(collector))


def _left(collector: TestCollector) -> str:
    failed: Sequence[str] = [one.why for one in collector.changes if one.is_open]
    return failed[0] if failed else ""


if __name__ == "__main__":
    print(*measure(Path(tempfile.gettempdir()), quick="--quick" in sys.argv), sep="\n")
