"""A check that is killed while it asks the guests: what it leaves there, and what takes that away."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.app.tools_runs import Wizard, needs_tools_guests, staged
from tests.app.typed import Typist
from tests.vcenter.load_site import LoadSite
from tests.workloads.guests.running import needs_fio, wait_until
from tests.workloads.guests.separate import separate_guests

pytestmark = pytest.mark.slow


def ended(begun: subprocess.Popen[str]) -> None:
    begun.kill()
    begun.wait()
    if begun.stdout is not None:
        begun.stdout.close()


def test_over_ssh_nothing_is_left(tmp_path: Path) -> None:
    needs_fio()
    with separate_guests(tmp_path / "guests", 2) as guests:
        pins = [word for one in guests for word in ("--thumbprint", one.host_key)]
        typed = Typist(tmp_path, ["--key", str(guests[0].server.user_key), "--no-agent", *pins])
        plan = tmp_path / "p.toml"
        addresses = [one.address for one in guests]
        begun = time.monotonic()
        made = typed("test", "plan", "io-sweep", *addresses, "-o", plan, "--length", "quick")
        took = time.monotonic() - begun
        assert made.code == 0, made
        for part in (0.3, 0.5, 0.6, 0.7, 0.8, 0.9):
            check = typed.begin("test", "check", plan)
            time.sleep(took * part)  # nobody tells how far it is
            ended(check)
            wait_until(lambda: all(_is_quiet(one.processes()) for one in guests), 20)
            assert [one.files() for one in guests] == [set(), set()]
        assert typed("test", "check", plan).code == 0


def _is_quiet(processes: list) -> bool:  # type: ignore[type-arg] # of psutil
    return all(one.name().startswith("sshd") for one in processes if one.is_running())


def test_through_tools_the_next_check_removes_it(tmp_path: Path) -> None:
    needs_tools_guests()
    with staged(Wizard("io-sweep", ("--set", "depths=1,4")), tmp_path) as stage:
        before = stage.everything()
        check = stage.typed.begin("test", "check", stage.plan)
        wait_until(lambda: _left(stage.site) or check.poll() is not None, 60)
        ended(check)
        wait_until(lambda: not stage.site.processes(), 30)  # a script that had begun ends
        left = _left(stage.site)
        assert left, "it was not killed while it asked"
        then = time.time() - 301
        for one in left:
            os.utime(one, (then, then))
        again = stage.typed("test", "check", stage.plan)
        assert again.code == 0, again
        assert stage.differences(before) == []


def _left(site: LoadSite) -> list[Path]:
    return [one for one in site.server.folder.glob("testvc-guests-*/*/var-tmp/hyperscope-*") if one.is_dir()]
