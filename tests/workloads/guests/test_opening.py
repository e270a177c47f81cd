"""Opening guests: who is asked where, and what happens to the others if one can't be reached."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from app.recording.guest_logins import GuestLogins
from app.recording.origins import RecordOptions, password_of
from collectors.vsphere.options import VSphereOptions
from connections.address import Address
from connections.fingerprints import HOST_KEY
from connections.known_hosts import KnownHosts
from connections.ssh.login import SshLogin
from connections.untrusted import UntrustedServer
from resources.failures import RefusedError, UsageError
from tests.workloads.guests.machines import machines, opened
from workloads.guests.opening import open_guests

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tests' sshd is that of POSIX systems")


def test_a_person_is_asked_in_the_callers_thread_and_for_one_guest_at_a_time(
    tmp_path: Path, known: KnownHosts
) -> None:
    asked: list[threading.Thread] = []
    busy = threading.Lock()

    def ask(server: UntrustedServer) -> bool:
        assert busy.acquire(blocking=False)
        asked.append(threading.current_thread())
        busy.release()
        return True

    with machines(tmp_path, 4) as guests:
        keys = {one.server.address: one.server.user_key for one in guests}
        environment = open_guests(
            list(keys),
            lambda address: SshLogin(key_file=keys[address]),
            known=known.for_proof(HOST_KEY),
            ask=ask,
        )
        assert [one.name for one in environment.workers()] == [one.place for one in keys]
        environment.close()
    assert len(asked) == 4
    assert asked[0] is threading.current_thread()


def test_a_guest_that_lets_nobody_in_is_an_error_for_a_person(
    tmp_path: Path, known: KnownHosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyring.get_password", lambda *_: None)
    record = RecordOptions(VSphereOptions(), known=known)

    def password(address: Address) -> str:
        return password_of(address, record)()

    with machines(tmp_path, 3) as guests:
        first = guests[0].server.user_key  # that of one guest opens none of the others
        with pytest.raises(UsageError, match="There is no password for"):
            open_guests(
                [one.server.address for one in guests],
                GuestLogins(password, key_file=first),
                known=known.for_proof(HOST_KEY),
                ask=lambda _: True,
            )


def test_one_guest_that_is_not_there_closes_the_others(tmp_path: Path, known: KnownHosts) -> None:
    with machines(tmp_path, 2) as guests:
        guests[1].server.stop()
        with pytest.raises(RefusedError):
            opened(guests, known)


def test_addresses_are_named_once_each(known: KnownHosts) -> None:
    with pytest.raises(UsageError, match="No guest was named"):
        open_guests([], lambda _: SshLogin())
    twice = Address("ssh", "root", "app1", 22, usual_port=22)
    with pytest.raises(UsageError, match="named twice"):
        open_guests([twice, twice], lambda _: SshLogin(), known=known)
