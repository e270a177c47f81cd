"""Passwords: where they come from, and where they never show."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterator

import keyring
import keyring.backend
import keyring.backends.fail
import pytest
from keyring.errors import KeyringLocked, PasswordDeleteError

from connections.address import Address
from connections.secrets import (
    SERVICE,
    Password,
    delete_password,
    find_password,
    prompt_password,
    prompt_password_or_key,
    store_password,
)
from connections.vsphere.address import parse_address
from resources.failures import UsageError

ADDRESS = parse_address("vcenter://administrator@vsphere.local@vc01.lab")
SECRET = "Pa ßwörd@:/#\t'\""


NO_KEYRING = keyring.backends.fail.Keyring()


class InMemory(keyring.backend.KeyringBackend):
    """A keyring that works as the systems' do."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if (service, username) not in self.kept:
            raise PasswordDeleteError("not found")
        del self.kept[service, username]


class Locked(InMemory):
    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("nobody unlocked it")


@pytest.fixture
def ring() -> Iterator[InMemory]:
    before = keyring.get_keyring()
    ring = InMemory()
    keyring.set_keyring(ring)
    yield ring
    keyring.set_keyring(before)


def never(_: str) -> str:
    pytest.fail("it asked")


def test_standard_input_comes_first_and_only_its_line_is_taken(ring: InMemory) -> None:
    ring.set_password(SERVICE, str(ADDRESS), "old")
    stdin = io.BytesIO(f"{SECRET}\r\nsecond\n{{}}".encode())
    first = find_password(ADDRESS, stdin=stdin, ask=never)
    assert (first(), first.origin) == (SECRET, "stdin")
    assert find_password(ADDRESS, stdin=stdin, ask=never)() == "second"
    assert stdin.read() == b"{}"


@pytest.mark.parametrize("given", [b"", b"\n", b"\r\n", b"\xff\xfe\n"])
def test_standard_input_without_a_password(given: bytes) -> None:
    with pytest.raises(UsageError) as caught:
        find_password(ADDRESS, stdin=io.BytesIO(given), ask=never)
    assert "password" in str(caught.value)


def test_the_keyring_is_asked_before_people(ring: InMemory) -> None:
    assert store_password(ADDRESS, Password(SECRET, "prompt"))
    assert list(ring.kept) == [("hyperscope", "vcenter://administrator@vsphere.local@vc01.lab")]
    found = find_password(ADDRESS, interactive=True, ask=never)
    assert (found(), found.origin) == (SECRET, "keyring")
    assert delete_password(ADDRESS)
    assert not delete_password(ADDRESS)


@pytest.mark.parametrize("broken", [Locked(), NO_KEYRING])
def test_without_a_keyring_somebody_is_asked(ring: InMemory, broken: keyring.backend.KeyringBackend) -> None:
    keyring.set_keyring(broken)
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return SECRET

    found = find_password(ADDRESS, interactive=True, ask=answer)
    assert (found(), found.origin) == (SECRET, "prompt")
    assert asked == ["Password of administrator@vsphere.local at vc01.lab: "]


def test_a_machine_without_a_keyring_keeps_nothing(ring: InMemory) -> None:
    keyring.set_keyring(NO_KEYRING)
    assert not store_password(ADDRESS, Password(SECRET, "prompt"))
    assert not delete_password(ADDRESS)


def test_nobody_there_and_nothing_kept(ring: InMemory) -> None:
    with pytest.raises(UsageError, match="--password-stdin"):
        find_password(ADDRESS, ask=never)


def test_no_answer_is_no_password() -> None:
    def hang_up(_: str) -> str:
        raise EOFError

    for answer in (hang_up, lambda _: ""):
        with pytest.raises(UsageError):
            prompt_password(ADDRESS, answer)


def test_it_does_not_show() -> None:
    password = Password(SECRET, "prompt")
    assert SECRET not in f"{password}{password!r}{[password]}"
    assert not hasattr(password, "__dict__")
    with pytest.raises(TypeError):
        pickle.dumps(password)


def test_who_has_a_key_may_give_no_password() -> None:
    asked: list[str] = []

    def answer(text: str) -> Callable[[str], str]:
        def ask(question: str) -> str:
            asked.append(question)
            return text

        return ask

    address = Address("ssh", "root", "esx01", 22, usual_port=22)
    given = prompt_password_or_key(address, answer("secret"))
    assert given is not None
    assert (given(), given.origin) == ("secret", "prompt")
    assert prompt_password_or_key(address, answer("")) is None
    assert asked == ["Password of root at esx01 (Enter: by key alone): "] * 2
