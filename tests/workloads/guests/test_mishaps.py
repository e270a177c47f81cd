"""What goes wrong while guests work: a killed controller, a guest that hangs, a full disk, a wrong clock."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from connections.known_hosts import KnownHosts
from tests.workloads.guests.machines import (
    HASTY,
    Machine,
    image,
    machines,
    mixed,
    opened,
    settable_clock,
)
from tests.workloads.guests.running import fios, wait_until
from workloads.environment import Work, WorkSample
from workloads.guests.worker import DEFAULTS, GuestWorker
from workloads.job_file import Disk

ROOT = Path(__file__).parents[3]

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the tests' guests are Linux"),
    pytest.mark.slow,
]


def test_no_job_outlives_a_killed_controller(machine: Machine, known: KnownHosts, tmp_path: Path) -> None:
    words = [
        sys.executable, "-m", "tests.workloads.guests.controller", str(machine.server.address),
        str(machine.server.user_key), str(tmp_path / "data" / "known_hosts"), machine.file().path, "6",
    ]  # fmt: skip
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as controller:
        assert controller.stdout is not None
        folder = controller.stdout.readline().strip()
        while controller.stdout.readline().strip() != "running":
            pass
        wait_until(lambda: fios(folder))
        controller.kill()
    killed = time.monotonic()
    wait_until(lambda: not fios(folder), 60)
    assert time.monotonic() - killed > 2  # not the end of the connection ended it: it may be made again
    wait_until((Path(folder) / "rc").exists)
    assert (Path(folder) / "rc").read_text().split()[1] == "silent"
    environment = opened([machine], known)
    place = environment.workers()[0].place("run-1")
    assert place.id == folder
    environment.settings.write(place, "folder", None)
    assert not Path(folder).exists()
    environment.close()


@contextmanager
def at_work(
    machine: Machine, known: KnownHosts, runtime: int = 300, work: Work | None = None
) -> Iterator[GuestWorker]:
    """A worker whose job runs and has told something."""
    environment = opened([machine], known)
    worker = environment.workers()[0]
    worker.prepare("run-1", work or mixed(machine.file(), runtime=runtime))
    worker.start(environment.now_ms())
    try:
        wait_until(lambda: worker.poll().samples or worker.poll().state == "failed")
        yield worker
    finally:
        environment.close()
    assert not fios(worker.place("run-1").id)


def test_a_guest_is_not_lost_because_nobody_asked_it(machine: Machine, known: KnownHosts) -> None:
    environment = opened([machine], known)
    worker = environment.workers()[0]
    worker.prepare("run-1", mixed(machine.file(), runtime=300))
    worker.start(environment.now_ms())
    try:
        time.sleep(HASTY.lost_after_s + 1)  # a controller that is held up, as by starting many others
        assert worker.poll().state != "lost"
        wait_until(lambda: worker.poll().samples)
    finally:
        environment.close()
        wait_until(lambda: not fios(worker.place("run-1").id))


def test_a_guest_that_hangs_is_lost_and_tells_its_end_when_it_is_back(
    machine: Machine, known: KnownHosts
) -> None:
    with at_work(machine, known) as worker:
        hanging = psutil.Process(machine.server.pid).children(recursive=True)
        for process in hanging:
            with suppress(psutil.NoSuchProcess):  # what the load asks for now and then has ended
                process.suspend()
        try:
            wait_until(lambda: worker.poll().state == "lost", 30)
            assert "has not answered for" in worker.poll().why
            wait_until(lambda: not fios(worker.place("run-1").id), 30)
        finally:
            for process in hanging:
                with suppress(psutil.NoSuchProcess):
                    process.resume()
        wait_until(lambda: worker.poll().state == "failed", 30)
        assert "heard nothing from here for 6 s" in worker.poll().why
        assert worker.fetch()[-1].workers[0].read.total_ios > 0  # what it did until then
        worker.clean_up()


def test_a_guest_that_loses_its_network_for_a_moment_goes_on(machine: Machine, known: KnownHosts) -> None:
    with at_work(machine, known, runtime=14) as worker:
        machine.kill_network()
        wait_until(lambda: worker.poll().state == "lost", 30)
        assert worker.poll().why
        machine.server.start()
        wait_until(lambda: worker.poll().state == "running", 30)
        wait_until(lambda: worker.poll().state == "ended", 60)
        assert worker.fetch()[-1].workers[0].read.runtime >= 13_000
        worker.clean_up()


def test_a_guest_that_loses_its_network_for_good_ends_its_job(machine: Machine, known: KnownHosts) -> None:
    with at_work(machine, known) as worker:
        machine.kill_network()
        wait_until(lambda: not fios(worker.place("run-1").id), 40)
        wait_until(lambda: worker.poll().state == "lost")
        assert worker.fetch()[-1].workers[0].read.total_ios > 0
        machine.server.start()
        worker.clean_up()
        assert not Path(worker.place("run-1").id).exists()


def test_a_job_that_fills_the_guests_disk_fails_and_says_so(
    machine: Machine, known: KnownHosts, tmp_path: Path
) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(small)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        disk = Disk("disk", str(image(small / "work", 64 << 20)))
        with at_work(machine, known, work=Work("fill", {"depth": 4}, (disk,))) as worker:
            wait_until(lambda: worker.poll().state == "failed")
            assert "No space left on device" in worker.poll().why
            worker.clean_up()
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_folder_that_is_removed_during_the_run_is_noticed(machine: Machine, known: KnownHosts) -> None:
    with at_work(machine, known) as worker:
        folder = Path(worker.place("run-1").id)
        folder.rename(folder.with_name(folder.name + "-moved"))
        wait_until(lambda: worker.poll().state == "failed")
        assert "was removed while it ran" in worker.poll().why
        folder.with_name(folder.name + "-moved").rename(folder)
        worker.clean_up()
        assert not folder.exists()


def test_a_killed_launcher_is_noticed(machine: Machine, known: KnownHosts) -> None:
    with at_work(machine, known) as worker:
        folder = Path(worker.place("run-1").id)
        psutil.Process(int((folder / "launcher").read_text().split()[0])).kill()
        wait_until(lambda: worker.poll().state == "failed")
        assert "The launcher in" in worker.poll().why
        worker.stop()
        assert not fios(folder)
        worker.clean_up()


@pytest.mark.parametrize("shift_s", [3600, -86400])
def test_a_guest_with_a_wrong_clock_begins_at_the_right_instant(
    shift_s: int, known: KnownHosts, tmp_path: Path
) -> None:
    library = next(iter(Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), None)
    if library is None:
        pytest.skip("no faketime here")
    with machines(tmp_path, 1, f"SetEnv LD_PRELOAD={library} FAKETIME={shift_s:+d}s") as made:
        environment = opened(made, known)
        worker = environment.workers()[0]
        facts = worker.inspect()
        assert facts.clock_offset_ms == pytest.approx(shift_s * 1000, abs=facts.clock_error_ms + 50)
        worker.prepare("run-1", mixed(made[0].file(), runtime=3))
        at = environment.now_ms() + 3000
        worker.start(at)
        samples: list[WorkSample] = []
        while (progress := worker.poll()).state not in ("ended", "failed"):
            samples += progress.samples
            time.sleep(0.1)
        assert progress.state == "ended", progress.why
        samples += progress.samples
        assert samples
        assert all(at < sample.at < at + 15_000 for sample in samples)
        last = worker.fetch()[-1]
        began = last.at - last.workers[0].read.runtime
        assert -100 < began - at < 3000
        worker.clean_up()
        environment.close()


def test_a_guest_whose_clock_is_set_forward_is_given_up(known: KnownHosts, tmp_path: Path) -> None:
    option, set_clock = settable_clock(tmp_path)
    with machines(tmp_path, 1, option) as made:
        environment = opened(made, known)
        worker = environment.workers()[0]
        worker.prepare("run-1", mixed(made[0].file(), runtime=300))
        set_clock(3600)
        worker.start(environment.now_ms() + 1000)
        samples: list[WorkSample] = []
        wait_until(lambda: _heard(worker, samples) == "failed")
        assert "was set forward by about 1 h while its job ran" in worker.poll().why
        assert samples == []
        assert worker.fetch() == (), "nothing has the time of a wrong clock"
        worker.clean_up()
        environment.close()


def _heard(worker: GuestWorker, samples: list[WorkSample]) -> str:
    progress = worker.poll()
    samples += progress.samples
    return progress.state


def test_a_guest_whose_clock_is_set_back_before_the_start_says_so(known: KnownHosts, tmp_path: Path) -> None:
    option, set_clock = settable_clock(tmp_path)
    with machines(tmp_path, 1, option) as made:
        environment = opened(made, known)
        worker = environment.workers()[0]
        worker.prepare("run-1", mixed(made[0].file(), runtime=300))
        set_clock(-3600)
        worker.start(environment.now_ms() + 1000)
        wait_until(lambda: worker.poll().state == "failed", 120)
        assert "its clock was set back" in worker.poll().why
        worker.clean_up()
        environment.close()


def test_the_guest_ends_a_silent_job_within_half_a_minute_unless_a_test_says_otherwise() -> None:

    assert DEFAULTS.silence_s == 30
    assert HASTY.silence_s < DEFAULTS.silence_s
