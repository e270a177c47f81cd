"""``hyperscope record guest://…``: from a real sshd into a session, beside the vCenter that has its VM."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from app.commands.info import info
from sessions.guest_vms import uuid_orders
from sessions.model import EntityRef
from sessions.store import SessionReader
from tests.connections.ssh_servers import Sshd, keygen_fingerprint
from tests.guest.conftest import address_of
from tests.recorder.conftest import record
from tests.recorder.running import Event, Recorder
from tests.vcenter.conftest import start_vcenter
from tests.vcenter.running import GUEST_PASSWORD, GUEST_USER, PASSWORD, TestVCenter
from viewmodels.joined_guests import joined_guests

__all__ = ["record", "start_vcenter"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the guest is this machine, and must be a Linux"),
]

_UNSHARE = ["unshare", "--mount", "sh", "-c", 'mount --bind "$1" /sys/class && shift && exec "$@"', "sh"]


def _can_unshare(folder: Path) -> bool:
    words = [*_UNSHARE, str(folder), "true"]
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(words, check=False, capture_output=True).returncode == 0


@pytest.fixture
def hardware(tmp_path: Path) -> Path:
    """What the guest has instead of this machine's /sys/class."""
    folder = tmp_path / "class"
    (folder / "dmi" / "id").mkdir(parents=True)
    (folder / "net" / "ens192").mkdir(parents=True)
    return folder


@pytest.fixture
def guest(tmp_path: Path, hardware: Path) -> Iterator[Sshd]:
    """An sshd whose sessions see that hardware."""
    if not _can_unshare(hardware):
        pytest.skip("no mount namespaces here: run it as root")
    folder = tmp_path / "sshd"
    folder.mkdir()
    server = Sshd(folder)
    server.words_before = [*_UNSHARE, str(hardware)]
    server.start()
    try:
        yield server
    finally:
        server.stop()


def with_key(home: Path, server: Sshd) -> None:
    """The recorder's user has the key that the guest takes."""
    folder = home / ".ssh"
    folder.mkdir(parents=True, exist_ok=True)
    key = folder / "id_ed25519"
    key.write_bytes(server.user_key.read_bytes())
    key.chmod(0o600)


def recorded(event: Event, samples: int) -> bool:
    return bool(event["event"] == "status" and event["samples"] > samples)


def run(recorder: Recorder, samples: int, *lines: str) -> None:
    recorder.write("".join(f"{line}\n" for line in lines))
    recorder.wait_for(lambda event: recorded(event, samples))
    recorder.say(do="stop")
    end = recorder.end()
    assert end["code"] == 0, (end, recorder.stderr())


def told(session: Path, capsys: pytest.CaptureFixture[str], *, as_json: bool = False) -> str:
    info(session, as_json=as_json)
    return capsys.readouterr().out


def record_guest(record: Callable[..., Recorder], session: Path, guest: Sshd) -> None:
    pin = keygen_fingerprint(guest.host_keys[0])
    words = ("--interval", "1s", "--thumbprint", pin, "--password-stdin", "--attached", "--keep-free", "0")
    run(record(session, str(address_of(guest)), *words), 150, "")


def test_a_guest_of_a_test_vcenter_is_joined_to_its_vm(
    start_vcenter: Callable[..., TestVCenter],
    record: Callable[..., Recorder],
    guest: Sshd,
    hardware: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with_key(tmp_path / "home", guest)
    session = tmp_path / "S.hscope"
    server = start_vcenter(hosts=1, vms=2, interval=1, history=10, rollup=10, rollup_days=0)
    words = ("--thumbprint", server.thumbprint, "--password-stdin", "--attached", "--keep-free", "0")
    run(record(session, server.address, *words), 500, PASSWORD)
    with SessionReader.open(session) as reader:
        told_by_vcenter = {
            fact.entity: str(fact.value) for fact in reader.facts() if fact.name == "bios_uuid"
        }
        names = {ref: entity.name for ref, entity in reader.entities().items()}
    vm = min(told_by_vcenter, key=lambda ref: names[ref])
    digits = uuid_orders(told_by_vcenter[vm])[1]  # as firmware of SMBIOS 2.6 has it
    turned = f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
    (hardware / "dmi" / "id" / "product_uuid").write_text(f"{turned}\n")
    (hardware / "net" / "ens192" / "address").write_text("00:50:56:00:00:01\n")
    record_guest(record, session, guest)
    with SessionReader.open(session) as reader:
        (joined,) = joined_guests(reader)
        (ref,) = [ref for ref in reader.entities() if ref.kind == "guest"]
        assert (joined.vm, joined.how, joined.is_guess) == (names[vm], "by its UUID", False)
        series = {one.counter: one.spec.unit for one in reader.series() if one.entity == ref}
    assert series["guest.cpu_steal"] == "%"
    assert series["guest.swap_in"] == "MB/s"
    assert isinstance(ref, EntityRef)
    assert f"runs in {names[vm]}, by its UUID" in told(session, capsys)
    (guest_told,) = json.loads(told(session, capsys, as_json=True))["guests"]
    assert (guest_told["vm"], guest_told["is_guess"]) == (names[vm], False)


def test_a_guest_alone_with_its_units_and_clock(
    record: Callable[..., Recorder], guest: Sshd, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with_key(tmp_path / "home", guest)
    session = tmp_path / "S.hscope"
    record_guest(record, session, guest)
    text = told(session, capsys)
    assert "1 guest" in text
    assert "100 %" in text
    assert "product: " in text
    assert " runs in " not in text
    with SessionReader.open(session) as reader:
        (source,) = reader.sources()
        assert (source.spec.kind, source.spec.interval_s) == ("guest", 1.0)
        assert abs(source.spec.clock_offset_ms) < 1000


def test_a_killed_recorder_leaves_nothing_in_the_guest(
    record: Callable[..., Recorder], guest: Sshd, tmp_path: Path
) -> None:
    with_key(tmp_path / "home", guest)
    recorder = record(
        tmp_path / "S.hscope", str(address_of(guest)), "--thumbprint", keygen_fingerprint(guest.host_keys[0]),
        "--interval", "1s", "--password-stdin", "--attached", "--keep-free", "0",
    )  # fmt: skip
    recorder.write("\n")
    recorder.wait_for(lambda event: recorded(event, 50))
    started = psutil.Process(guest.pid).children(recursive=True)
    assert any(one.name() == "sleep" for one in started)
    recorder.process.kill()
    assert psutil.wait_procs(started, timeout=30)[1] == []


def test_without_a_key_it_is_said_what_to_do(
    record: Callable[..., Recorder], guest: Sshd, tmp_path: Path
) -> None:
    recorder = record(
        tmp_path / "S.hscope", str(address_of(guest)), "--thumbprint", keygen_fingerprint(guest.host_keys[0]),
        "--password-stdin", "--attached", "--keep-free", "0",
    )  # fmt: skip
    recorder.write("\n")
    end = recorder.end()
    assert end["code"] == 27
    assert "accepts no key of yours" in str(end)


def test_through_tools_it_is_joined_to_its_vm_with_one_login_of_the_vcenter(
    start_vcenter: Callable[..., TestVCenter],
    record: Callable[..., Recorder],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server = start_vcenter(hosts=1, vms=2, interval=1, history=5, rollup=10, rollup_days=0)
    session = tmp_path / "S.hscope"
    guests = f"tools://{GUEST_USER}@{server.place.host}:{server.place.port}/vm-00002"
    words = ("--interval", "1s", "--thumbprint", server.thumbprint, "--password-stdin", "--attached")
    recorder = record(session, server.address, guests, *words, "--keep-free", "0")
    recorder.write(f"{PASSWORD}\n{GUEST_PASSWORD}\n")
    name = "vm-00002 (VMware Tools)"
    recorder.wait_for(
        lambda event: (
            event["event"] == "status"
            and any(one["name"] == name and one["received"] for one in event["sources"])
        )
    )
    recorder.say(do="stop")
    end = recorder.end()
    assert end["code"] == 0, (end, recorder.stderr())
    with SessionReader.open(session) as reader:
        (joined,) = joined_guests(reader)
    assert (joined.vm, joined.how, joined.is_guess) == ("vm-00002", "by its UUID", False)
    assert "runs in vm-00002, by its UUID" in told(session, capsys)
