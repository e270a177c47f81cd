"""Connections over ssh to a real sshd: whom they trust, how they log in, what breaks, what ends."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from connections.address import Address
from connections.failures import ClosedError
from connections.fingerprints import HOST_KEY
from connections.known_hosts import KnownHosts
from connections.ssh.address import parse_address
from connections.ssh.connection import CommandResult, SshConnection, TimeOuts
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
    Sshd,
    keygen_fingerprint,
    make_key,
    password_server,
    says,
    sshd,
)

ROOT = Path(__file__).parents[2]
SECRET = "Tr0ub4dor&3"
HASTY = TimeOuts(connect_s=5, handshake_s=1.5, login_s=5, keepalive_s=0.5, answer_s=1.5)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tests' sshd is that of POSIX systems")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    folder = tmp_path / "sshd"
    folder.mkdir()
    with sshd(folder) as running:
        yield running


@pytest.fixture
def known(tmp_path: Path) -> KnownHosts:
    return KnownHosts(tmp_path / "data" / "known_hosts")


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and thread.is_alive()]
    for thread in left:
        thread.join(5)
    assert not [thread for thread in left if thread.is_alive()]


def yes(_: UntrustedServer) -> bool:
    return True


def never(stranger: UntrustedServer) -> bool:
    pytest.fail(f"asked about {stranger}")


def by_key(server: Sshd) -> SshLogin:
    return SshLogin(key_file=server.user_key)


def connection(server: Sshd, known: KnownHosts, **options: Any) -> SshConnection:
    return SshConnection(server.address, by_key(server), known=known, ask=yes, **options)


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
            while not place.exists():
                time.sleep(0.01)  # it is made by a program that tells nobody
            monkeypatch.setenv("SSH_AUTH_SOCK", str(place))
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
    with pytest.raises(RefusedError, match="refuses connections"):
        connection(server, known).open()


# What runs over it


def test_output_complaints_and_the_exit_code(server: Sshd, known: KnownHosts) -> None:
    with connection(server, known) as opened:
        done = opened.run("echo out; echo 'it''s bad' >&2; exit 3", 10)
        assert done == CommandResult(3, b"out\n", "its bad\n")
        assert opened.run("cat", 10) == CommandResult(0, b"", "")  # it reads nothing, and waits for nobody
        assert opened.run("kill -KILL $$", 10).exit_code != 0


def test_much_output_on_both_sides_blocks_neither(server: Sshd, known: KnownHosts) -> None:
    command = "head -c 8000000 /dev/zero >&2; head -c 8000000 /dev/zero; echo end >&2"
    with connection(server, known) as opened:
        done = opened.run(command, 60)
    assert (len(done.stdout), done.exit_code) == (8_000_000, 0)
    assert done.stderr.endswith("end\n")
    assert len(done.stderr) <= 1 << 16


def test_output_comes_as_it_is_written(server: Sshd, known: KnownHosts) -> None:
    with connection(server, known) as opened, opened.start("echo one; sleep 600") as process:
        chunks = process.chunks(10)
        assert next(chunks) == b"one\n"
        assert process.read(0.05) is None
        assert process.exit_code(0.05) is None
        with pytest.raises(TimedOutError, match="has written nothing"):
            next(process.chunks(0.05))


def test_too_much_and_too_long(server: Sshd, known: KnownHosts) -> None:
    with connection(server, known) as opened:
        with pytest.raises(SourceError, match="larger than 1000 bytes"):
            opened.run("yes", 10, max_bytes=1000)
        with pytest.raises(TimedOutError, match="did not end within"):
            opened.run("sleep 600", 0.2)
        assert opened.run("true", 10).exit_code == 0


def children(process: psutil.Process) -> list[psutil.Process]:
    found: list[psutil.Process] = process.children(recursive=True)
    return found


def started(server: Sshd, name: str) -> list[psutil.Process]:
    """The processes of this name that a command started; its shell may not be so far yet."""
    for _ in range(100):
        found = [one for one in children(psutil.Process(server.pid)) if name in one.name()]
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"no {name}")


@pytest.mark.parametrize("command", ["sleep 611 & sleep 612", "trap '' TERM HUP INT; sleep 613; sleep 614"])
def test_a_command_ends_with_its_closing(server: Sshd, known: KnownHosts, command: str) -> None:
    with connection(server, known) as opened:
        process = opened.start(f"echo ready; {command}")
        assert process.read(10) == b"ready\n"
        running = started(server, "sleep")
        process.close()
        gone, alive = psutil.wait_procs(running, timeout=10)
        assert (len(gone), alive) == (len(running), [])
        assert opened.run("true", 10).exit_code == 0


_CLIENT = """
import sys
from pathlib import Path
from connections.ssh.address import parse_address
from connections.ssh.connection import SshConnection
from connections.ssh.login import SshLogin

connection = SshConnection(
    parse_address(sys.argv[1]), SshLogin(key_file=Path(sys.argv[2])), ask=lambda stranger: True
)
connection.open()
process = connection.start("echo ready; sleep 615")
print(process.read(10).decode(), flush=True)
sys.stdin.read()
"""


def test_a_command_ends_with_a_killed_program(server: Sshd) -> None:
    words = [sys.executable, "-c", _CLIENT, str(server.address), str(server.user_key)]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == b"ready\n"
        running = [one for one in children(psutil.Process(server.pid)) if "sleep" in one.name()]
        assert running
        client.kill()
        _, alive = psutil.wait_procs(running, timeout=10)
    assert alive == []


# What breaks


def sessions(server: Sshd) -> list[psutil.Process]:
    """The processes of sshd that serve a connection."""
    return [one for one in children(psutil.Process(server.pid)) if one.name().startswith("sshd")]


def test_a_dropped_connection_is_said(server: Sshd, known: KnownHosts) -> None:
    with connection(server, known) as opened, opened.start("echo ready; sleep 600") as process:
        assert process.read(10) == b"ready\n"
        for one in sessions(server):
            one.kill()
        with pytest.raises(DisconnectedError, match="broke the ssh connection off"):
            process.read(10)
        with pytest.raises(DisconnectedError):
            process.exit_code(1)
        with pytest.raises(DisconnectedError):
            opened.run("true", 10)
        assert not opened.is_open


def test_a_machine_that_falls_silent_is_noticed(server: Sshd, known: KnownHosts) -> None:
    with connection(server, known, time_outs=HASTY) as opened:
        process = opened.start("echo ready; sleep 600")
        assert process.read(10) == b"ready\n"
        stopped = sessions(server)
        for one in stopped:
            one.suspend()
        began = time.monotonic()
        try:
            with pytest.raises(TimedOutError, match="did not answer in time"):
                process.read(60)
            assert time.monotonic() - began < 10
            with pytest.raises(TimedOutError):
                opened.start("true")
        finally:
            for one in stopped:
                one.resume()


def test_an_idle_connection_stays(server: Sshd, known: KnownHosts) -> None:
    with connection(server, known, time_outs=HASTY) as opened:
        assert HASTY.keepalive_s is not None
        time.sleep(4 * HASTY.keepalive_s)
        assert opened.run("echo still", 10).stdout == b"still\n"


def test_closing_wakes_whoever_reads(server: Sshd, known: KnownHosts) -> None:
    opened = connection(server, known)
    opened.open()
    process = opened.start("echo ready; sleep 600")
    assert process.read(10) == b"ready\n"
    failures: list[SourceError] = []

    def read() -> None:
        with pytest.raises(ClosedError) as caught:
            process.read(60)
        failures.append(caught.value)

    reader = threading.Thread(target=read)
    reader.start()
    time.sleep(0.2)  # until it reads; to read a moment later is the same
    opened.close()
    reader.join(10)
    assert len(failures) == 1
    process.close()
    with pytest.raises(ClosedError):
        opened.run("true", 10)
    opened.close()


def test_closing_ends_an_opening() -> None:
    with says(b"") as port:
        address = Address("ssh", "root", "127.0.0.1", port, usual_port=22)
        opened = SshConnection(address, SshLogin(lambda: SECRET), ask=never)
        closer = threading.Timer(0.3, opened.close)
        closer.start()
        began = time.monotonic()
        with pytest.raises(ClosedError):
            opened.open()
        assert time.monotonic() - began < 5
        closer.join()


def test_what_shows_of_it(server: Sshd, known: KnownHosts) -> None:
    assert parse_address(str(server.address)) == server.address
    assert str(parse_address("ssh://root@esx01")) == "ssh://root@esx01"
    assert repr(connection(server, known)) == f"SshConnection({server.address})"
    assert SECRET not in repr(SshLogin(lambda: SECRET))


def test_a_conversation_answers_what_it_is_told_until_its_input_ends(server: Sshd, known: KnownHosts) -> None:
    script = "while read line; do echo you said $line; done; exit 7"
    with (
        connection(server, known, time_outs=HASTY) as opened,
        opened.converse(script, "an echo") as asked,
    ):
        assert asked.read(0) is None  # nothing was said yet, and nobody waits
        asked.send(b"one\n", 5)
        assert asked.read(5) == b"you said one\n"
        asked.send(b"$(reboot)\n", 5)
        assert asked.read(5) == b"you said $(reboot)\n"
        asked.end_input()
        assert asked.read(5) == b""
        assert asked.exit_code(5) == 7
        assert asked.stderr() == ""


def test_a_conversation_says_that_the_connection_is_lost(server: Sshd, known: KnownHosts) -> None:
    quiet = TimeOuts(connect_s=5, handshake_s=5, login_s=5, keepalive_s=None, answer_s=2)
    with connection(server, known, time_outs=quiet) as opened:
        asked = opened.converse("cat", "an echo")
        for child in psutil.Process(server.pid).children(recursive=True):
            child.kill()
        with pytest.raises(DisconnectedError):
            asked.read(5)
        with pytest.raises(SourceError):
            asked.send(b"x\n", 5)
        asked.close()
