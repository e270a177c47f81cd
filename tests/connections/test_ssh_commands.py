"""Connections over ssh to a real sshd: what runs over them, what breaks, what ends."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from connections.address import Address
from connections.failures import ClosedError
from connections.known_hosts import KnownHosts
from connections.ssh.address import parse_address
from connections.ssh.connection import CommandResult, SshConnection, TimeOuts
from connections.ssh.login import SshLogin
from resources.failures import (
    DisconnectedError,
    SourceError,
    TimedOutError,
)
from tests.connections.ssh_servers import (
    HASTY,
    SECRET,
    Sshd,
    connection,
    never,
    says,
)

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the tests' sshd is that of POSIX systems"),
    pytest.mark.usefixtures("no_thread_left"),
]


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


def test_a_command_that_hears_nothing_of_us_ends_though_the_connection_stays(
    server: Sshd, known: KnownHosts
) -> None:
    """As when the network is cut without a word: no stdin is closed, and sshd knows nothing."""
    with connection(server, known) as opened:
        process = opened.start("echo ready; exec sleep 616", silence_s=2)
        assert process.read(10) == b"ready\n"
        _, alive = psutil.wait_procs(started(server, "sleep"), timeout=20)
        assert alive == []
        assert opened.run("true", 10).exit_code == 0
        process.close()


def test_signs_of_life_keep_a_command_running_which_ends_with_its_closing(
    server: Sshd, known: KnownHosts
) -> None:
    with connection(server, known) as opened:
        process = opened.start("echo ready; exec sleep 617", silence_s=2)
        assert process.read(10) == b"ready\n"
        for _ in range(20):
            process.give_sign()
            assert process.exit_code(0.25) is None
        shells = [one for one in children(psutil.Process(server.pid)) if not is_sshd(one)]
        process.close()
        _, alive = psutil.wait_procs(shells, timeout=15)
        assert alive == []
        ended = opened.start("exit 4", silence_s=60)
        assert ended.exit_code(10) == 4
        ended.close()


def is_sshd(process: psutil.Process) -> bool:
    try:
        return str(process.name()).startswith("sshd")
    except psutil.NoSuchProcess:
        return False
