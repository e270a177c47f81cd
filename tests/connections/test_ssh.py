"""Connections over ssh to a real sshd: whom they trust, and how they log in."""

from __future__ import annotations

import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from connections.address import Address
from connections.fingerprints import HOST_KEY
from connections.known_hosts import KnownHosts
from connections.ssh.connection import CommandResult, SshConnection
from connections.ssh.login import SshLogin
from connections.untrusted import UntrustedServer
from resources.failures import (
    AccessDeniedError,
    ChangedCertificateError,
    DisconnectedError,
    LoginError,
    NotSSHError,
    RefusedError,
    SourceError,
    TimedOutError,
    UntrustedError,
    UsageError,
)
from tests.connections.ssh_servers import (
    HASTY,
    SECRET,
    Sshd,
    by_key,
    connection,
    keygen_fingerprint,
    make_key,
    never,
    password_server,
    says,
    yes,
)

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the tests' sshd is that of POSIX systems"),
    pytest.mark.usefixtures("no_thread_left"),
]


# Whom it trusts


def test_a_new_machine_is_asked_about_once_with_the_fingerprint_that_ssh_keygen_says(
    server: Sshd, known: KnownHosts, tmp_path: Path
) -> None:
    asked: list[UntrustedServer] = []

    def right(stranger: UntrustedServer) -> bool:
        assert "Accepted" not in server.log
        asked.append(stranger)
        return True

    with SshConnection(server.address, by_key(server), known=known, ask=right):
        pass
    shown = f"ssh-ed25519 {keygen_fingerprint(server.host_keys[0])}"
    assert [(one.host, one.port, one.shown) for one in asked] == [(server.host, server.port, shown)]
    lines = (tmp_path / "data" / "known_hosts").read_text(encoding="utf-8").splitlines()
    assert f"ssh://{server.host}:{server.port} {shown}" in lines
    assert known.remembered(server.host, server.port) is None  # no certificate of that port was trusted
    with SshConnection(server.address, by_key(server), known=known, ask=never) as again:
        assert again.run("echo here", 10) == CommandResult(0, b"here\n", "")


@pytest.mark.parametrize("ask", [None, lambda _: False], ids=["nobody", "no"])
def test_a_new_machine_that_nobody_vouches_for_is_refused(
    server: Sshd, known: KnownHosts, ask: Callable[[UntrustedServer], bool] | None
) -> None:
    with pytest.raises(UntrustedError) as caught:
        SshConnection(server.address, SshLogin(lambda: SECRET), known=known, ask=ask).open()
    assert f"--thumbprint {keygen_fingerprint(server.host_keys[0])}" in caught.value.advice
    assert known.for_proof(HOST_KEY).remembered(server.host, server.port) is None
    assert "password" not in server.log


def test_a_pinned_key_is_taken_and_remembered(server: Sshd, known: KnownHosts) -> None:
    pin = keygen_fingerprint(server.host_keys[0])
    with SshConnection(server.address, by_key(server), pin=pin, known=known, ask=never):
        pass
    assert known.for_proof(HOST_KEY).remembered(server.host, server.port) == f"ssh-ed25519 {pin}"


def test_another_than_the_pinned_key_is_refused(server: Sshd, tmp_path: Path) -> None:
    pin = keygen_fingerprint(make_key(tmp_path / "other"))
    with pytest.raises(ChangedCertificateError) as caught:
        SshConnection(server.address, SshLogin(lambda: SECRET), pin=pin).open()
    assert pin in caught.value.meaning
    assert keygen_fingerprint(server.host_keys[0]) in caught.value.meaning
    assert "password" not in server.log


def test_a_changed_key_is_refused_before_anything_is_sent(
    server: Sshd, known: KnownHosts, tmp_path: Path
) -> None:
    with connection(server, known):
        pass
    server.stop()
    server.host_keys = [make_key(tmp_path / "other")]
    server.start()
    with pytest.raises(ChangedCertificateError) as caught:
        SshConnection(server.address, SshLogin(lambda: SECRET), known=known, ask=never).open()
    assert keygen_fingerprint(server.host_keys[0]) in caught.value.meaning
    assert "password" not in server.log


@pytest.mark.parametrize("kind", ["rsa", "ecdsa"])
def test_a_machine_that_got_another_key_as_well_is_still_known(
    server: Sshd, known: KnownHosts, tmp_path: Path, kind: str
) -> None:
    server.stop()
    first = server.host_keys
    server.host_keys = [make_key(tmp_path / "old", kind)]
    server.start()
    with connection(server, known):
        pass
    server.stop()
    server.host_keys = [*first, *server.host_keys]
    server.start()
    with SshConnection(server.address, by_key(server), known=known, ask=never) as again:
        assert again.is_open


# How it logs in


def test_a_wrong_password_is_said_without_it(server: Sshd) -> None:
    attempt = SshConnection(server.address, SshLogin(lambda: SECRET), ask=yes)
    with pytest.raises(LoginError, match="does not let") as caught:
        attempt.open()
    assert caught.value.exit_code == 27
    assert "Failed password" in server.log
    told = "".join(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
    assert SECRET not in told


def test_a_key_that_the_machine_does_not_know_is_refused(server: Sshd, tmp_path: Path) -> None:
    login = SshLogin(key_file=make_key(tmp_path / "mine"))
    with pytest.raises(LoginError):
        SshConnection(server.address, login, ask=yes).open()


@pytest.mark.parametrize("kind", ["ed25519", "rsa", "ecdsa"])
def test_a_key_with_a_passphrase(server: Sshd, tmp_path: Path, kind: str) -> None:
    key = make_key(tmp_path / "locked", kind, SECRET)
    Path(f"{server.user_key}.pub").write_bytes(Path(f"{key}.pub").read_bytes())
    with SshConnection(server.address, SshLogin(key_file=key, passphrase=lambda: SECRET), ask=yes) as opened:
        assert opened.is_open
    with pytest.raises(UsageError, match="locked with a passphrase"):
        SshConnection(server.address, SshLogin(key_file=key), ask=yes).open()
    with pytest.raises(UsageError) as caught:
        SshConnection(
            server.address, SshLogin(key_file=key, passphrase=lambda: "no" + SECRET), ask=yes
        ).open()
    told = "".join(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
    assert "no" + SECRET not in told


def test_a_file_that_is_no_key(server: Sshd, tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("Dear Anna", encoding="utf-8")
    with pytest.raises(UsageError, match="no private key"):
        SshConnection(server.address, SshLogin(key_file=tmp_path / "letter"), ask=yes).open()
    with pytest.raises(AccessDeniedError, match="can't be read"):
        SshConnection(server.address, SshLogin(key_file=tmp_path / "nowhere"), ask=yes).open()


def test_the_keys_of_an_agent(server: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "agent"
    with subprocess.Popen(["ssh-agent", "-D", "-a", str(place)], stdout=subprocess.DEVNULL) as agent:
        try:
            monkeypatch.setenv("SSH_AUTH_SOCK", str(place))
            while subprocess.run(["ssh-add", "-l"], capture_output=True, check=False).returncode == 2:
                pass  # the agent does not answer yet; it tells nobody when it does
            with pytest.raises(LoginError, match="nothing to log"):
                SshConnection(server.address, SshLogin(agent=True), ask=yes).open()
            for key in (make_key(tmp_path / "another"), server.user_key):
                subprocess.run(["ssh-add", "-q", str(key)], check=True)
            with SshConnection(server.address, SshLogin(agent=True), ask=yes) as opened:
                assert opened.run("true", 10).exit_code == 0
        finally:
            agent.terminate()


@pytest.mark.parametrize("kinds", ["password", "keyboard-interactive"], ids=["password", "as ESXi asks"])
def test_a_password(tmp_path: Path, kinds: str) -> None:
    with password_server(tmp_path, SECRET, kinds) as address:
        with SshConnection(address, SshLogin(lambda: SECRET), ask=yes) as opened:
            assert opened.is_open
        with pytest.raises(LoginError):
            SshConnection(address, SshLogin(lambda: "another"), ask=yes).open()


def test_a_machine_that_takes_only_keys_says_so(server: Sshd) -> None:
    server.stop()
    server.options = ["AuthenticationMethods publickey"]
    server.start()
    with pytest.raises(LoginError, match="takes only: publickey"):
        SshConnection(server.address, SshLogin(lambda: SECRET), ask=yes).open()


# What is no sshd


def failing(port: int) -> tuple[SourceError, float]:
    """What opening a connection to that port raises, and after how long."""
    address = Address("ssh", "root", "127.0.0.1", port, usual_port=22)
    began = time.monotonic()
    with pytest.raises(SourceError) as caught:
        SshConnection(address, SshLogin(lambda: SECRET), ask=never, time_outs=HASTY).open()
    assert SECRET not in str(caught.value)
    return caught.value, time.monotonic() - began


@pytest.mark.parametrize("first_words", [b"", b"SSH-2.0-OpenSSH_9.2\r\n"], ids=["no banner", "no keys"])
def test_a_server_that_says_nothing_more_is_not_waited_for(first_words: bytes) -> None:
    with says(first_words) as port:
        error, took_s = failing(port)
    assert type(error) is TimedOutError
    assert took_s < 5


@pytest.mark.parametrize(
    ("first_words", "kind"),
    [
        (b"", DisconnectedError),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n" * 100, NotSSHError),
        (b"\x00\xff" * 5000 + b"\n", NotSSHError),
        (b"SSH-1.5-old\r\n", NotSSHError),
    ],
    ids=["hangs up", "a web server", "garbage", "ssh 1"],
)
def test_what_does_not_speak_ssh(first_words: bytes, kind: type[SourceError]) -> None:
    with says(first_words, and_hangs_up=True) as port:
        error, took_s = failing(port)
    assert type(error) is kind
    assert took_s < 5


def test_nothing_listens(server: Sshd, known: KnownHosts) -> None:
    server.stop()
    with pytest.raises(RefusedError) as caught:
        connection(server, known).open()
    said = f"{server.address.host} refuses connections to port {server.port}."
    assert caught.value.happened == said  # the port is told once
