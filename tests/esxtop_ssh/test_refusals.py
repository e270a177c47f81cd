"""Hosts that give no esxtop over ssh: each is said in a sentence, with what to do; and hostile ones."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from collectors.esxtop.over_ssh.collector import EsxtopSshCollector, SshPace
from collectors.esxtop.over_ssh.refusals import connecting_failed
from connections.fingerprints import HOST_KEY
from connections.known_hosts import KnownHosts
from connections.ssh.address import SSH, parse_address
from connections.ssh.login import SshLogin
from resources.failures import (
    ChangedCertificateError,
    DisconnectedError,
    HyperscopeError,
    LoginError,
    NoCountersError,
    PrivilegeError,
    RefusedError,
    TimedOutError,
    UntrustedError,
    UsageError,
)
from tests.connections.ssh_servers import by_key, keygen_fingerprint, make_key, says
from tests.esxtop_ssh.conftest import HASTY, QUICK, Recording, collector
from tests.esxtop_ssh.fake_hosts import FakeHost
from tests.vsphere.feeds import MemoryFeed, Stop

pytestmark = pytest.mark.usefixtures("no_thread_left")
Start = Callable[..., Recording]


def refused(host: FakeHost, known: KnownHosts) -> HyperscopeError:
    with pytest.raises(HyperscopeError) as caught:
        collector(host, known).run(MemoryFeed(), Stop())
    error = caught.value
    assert all(character.isprintable() for character in str(error)), str(error)
    return error


def restarted(host: FakeHost, *options: str) -> None:
    host.server.stop()
    host.server.options += options
    host.server.start()


def test_ssh_is_off(host: FakeHost, known: KnownHosts) -> None:
    host.server.stop()
    error = refused(host, known)
    assert isinstance(error, RefusedError)
    assert error.happened == f"{host.server.address.host} refuses ssh on port {host.server.port}."
    assert error.meaning == "On an ESXi host ssh is off until somebody starts it."
    assert "Configure > Services > SSH > Start" in error.advice
    assert "F2 > Troubleshooting Options > Enable SSH" in error.advice


def test_a_firewall_swallows_ssh() -> None:
    """A connection that nobody answers takes its time; what is said of it does not."""
    address = parse_address("ssh://root@esx01")
    silent = TimedOutError("esx01 does not answer on port 22.", meaning="…", advice="…")
    error = connecting_failed(silent, address)
    assert isinstance(error, TimedOutError)
    assert "a firewall swallows ssh" in error.meaning
    assert "Configure > Services > SSH > Start" in error.advice


def test_a_login_that_is_refused_tells_of_lockdown_mode(
    host: FakeHost, known: KnownHosts, tmp_path: Path
) -> None:
    login = SshLogin(key_file=make_key(tmp_path / "another_key"))
    other = EsxtopSshCollector(
        host.server.address, login, known=known, ask=lambda server: True, time_outs=HASTY, streaming=QUICK
    )
    with pytest.raises(LoginError) as caught:
        other.run(MemoryFeed(), Stop())
    assert "In lockdown mode a host lets only its exception users in" in caught.value.advice
    assert "locks the account for 15 minutes" in caught.value.advice
    assert host.starts() == 0


def test_a_shell_that_wants_a_terminal(host: FakeHost, known: KnownHosts) -> None:
    menu = (
        "printf 'Welcome!\\033[2J\\a\\nThis account is for interactive use only: request a PTY.\\n'; exit 1"
    )
    restarted(host, f"ForceCommand {menu}")
    error = refused(host, known)
    assert isinstance(error, NoCountersError)
    assert error.happened.endswith("in, but runs no commands over ssh.")
    assert "interactive use only: request a PTY" in error.meaning
    assert "Its shell wants a terminal" in error.meaning
    assert "\x1b" not in str(error)


def test_a_machine_without_esxtop(host: FakeHost, known: KnownHosts) -> None:
    (host.programs / "esxtop").unlink()
    (host.programs / "vmware").unlink()
    error = refused(host, known)
    assert isinstance(error, NoCountersError)
    assert error.happened == f"{host.server.address.place} has no esxtop."
    assert error.meaning == f"It says that it is {os.uname().sysname}."


def test_an_account_that_is_not_root(host: FakeHost, known: KnownHosts) -> None:
    host.program("id", "echo 1001\n")
    host.program("esxtop", "echo 'You need root privileges to run esxtop.' >&2; exit 1\n")
    error = refused(host, known)
    assert isinstance(error, PrivilegeError)
    assert error.meaning == (
        "It needs root, and the account is none. It said 'You need root privileges to run esxtop.'."
    )


def test_an_esxtop_that_ends_at_once(host: FakeHost, known: KnownHosts) -> None:
    host.program("esxtop", "printf 'VSI: \\033[31mnot today\\n' >&2; exit 3\n")
    error = refused(host, known)
    assert isinstance(error, NoCountersError)
    assert error.happened.endswith("ended before its first sample.")
    assert "Its exit code is 3." in error.meaning
    assert "not today" in error.meaning


def test_an_esxtop_that_says_nothing(host: FakeHost, known: KnownHosts) -> None:
    host.program("esxtop", "exec sleep 1000\n")  # its version, too, is waited for in vain
    error = refused(host, known)
    assert isinstance(error, TimedOutError)
    assert "has written nothing for 3 s" in error.happened


def test_output_that_is_something_else(host: FakeHost, known: KnownHosts) -> None:
    host.program("esxtop", "while :; do echo '<html><b>503</b>'; done\n")
    error = refused(host, known)
    assert isinstance(error, DisconnectedError)
    assert "<html><b>503</b>" in error.meaning


def test_a_header_that_is_none(host: FakeHost, known: KnownHosts) -> None:
    host.program(
        "esxtop",
        'echo \'"(PDH-CSV 4.0) (UTC)(0)","\\\\\\\\WIN\\\\LogicalDisk(C:)\\\\% Free Space"\'; sleep 1000\n',
    )
    error = refused(host, known)
    assert isinstance(error, DisconnectedError)
    assert error.happened == "What esxtop wrote as a header is none."


def test_what_is_no_ssh_at_all(known: KnownHosts, tmp_path: Path) -> None:
    with says(b"HTTP/1.1 400 Bad Request\r\n\r\n\xff\xfe\r\n") as port:
        address = parse_address(f"ssh://root@127.0.0.1:{port}")
        other = EsxtopSshCollector(address, SshLogin(lambda: "secret"), known=known, time_outs=HASTY)
        with pytest.raises(HyperscopeError, match="does not speak ssh"):
            other.run(MemoryFeed(), Stop())


def test_an_unknown_host_key_and_one_that_has_changed(
    host: FakeHost, known: KnownHosts, tmp_path: Path
) -> None:
    def run(known: KnownHosts) -> HyperscopeError:
        nobody = EsxtopSshCollector(host.server.address, by_key(host.server), known=known, time_outs=HASTY)
        with pytest.raises(HyperscopeError) as caught:
            nobody.run(MemoryFeed(), Stop())
        return caught.value

    shown = keygen_fingerprint(host.server.host_keys[0])
    keys = known.for_proof(HOST_KEY)
    unknown = run(keys)
    assert isinstance(unknown, UntrustedError)
    assert shown in unknown.meaning
    assert f"--thumbprint {shown}" in unknown.advice
    before = keygen_fingerprint(make_key(tmp_path / "old_host_key"))
    keys.remember(host.server.host, host.server.port, f"ssh-ed25519 {before}")
    changed = run(keys)
    assert isinstance(changed, ChangedCertificateError)
    assert shown in changed.meaning
    assert before in changed.meaning
    assert host.starts() == 0


@pytest.mark.parametrize(("interval_s", "said"), [(1.0, "every 2 s at most"), (2.5, "whole seconds")])
def test_intervals_that_esxtop_has_not(interval_s: float, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        EsxtopSshCollector(parse_address(SSH.example), SshLogin(), SshPace(interval_s))


HOSTILE = "\x1b]0;owned\x07\x1b[2J$(reboot) `reboot` ; rm -rf / \u202e<b>&amp;\r"


def test_hostile_banners_greetings_and_lines_change_nothing(
    host: FakeHost, recording: Start, capture: Path, tmp_path: Path
) -> None:
    banner = tmp_path / "banner"
    banner.write_text(HOSTILE * 20 + "\n", encoding="utf-8")
    restarted(host, f"Banner {banner}")
    host.program("vmware", f"cat '{banner}'\n")
    host.program("uname", f"cat '{banner}'\n")
    greeting = f'{HOSTILE}\n"(PDH\n' + "x" * 5000 + "\n"
    host.plan(
        capture, every_s=0.05, then="hang", greeting=greeting, garbage=f"{HOSTILE}\n", stderr=f"{HOSTILE}\n"
    )
    run = recording(host)
    run.until_ticks(20)
    run.end()
    messages = {health.message for health in run.feed.history}
    assert any("Between esxtop's rows stands" in message for message in messages)
    assert any("esxtop says" in message for message in messages)
    told = [*messages, *(str(fact.value) for fact in run.feed.facts)]
    assert all(text.isprintable() for text in told), [text for text in told if not text.isprintable()]
    assert len(run.feed.sources) == 1
    assert run.feed.twice == []
