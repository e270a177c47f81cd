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
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil
from msgspec.structs import replace

from sessions.store import SessionReader
from tests.app.kills import kill_in
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


@dataclass(frozen=True)
class Kill:
    """When the controller is killed, and what is done then: ``restore``, ``resume``, or ``wait`` for the end
    of what it left, and restore.
    """

    what: str
    phase: str
    after_s: float
    then: str


@dataclass(frozen=True)
class Outcome:
    """What came of a kill; ``wrong`` is empty if all was as before."""

    test: str
    where: str
    kill: str
    then: str
    wrong: str
    orphans_s: float | None = None


def main() -> int:
    """Kill, look, and print; the exit code is 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="killed_tests", description=__doc__.splitlines()[0])
    parser.add_argument("where", choices=("ssh", "lab"))
    parser.add_argument("--test", action="append", help="only these tests")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    tests = options.test or list(SSH_TESTS if options.where == "ssh" else LAB_TESTS)
    found = []
    for test in tests:
        for one in _over_ssh(test) if options.where == "ssh" else _in_the_lab(test):
            found.append(one)
            print(json.dumps(asdict(one)), flush=True)
            if options.out is not None:
                with options.out.open("a") as file:
                    file.write(json.dumps(asdict(one)) + "\n")
    wrong = sum(bool(one.wrong) for one in found)
    longest = max((one.orphans_s for one in found if one.orphans_s is not None), default=0.0)
    print(
        f"{len(found)} kills, {wrong} left something; load outlived its controller by {longest:.0f} s at most"
    )
    return 1 if wrong else 0


def _kills(plan: Plan, *, is_lab: bool) -> Iterator[Kill]:
    """The kills of a plan: each kind of phase is met, in the lab at once, over ssh at a time within it."""
    fill = next((one.name for one in plan.phases if one.kind == "fill"), "")
    measured = [phase.name for phase, _ in plan.steps() if phase.kind == "measure"]
    first, last = measured[0], measured[-1]
    yield Kill("prepare", "prepare", 0.0 if is_lab else 0.5, "restore")
    if fill:
        yield Kill("populate", fill, 0.0 if is_lab else 2.0, "restore")
    if is_lab:
        yield Kill("measure", first, 0.3, "restore")
        yield Kill("measure", last, 0.1, "resume")
        yield Kill("restore", "restore", 0.0, "restore")
        return
    warm, measure = _SETTLE_S + _LEAD_S + 1.0, _SETTLE_S + _LEAD_S + _WARM_UP_S + 2.0
    yield Kill("cool-down", last, 1.0, "restore")
    yield Kill("warm-up", first, warm, "restore")
    yield Kill("measure", first, measure, "restore")
    yield Kill("measure", last, measure, "resume")
    yield Kill("measure", first, measure, "wait")
    yield Kill("restore", "restore", 0.0, "restore")
    if fill:
        yield Kill("populate", fill, 2.0, "resume")


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


def _shortened(one: PlannedPhase) -> PlannedPhase:
    if one.kind == "measure":
        return replace(one, warm_up_s=_WARM_UP_S, steady_s=0.0, measure_s=_MEASURE_S, settle_s=_SETTLE_S)
    return replace(one, settle_s=0.0, measure_s=min(one.measure_s, _MEASURE_S))


# ---------------------------------------------------------------- over ssh


def _over_ssh(test: str) -> Iterator[Outcome]:
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
        before = [_state(one) for one in guests]
        for number, kill in enumerate(_kills(read_plan(plan), is_lab=False)):
            wrong, orphans = _kill_over_ssh(typed, guests, plan, folder / f"{number}.hscope", kill, before)
            yield Outcome(test, "ssh", kill.what, kill.then, wrong, orphans)


def _kill_over_ssh(
    typed: Typist, guests: Sequence[Guest], plan: Path, session: Path, kill: Kill, before: Sequence[object]
) -> tuple[str, float | None]:
    consent, orphans = ("--yes", *confirmed(plan)), None
    if problem := _kill(typed.begin("test", "run", plan, "-o", session, *consent), session, kill):
        typed("restore", session)
        return problem, None
    if kill.then == "wait":
        orphans = _seconds_until_quiet(guests)
        if orphans is None:
            return f"load ran on for {_ORPHANS_S:g} s", None
    again = ("test", "resume", session, *consent) if kill.then == "resume" else ("restore", session)
    done = typed(*again)
    return _wrong(done, session) or _differences(guests, before), orphans


def _kill(run: subprocess.Popen[str], session: Path, kill: Kill) -> str:
    """Kill a run where it is to be killed; return why that was not possible, empty if it was."""
    try:
        kill_in(run, session, kill.phase, kill.after_s)
    except AssertionError as error:
        run.kill()
        return f"not killed ({run.wait()}): {error}"
    return ""


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


def _in_the_lab(test: str) -> Iterator[Outcome]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        typed, plan = Typist(folder), folder / "p.toml"
        made = typed("test", "plan", test, LAB_TESTS[test], "-o", plan)
        if made.code:
            raise RuntimeError(made.err)
        for number, kill in enumerate(_kills(read_plan(plan), is_lab=True)):
            session = folder / f"{number}.hscope"
            run = typed.begin("test", "run", plan, "-o", session, "--yes")
            if problem := _kill(run, session, kill):
                yield Outcome(test, "lab", kill.what, kill.then, problem)
                continue
            words = ("test", "resume", session, "--yes") if kill.then == "resume" else ("restore", session)
            yield Outcome(test, "lab", kill.what, kill.then, _wrong(typed(*words), session))


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
