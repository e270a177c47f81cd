"""What tests log in to guests with: keys first, one password for several guests, a line of stdin for each."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from app.recording.guest_logins import GuestLogins
from connections.address import Address
from connections.ssh.address import parse_address
from resources.failures import UsageError
from tests.connections.ssh_servers import make_key

GUESTS = [parse_address(f"ssh://root@app{number}.lab") for number in range(1, 4)]


def refuse(address: Address) -> str:
    raise AssertionError(f"{address} was asked for")


def passwords(lines: list[bytes], tmp_path: Path) -> list[str]:
    """What each guest gets from these lines of stdin."""
    left = iter(lines)
    logins = GuestLogins(refuse, next_password=lambda: next(left, None), ssh_folder=tmp_path)
    given = [logins(guest).password for guest in GUESTS]
    return [one() for one in given if one is not None]


def test_one_line_is_the_password_of_all_guests(tmp_path: Path) -> None:
    assert passwords([b"secret\n"], tmp_path) == ["secret"] * 3


def test_a_line_for_each_guest_and_the_last_one_for_the_rest(tmp_path: Path) -> None:
    assert passwords([b"one\n", b"two\n", b"three\n"], tmp_path) == ["one", "two", "three"]
    assert passwords([b"one\n", b"two\n"], tmp_path) == ["one", "two", "two"]


def test_no_line_at_all_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        passwords([], tmp_path)


def test_a_given_key_comes_before_the_usual_one_and_a_locked_one_is_none(tmp_path: Path) -> None:
    assert GuestLogins(refuse, ssh_folder=tmp_path)(GUESTS[0]).key_file is None
    locked = make_key(tmp_path / "id_ed25519", passphrase="locked")
    assert GuestLogins(refuse, ssh_folder=tmp_path)(GUESTS[0]).key_file is None
    usual = make_key(tmp_path / "id_rsa", "rsa")
    assert GuestLogins(refuse, ssh_folder=tmp_path)(GUESTS[0]).key_file == usual
    mine = make_key(tmp_path / "mine")
    login = GuestLogins(refuse, key_file=mine, ssh_folder=tmp_path)(GUESTS[0])
    assert (login.key_file, login.passphrase) == (mine, None)  # nobody is asked for what it does not need
    assert login.agent
    login = GuestLogins(lambda _: "locked", key_file=locked, agent=False, ssh_folder=tmp_path)(GUESTS[0])
    assert (login.key_file, login.password, login.agent) == (locked, None, False)
    assert login.passphrase is not None


def test_nobody_is_asked_twice_for_a_login_that_guests_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyring.get_password", lambda *_: None)
    asked: list[Address] = []

    def ask(address: Address) -> str:
        asked.append(address)
        return "typed"

    logins = GuestLogins(ask, ssh_folder=tmp_path)
    given = [logins(guest).password for guest in GUESTS]
    assert asked == []  # not before a guest wants a password
    got: list[str] = []
    threads = [threading.Thread(target=lambda one=one: got.append(one())) for one in given]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == ["typed"] * 3
    assert len(asked) == 1


def test_the_keyring_has_each_guests_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keyring.get_password", lambda _service, user: f"of {user}")
    logins = GuestLogins(refuse, ssh_folder=tmp_path)
    password = logins(GUESTS[1]).password
    assert password is not None
    assert password() == "of ssh://root@app2.lab"
