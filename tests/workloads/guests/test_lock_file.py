"""The lock of a test run in a guest that is reached alone: made as a whole or not at all, by one run only."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from connections.ssh.address import parse_address
from connections.ssh.login import SshLogin
from resources.failures import BusyError
from resources.guest_scripts import guest_script
from sessions.journal import ChangedObject
from tests.connections.ssh_servers import keygen_fingerprint
from tests.workloads.guests.running import SHELLS, shell
from tests.workloads.guests.separate import Guest, separate_guests
from workloads.guests.environment import GuestsEnvironment
from workloads.guests.lock_file import LOCK
from workloads.guests.opening import open_guests

pytestmark = pytest.mark.slow
MINE = json.dumps({"run": "r1", "test": "io-sweep", "by": "anna's pc $(id)", "since": 1})


@pytest.fixture
def guest(tmp_path: Path) -> Iterator[Guest]:
    with separate_guests(tmp_path / "guests", 1) as made:
        yield made[0]


def opened(guest: Guest) -> GuestsEnvironment:
    address = parse_address(guest.address)
    return open_guests(
        [address],
        lambda _: SshLogin(key_file=guest.server.user_key),
        pins={address: keygen_fingerprint(guest.server.host_keys[0])},
    )


def object_of(guest: Guest) -> ChangedObject:
    return ChangedObject(guest.address, "guest", guest.address, "it")


def test_a_lock_is_taken_once_read_by_others_and_freed(guest: Guest) -> None:
    here, there = opened(guest), opened(guest)
    it = object_of(guest)
    assert here.settings.read(it, LOCK) is None
    here.settings.write(it, LOCK, MINE)
    assert there.settings.read(it, LOCK) == MINE
    with pytest.raises(BusyError, match="is held by another test"):
        there.settings.write(it, LOCK, MINE.replace("r1", "r2"))
    assert here.settings.read(it, LOCK) == MINE
    here.settings.write(it, LOCK, None)
    assert guest.files() == set()
    here.settings.write(it, LOCK, None)  # once more is no error
    there.settings.write(it, LOCK, MINE)
    for one in (here, there):
        one.close()


def test_of_many_at_once_one_gets_it(guest: Guest) -> None:
    script = guest_script("lock.sh")
    words = ["nsenter", "--mount", "--target", str(guest.processes()[0].pid), "sh", "-c", script]

    def take(number: int) -> str:
        told = f"take\nrun {number}\n"
        return subprocess.run(words, input=told, capture_output=True, text=True, check=True).stdout

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(take, range(24)))
    taken = [number for number, one in enumerate(said) if one == "taken\n"]
    assert len(taken) == 1
    assert {one for one in said if one != "taken\n"} == {f"held\nrun {taken[0]}\n"}
    assert guest.files() == {"hyperscope.lock"}


@pytest.mark.parametrize("name", SHELLS)
@pytest.mark.parametrize("there", ["a symlink", "a folder", "a dangling symlink"])
def test_what_is_no_lock_of_ours_is_left_alone(name: str, there: str, tmp_path: Path) -> None:
    lock, secret = tmp_path / "hyperscope.lock", tmp_path / "secret"
    secret.write_text("not to be told\n")
    if there == "a folder":
        lock.mkdir()
    else:
        lock.symlink_to(secret if there == "a symlink" else tmp_path / "nothing")
    script = guest_script("lock.sh").replace("/var/tmp", str(tmp_path))
    for told in ("read\n", "take\nmine\n"):
        done = subprocess.run(
            [*shell(name), "-c", script], input=told, capture_output=True, text=True, check=True
        )
        assert done.stdout == "held\nsomething that no test made\n"
    assert secret.read_text() == "not to be told\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["hyperscope.lock", "secret"]
