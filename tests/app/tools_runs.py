"""Runs of guided tests through VMware Tools on the test vCenter, each short, killed in any of its moments."""

from __future__ import annotations

import difflib
import hashlib
import json
import subprocess
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import pytest

from resources.failures import HyperscopeError
from sessions.journal import JournalEntry, TestRun
from sessions.store import SessionReader
from tests.app.typed import Said, Typist, confirmed, shorten
from tests.vcenter.binaries import MissingProgramError, program
from tests.vcenter.load_site import CLUSTER, LoadSite, needs_own_systems, scenario, settings
from tests.vcenter.running import TestVCenter
from tests.workloads.guests.running import needs_fio

Moment = Literal["look", "prepare", "populate", "warm-up", "measure", "cool-down", "restore"]
MOMENTS: tuple[Moment, ...] = get_args(Moment)
WARM_UP_S, MEASURE_S, SETTLE_S = 6.0, 10.0, 4.0
LEAD_S = 4.5
"""How long a fio waits for its start: it is told 4 s before (wizards/flows/load.py)."""
_WITHIN_S = 400.0
_DELAY_S: Mapping[Moment, float] = {
    "look": 1.0,
    "warm-up": LEAD_S + 1.0,
    "measure": LEAD_S + WARM_UP_S + 2.0,
    "restore": 1.0,
}
"""How long after the first sign of a moment its run is killed."""


@dataclass(frozen=True)
class Wizard:
    """A guided test as it is run here: what its plan is told, and what the vCenter needs for it."""

    test: str
    words: tuple[str, ...] = ()
    vms: int = 2
    hosts: int = 2
    given: int = 1
    is_populated: bool = True
    asks: bool = False

    @property
    def moments(self) -> tuple[Moment, ...]:
        """The moments that a run of it has."""
        return MOMENTS if self.is_populated else tuple(one for one in MOMENTS if one != "populate")


def _set(*inputs: str) -> tuple[str, ...]:
    return tuple(word for one in inputs for word in ("--set", one))


MADE = ("--make-disks", "1")
WIZARDS: Mapping[str, Wizard] = {
    one.test: one
    for one in (
        Wizard("sioc-shares", _set("alone=no", "bursts=no", "streams=no", "depth=4")),
        Wizard("iops-limit"),
        Wizard("host-shares", hosts=1),
        Wizard("drs-balance", _set("cases=2H|2L", "heavy_rate=5", "light_rate=1"), vms=4, is_populated=False),
        Wizard("io-sweep", (*_set("depths=1,4"), *MADE), given=0),
        Wizard("cache-pair", asks=True),
        Wizard("dedup-prep", (*_set("depths=4", "ladder=1,4"), *MADE), given=0),
        Wizard("storage-ab", given=2),
        Wizard("vm-density", asks=True),
    )
}


@dataclass(frozen=True)
class Stage:
    """A running vCenter, its guests, and a plan for it."""

    wizard: Wizard
    site: LoadSite
    typed: Typist
    plan: Path

    @property
    def kinds(self) -> Mapping[str, str]:
        """The kind of each phase of the plan, by its name."""
        return {
            one["name"]: one.get("kind", "measure") for one in tomllib.loads(self.plan.read_text())["phases"]
        }

    def begin(self, session: Path) -> subprocess.Popen[str]:
        """Begin the run."""
        words = ("test", "run", self.plan, "-o", session, "--yes", *confirmed(self.plan))
        return self._asked(*words) if self.wizard.asks else self.typed.begin(*words)

    def end(self, run: subprocess.Popen[str]) -> Said:
        """Wait for the end of a run, and return what it said."""
        if self.wizard.asks:
            run.wait(_WITHIN_S)  # with its stdin open: without it the window is gone, and the run ends
        assert run.stdout is not None
        with run:
            said = "" if self.wizard.asks else run.stdout.read()
        return Said(run.returncode, said, "")

    def finish(self, *words: object) -> Said:
        """Run or resume it to the end."""
        told = (*words, "--yes", *confirmed(self.plan))
        if not self.wizard.asks:
            return self.typed(*told)
        return self.end(self._asked(*told))

    def _asked(self, *words: object) -> subprocess.Popen[str]:
        """Begin it as the window does, which says that what is asked for was done."""
        run = self.typed.attached(*words, "--attached", "--json")
        threading.Thread(target=_do_what_is_asked, args=(run,), daemon=True).start()
        return run

    def everything(self) -> Mapping[str, str]:
        """What a test may change and must put back, as text by name; test disks' content is none of it."""
        site = self.site
        found = dict(settings(site.server))
        found |= {f"/var/tmp of {vm}": repr(sorted(names)) for vm, names in site.files().items()}
        for vm, images in site.images().items():
            found[f"disks of {vm}"] = repr(sorted(images))
            with site.system_disk(vm).open("rb") as system:
                found[f"system disk of {vm}"] = hashlib.file_digest(system, "sha256").hexdigest()
        return found

    def differences(self, before: Mapping[str, str]) -> list[str]:
        """What is not as it was before, and processes that still run in the guests."""
        now, found = self.everything(), []
        for name in sorted({*before, *now}):
            if before.get(name) != now.get(name):
                lines = difflib.ndiff(before.get(name, "").splitlines(), now.get(name, "").splitlines())
                found.append(f"{name}: {[line for line in lines if line[0] in '+-']}")
        return found + [f"{one} runs" for one in self.site.processes()]


def _do_what_is_asked(run: subprocess.Popen[str]) -> None:
    assert run.stdout is not None
    assert run.stdin is not None
    with suppress(OSError, ValueError):  # it was killed, and its pipes are closed
        for line in run.stdout:
            if "Then resume." in line:
                run.stdin.write(json.dumps({"do": "resume"}) + "\n")
                run.stdin.flush()


def lengthen(plan: Path, measure_s: float = MEASURE_S) -> None:
    """Give the phases of a plan lengths in which a run can be killed in the middle of one."""
    shorten(plan, warm_up=WARM_UP_S, measure=measure_s, settle=SETTLE_S)


def needs_tools_guests() -> None:
    """Skip where guests can't be run behind the test vCenter: without namespaces, fio, or its program."""
    needs_own_systems()
    needs_fio()
    try:
        program("testvcenter")
    except MissingProgramError as error:
        pytest.skip(str(error))


@contextmanager
def staged(wizard: Wizard, folder: Path, edit: Callable[[Path], None] = shorten) -> Iterator[Stage]:
    """Start a vCenter for a wizard, and plan its test; ``edit`` gives the plan's phases other lengths."""
    folder.mkdir(parents=True, exist_ok=True)
    inventory = scenario(folder, hosts=wizard.hosts, vms=wizard.vms, given=wizard.given)
    with TestVCenter(inventory, rollup_days=0, guest_machines=True, disk_uuids=True, drs_period=5) as server:
        site = LoadSite(server)
        if wizard.test == "dedup-prep":
            server.fault("vsan", cluster=CLUSTER, used_bytes=1 << 30, logical_bytes=2 << 30)
        for number in range(wizard.vms if wizard.test == "drs-balance" else 0):
            server.fault("vm_load", vm=f"perf-w{number + 1:02}", mhz=20000 if number < 2 else 500)
        typed, plan = Typist(folder, site.login, site.secrets), folder / f"{wizard.test}.toml"
        told = ("--length", "quick", *site.chosen, *wizard.words)
        made = typed("test", "plan", wizard.test, server.address, "-o", plan, *told)
        assert made.code == 0, made
        edit(plan)
        if MADE[0] in wizard.words:
            plan.write_text(plan.read_text().replace(str(1 << 30), str(16 << 20)))
        yield Stage(wizard, site, typed, plan)


def kill_at(stage: Stage, run: subprocess.Popen[str], session: Path, moment: Moment) -> None:
    """Kill a run in one of its moments."""
    until, seen = time.monotonic() + _WITHIN_S, None
    delay = _DELAY_S.get(moment, 0.0)
    while seen is None or time.monotonic() - seen < delay:
        if seen is None and _is_at(stage, session, moment):
            seen = time.monotonic()
            continue
        assert run.poll() is None, f"it ended before {moment}: {stage.end(run).out[-800:]}"
        assert time.monotonic() < until, f"it did not come to {moment}"
        time.sleep(0.1)  # another process writes: there is no event to wait for
    run.kill()
    stage.end(run)


def _is_at(stage: Stage, session: Path, moment: Moment) -> bool:
    found = _written(session)
    if found is None:
        return False
    run, journal = found
    first, *inner, last = run.phases
    kinds = stage.kinds
    measured = [one for one in inner if kinds[one.name.partition(", round")[0]] == "measure"]
    running = next((one for one in inner if one.state == "running"), None)
    match moment:
        case "look":
            return first.state == "running" and bool(journal)
        case "prepare":
            return first.state == "running" and any(one.state == "applied" for one in journal)
        case "populate":
            return running is not None and running not in measured and bool(stage.site.fios())
        case "cool-down":
            return running is not None and any(one.state == "done" for one in measured)
        case "restore":
            return last.state == "running"
    return running in measured and bool(stage.site.fios())


def phase_states(session: Path) -> Mapping[str, str]:
    """The state of each phase of a run that is being written, by its name."""
    found = _written(session)
    return {} if found is None else {one.name: one.state for one in found[0].phases}


def _written(session: Path) -> tuple[TestRun, list[JournalEntry]] | None:
    try:
        with SessionReader.open(session) as reader:
            runs = reader.test_runs()
            return (runs[-1], reader.journal()) if runs else None
    except HyperscopeError:
        return None  # it is just being made
