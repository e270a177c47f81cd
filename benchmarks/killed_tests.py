"""Kills the controller of guided tests in every phase, and looks what `restore` and `resume` leave.

    .venv/bin/python -m benchmarks.killed_tests ssh --out FILE.jsonl
    .venv/bin/python -m benchmarks.killed_tests lab --test io-sweep --test drs-balance

Over ssh each kill has two real guests with real fio: their files are compared byte for byte, and their
processes, with those of before; how long load outlives its controller that never comes back is measured.
In the lab, which is gone with its process, the journal is what has to be well. A line of JSON for each kill;
the last line counts. The suite has a small part of it (tests/app/test_guests_by_hand.py).
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
from msgspec.structs import replace

from benchmarks.kill_log import NOT_KILLED, Outcome, open_changes, report
from sessions.store import SessionReader
from tests.app.dying import START
from tests.app.kills import kill_in, kill_restoring
from tests.app.typed import Said, Typist, confirmed
from tests.workloads.guests.separate import Guest, separate_guests
from wizards.flows.plan import Plan, PlannedPhase
from wizards.flows.plan_file import plan_text, read_plan

SSH_TESTS = ("io-sweep", "dedup-prep", "cache-pair", "vm-density")
LAB_TESTS = {
    "dedup-prep": "lab:default",
    "sioc-shares": "lab:congested",
    "iops-limit": "lab:congested",
    "host-shares": "lab:congested",
    "drs-balance": "lab:imbalanced",
    "io-sweep": "lab:default",
    "cache-pair": "lab:default",
    "vm-density": "lab:default",
    "storage-ab": "lab:default",
}
_SETTLE_S, _WARM_UP_S, _MEASURE_S = 3.0, 4.0, 6.0
_LEAD_S = 4.0
_MEASURES = 2
"""How many measured phases of a plan are kept."""
_ORPHANS_S = 60.0
_LONG_S = 300.0
_STEPS_OF_PREPARE = (2, 3, 9)
"""Before the first change is made, before it is read back, among those that follow."""
_FEW_STEPS = 3
"""After so many steps a restore that is killed, too, has begun and not ended."""


@dataclass(frozen=True)
class Kill:
    """When the controller is killed, and what is done then: ``restore``, ``resume``, ``wait`` for the end
    of what it left, and restore; or ``restore twice``, of which the first is killed, too.

    ``part`` of all steps of restoring are done before it is killed there, after Ctrl-C in ``phase``; before
    the ``step`` of all that it does it is killed whenever that comes. Both None: it is killed ``after_s`` in
    that phase.
    """

    what: str
    phase: str
    after_s: float
    then: str
    part: float | None = None
    step: int | None = None


def main() -> int:
    """Kill, look, and print; the exit code is 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="killed_tests", description=__doc__.splitlines()[0])
    parser.add_argument("where", choices=("ssh", "lab"))
    parser.add_argument("--test", action="append", help="only these tests")
    parser.add_argument("--then", help="only kills after which this is done: restore, resume …")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    return report(killed(options.where, options.test or (), options.then), options.out)


def killed(where: str, tests: Sequence[str] = (), then: str | None = None) -> Iterator[Outcome]:
    """Kill runs of these tests (all without any) ``where``: over ``ssh`` or in the ``lab``.

    With ``then`` only the kills after which that is done.
    """
    for test in tests or (SSH_TESTS if where == "ssh" else LAB_TESTS):
        yield from _over_ssh(test, then) if where == "ssh" else _in_the_lab(test, then)


def _kills(plan: Plan, *, is_lab: bool) -> Iterator[Kill]:
    """The kills of a plan: each kind of phase is met, in the lab at once, over ssh at a time within it."""
    fill = next((one.name for one in plan.phases if one.kind == "fill"), "")
    measured = [phase.name for phase, _ in plan.steps() if phase.kind == "measure"]
    first, last = measured[0], measured[-1]
    for step in _STEPS_OF_PREPARE:
        yield Kill(f"prepare, before step {step}", "", 0.0, "restore", step=step)
    if not is_lab:
        yield Kill("prepare", "prepare", 0.5, "restore")
    if fill:
        yield Kill("populate", fill, 0.0 if is_lab else 2.0, "restore")
    if is_lab:
        yield Kill("measure", first, 0.3, "restore")
        yield Kill("measure", last, 0.1, "resume")
        yield from _while_restoring(first)
        return
    warm, measure = _SETTLE_S + _LEAD_S + 1.0, _SETTLE_S + _LEAD_S + _WARM_UP_S + 2.0
    yield Kill("cool-down", last, 1.0, "restore")
    yield Kill("warm-up", first, warm, "restore")
    yield Kill("measure", first, measure, "restore")
    yield Kill("measure", last, measure, "resume")
    yield Kill("measure", first, measure, "wait")
    yield from _while_restoring(first)
    if fill:
        yield Kill("populate", fill, 2.0, "resume")


def _wanted(plan: Plan, then: str | None, *, is_lab: bool) -> Iterator[Kill]:
    return (one for one in _kills(plan, is_lab=is_lab) if then in (None, one.then))


LAST = "restore, 100% done"
"""The last kill of those while it restores: before the run's end is written."""


def _while_restoring(phase: str) -> Iterator[Kill]:
    """The kills while it puts back what a phase changed: before the first step, within, before the last."""
    for part, then in ((0.0, "restore"), (0.3, "resume"), (0.6, "restore twice"), (1.0, "restore")):
        yield Kill(f"restore, {part:.0%} done", phase, 0.0, then, part)


def _short(plan: Plan, *, is_lab: bool) -> Plan:
    """The plan with short phases, without those in which a person is asked; the lab leaves it as it is."""
    if is_lab:
        return plan
    phases = tuple(_shortened(one) for one in plan.phases if one.kind != "ask")
    kinds = {one.name: one.kind for one in phases}
    order: list[str] = []
    for name in plan.order:
        measured = sum(kinds[one] == "measure" for one in order)
        if name in kinds and (kinds[name] != "measure" or measured < _MEASURES):
            order.append(name)
    used = tuple(one for one in phases if one.name in order)
    return replace(plan, phases=used, order=tuple(order))


def _lengthened(plan: Plan) -> Plan:
    """The plan with phases whose load would go on for long, if nothing ended it."""
    phases = tuple(replace(one, measure_s=_LONG_S) if one.kind == "measure" else one for one in plan.phases)
    return replace(plan, phases=phases)


def _shortened(one: PlannedPhase) -> PlannedPhase:
    if one.kind == "measure":
        return replace(one, warm_up_s=_WARM_UP_S, steady_s=0.0, measure_s=_MEASURE_S, settle_s=_SETTLE_S)
    return replace(one, settle_s=0.0, measure_s=min(one.measure_s, _MEASURE_S))


# ---------------------------------------------------------------- over ssh


def _over_ssh(test: str, then: str | None) -> Iterator[Outcome]:
    with tempfile.TemporaryDirectory() as name, separate_guests(Path(name) / "guests", 2) as guests:
        folder = Path(name)
        for one in guests:
            _inside(one, "var/tmp/theirs").write_bytes(b"of somebody else" * 1000)
        pins = [word for one in guests for word in ("--thumbprint", one.host_key)]
        typed = Typist(folder, ["--key", str(guests[0].server.user_key), "--no-agent", *pins])
        plan = folder / "p.toml"
        made = typed("test", "plan", test, *(one.address for one in guests), "-o", plan, "--length", "quick")
        if made.code:
            raise RuntimeError(made.err)
        plan.write_text(plan_text(_short(read_plan(plan), is_lab=False)))
        long = folder / "long.toml"
        long.write_text(plan_text(_lengthened(read_plan(plan))))
        before = [_state(one) for one in guests]
        for number, kill in enumerate(_wanted(read_plan(plan), then, is_lab=False)):
            used = long if kill.then == "wait" else plan
            stage = _Stage(typed, used, folder / f"{number}.hscope", confirmed(plan))
            begun = time.monotonic()
            wrong, orphans = _kill_over_ssh(stage, guests, kill, before)
            took = round(time.monotonic() - begun, 1)
            yield Outcome(test, "ssh", kill.what, kill.then, wrong, stage.open, orphans, took)


def _kill_over_ssh(
    stage: _Stage, guests: Sequence[Guest], kill: Kill, before: Sequence[object]
) -> tuple[str, float | None]:
    orphans = None
    if problem := stage.kill(kill):
        stage.typed("restore", stage.session)
        return problem, None
    if kill.then == "wait":
        orphans = _seconds_until_quiet(guests)
        if orphans is None:
            return f"load ran on for {_ORPHANS_S:g} s", None
    return stage.aftermath(kill) or _differences(guests, before), orphans


@dataclass
class _Stage:
    """A plan, and the session of one run of it that is killed; ``consent`` confirms its disks.

    ``open`` is how many changes were open when it was killed.
    """

    typed: Typist
    plan: Path
    session: Path
    consent: Sequence[str] = ()
    open: int = 0

    def _run(self, session: Path) -> Sequence[object]:
        return ("test", "run", self.plan, "-o", session, "--yes", *self.consent)

    def kill(self, kill: Kill) -> str:
        """Kill a run where it is to be killed; return why that was not possible, empty if it was."""
        problem = self._kill(kill)
        self.open = open_changes(self.session)
        return f"{NOT_KILLED}: {problem}" if problem else ""

    def _kill(self, kill: Kill) -> str:
        if kill.step is not None:
            code = self.typed.dying(kill.step, START)(*self._run(self.session)).code
            return "" if code == -signal.SIGKILL else f"it ended with {code}"
        if kill.part is not None:
            steps = self._steps(kill)
            step = round(kill.part * (steps - 1))
            return kill_restoring(self.typed, step, self.session, kill.phase, *self._run(self.session))
        run = self.typed.begin(*self._run(self.session))
        try:
            kill_in(run, self.session, kill.phase, kill.after_s)
        except AssertionError as error:
            run.kill()
            return f"{error} ({run.wait()})"
        return ""

    def _steps(self, kill: Kill) -> int:
        """How many steps restoring takes after that phase: a run that is stopped and lives tells it, once."""
        counted = self.session.with_name("counted.hscope")
        if not counted.exists():
            kill_restoring(self.typed, -1, counted, kill.phase, *self._run(counted))
        return self.typed.steps

    def aftermath(self, kill: Kill) -> str:
        """Restore or resume; return what is wrong then."""
        if kill.then == "restore twice":
            self.typed.dying(_FEW_STEPS)("restore", self.session)
        if kill.then == "resume":
            resumed = self.typed("test", "resume", self.session, "--yes", *self.consent)
            return _wrong(resumed, self.session) or _without_verdict(self.session)
        return _wrong(self.typed("restore", self.session), self.session)


def _seconds_until_quiet(guests: Sequence[Guest]) -> float | None:
    begun = time.monotonic()
    while any(one.fios() for one in guests):
        if time.monotonic() - begun > _ORPHANS_S:
            return None
        time.sleep(0.2)
    return round(time.monotonic() - begun, 1)


def _inside(guest: Guest, path: str) -> Path:
    return Path(f"/proc/{guest.processes()[0].pid}/root") / path


def _state(guest: Guest) -> tuple[Mapping[str, str], Sequence[str]]:
    """The content of each file of a guest's own folder, and its processes but those of connections."""
    folder = _inside(guest, "var/tmp")
    files = {
        str(one.relative_to(folder)): hashlib.sha256(one.read_bytes()).hexdigest()
        for one in folder.rglob("*")
        if one.is_file()
    }
    processes = []
    for one in guest.processes():
        with contextlib.suppress(psutil.Error):
            if not one.name().startswith("sshd"):
                processes.append(one.name())
    return files, sorted(processes)


def _differences(guests: Sequence[Guest], before: Sequence[object]) -> str:
    until = time.monotonic() + 5  # a shell of the last connection may still be ending
    while (now := [_state(one) for one in guests]) != list(before) and time.monotonic() < until:
        time.sleep(0.2)
    return "" if now == list(before) else f"{now} for {before}"


# ---------------------------------------------------------------- in the lab


def _in_the_lab(test: str, then: str | None) -> Iterator[Outcome]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        typed, plan = Typist(folder), folder / "p.toml"
        made = typed("test", "plan", test, LAB_TESTS[test], "-o", plan)
        if made.code:
            raise RuntimeError(made.err)
        for number, kill in enumerate(_wanted(read_plan(plan), then, is_lab=True)):
            stage = _Stage(typed, plan, folder / f"{number}.hscope")
            begun = time.monotonic()
            wrong = stage.kill(kill) or stage.aftermath(kill)
            took = round(time.monotonic() - begun, 1)
            yield Outcome(test, "lab", kill.what, kill.then, wrong, stage.open, seconds=took)


def _without_verdict(session: Path) -> str:
    """Return why a resumed run has no verdict; empty if it has one."""
    with SessionReader.open(session) as reader:
        last = reader.test_runs()[-1]
    return "" if last.valid else f"resumed to no verdict: {last.why}"


def _wrong(done: Said, session: Path) -> str:
    if done.code:
        return f"exit code {done.code}: {done.err.strip()[:500]}"
    with SessionReader.open(session) as reader:
        left = [one for one in reader.journal() if one.state not in ("undone", "not needed")]
        unended = [one.id for one in reader.test_runs() if one.end is None]
    if left:
        return f"{left[0].setting} of {left[0].object.name} is {left[0].state}: {left[0].why}"
    return f"run {unended[0]} has no end" if unended else ""


if __name__ == "__main__":
    sys.exit(main())
