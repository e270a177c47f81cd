"""What can be wrong with an address, each said in a sentence of its own; and what breaks in between."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from connections.vsphere.address import parse_address
from connections.vsphere.session import VSphere
from resources.failures import (
    DisconnectedError,
    HyperscopeError,
    NotVSphereError,
    RefusedError,
    TimedOutError,
    UnknownHostError,
)
from tests.vcenter.running import PASSWORD as VCENTER_PASSWORD
from tests.vcenter.running import TestVCenter
from tests.vsphere.conftest import PASSWORD, Connect, address_of
from tests.vsphere.envelopes import CURRENT_TIME
from tests.vsphere.front import Certificate, Front, Mode
from tests.vsphere.strangers import nginx, sshd


def failure(port: int, **options: float) -> HyperscopeError:
    """What opening says; the certificate would be agreed to."""
    vsphere = VSphere(address_of(port), no_password, ask=lambda _: True, **options)  # type: ignore[arg-type]
    with pytest.raises(HyperscopeError) as caught:
        vsphere.open()
    vsphere.close()
    error = caught.value
    assert error.happened.endswith(".")
    assert error.happened.count("\n") == 0
    assert error.meaning
    assert error.advice
    return error


def no_password() -> str:
    pytest.fail("the password was wanted")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        port: int = one.getsockname()[1]
    return port


def test_an_unknown_host() -> None:
    with pytest.raises(UnknownHostError) as caught:
        VSphere(parse_address("vcenter://root@no-such-host.invalid"), no_password).open()
    assert "no-such-host.invalid" in caught.value.happened


def test_a_name_that_no_host_can_have() -> None:
    with pytest.raises(UnknownHostError):
        VSphere(parse_address(f"vcenter://root@{'a' * 80}.lab"), no_password).open()


def test_a_refused_port() -> None:
    assert isinstance(failure(free_port()), RefusedError)


def test_a_machine_that_says_nothing() -> None:
    """A connection that nobody accepts, then one that is accepted by something that stays silent."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        start = time.monotonic()
        assert isinstance(failure(silent.getsockname()[1], connect_s=0.2), TimedOutError)
        assert time.monotonic() - start < 5


def test_a_server_that_speaks_tls_and_then_nothing(certificates: dict[str, Certificate]) -> None:
    front = Front(certificates["own"])
    front.mode = "hang"
    try:
        assert isinstance(failure(front.port, read_s=0.2), TimedOutError)
    finally:
        front.stop()


@contextmanager
def speaking(words: bytes) -> Iterator[int]:
    """A server that says ``words`` to whoever comes, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            try:
                while True:
                    one, _ = listener.accept()
                    with one:
                        one.sendall(words)
                        one.recv(1 << 16)
            except OSError:
                pass

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize(
    "words", [b"SSH-2.0-OpenSSH_9.6\r\n", b"220 mail ESMTP\r\n", b"\x00\x01garbage" * 30]
)
def test_what_does_not_speak_tls(words: bytes) -> None:
    with speaking(words) as port:
        error = failure(port)
        assert isinstance(error, NotVSphereError)
        assert "TLS" in error.happened


def test_what_hangs_up() -> None:
    with speaking(b"") as port:
        assert isinstance(failure(port, connect_s=5), DisconnectedError | TimedOutError)


def test_a_real_sshd(tmp_path: Path) -> None:
    with sshd(tmp_path) as port:
        assert isinstance(failure(port), NotVSphereError)


@pytest.mark.parametrize("tls", [True, False])
def test_a_real_nginx(tmp_path: Path, certificates: dict[str, Certificate], tls: bool) -> None:
    with nginx(tmp_path, certificates["own"] if tls else None) as port:
        error = failure(port)
        assert isinstance(error, NotVSphereError)
        assert ("no vCenter" in error.happened) is tls


@pytest.mark.parametrize("certificate", ["own"])
def test_a_web_server_that_is_no_vcenter(certificates: dict[str, Certificate], certificate: str) -> None:
    front = Front(certificates[certificate])
    front.mode = "garbage"
    try:
        assert isinstance(failure(front.port), NotVSphereError)
    finally:
        front.stop()


def test_a_vcenter_that_is_starting(front: Front) -> None:
    front.mode = "starting"
    error = failure(front.port)
    assert isinstance(error, DisconnectedError)
    assert "503" in error.happened


def asked(vsphere: VSphere) -> object:
    return vsphere.ask("its clock", lambda connection: connection.si.CurrentTime())


def posted(vsphere: VSphere) -> object:
    return vsphere.post(CURRENT_TIME, what="its clock")


@pytest.mark.parametrize("how", [asked, posted])
@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("hang", TimedOutError),
        ("half", DisconnectedError),
        ("garbage", DisconnectedError),
        ("cut", DisconnectedError),
        ("starting", DisconnectedError),
    ],
)
def test_what_breaks_in_between_is_got_over(
    connect: Connect, front: Front, mode: Mode, kind: type[HyperscopeError], how: Callable[[VSphere], object]
) -> None:
    vsphere = connect(read_s=0.5)
    front.mode = mode
    if mode == "garbage" and how is posted:
        assert posted(vsphere)  # raw bytes are for the counters' reader to judge
    else:
        with pytest.raises(kind, match="its clock") as caught:
            how(vsphere)
        assert type(caught.value) is kind
    front.mode = "pass"
    vsphere.check()
    how(vsphere)
    assert vsphere.generation == 1


def changed(vsphere: VSphere) -> object:
    """A call that may have no result: a proxy's page must not pass for one."""
    return vsphere.ask("its clock", lambda c: c.content.propertyCollector.WaitForUpdatesEx("", None))


@pytest.mark.parametrize("how", [asked, posted, changed])
@pytest.mark.parametrize("kind", ["disconnect", "lost", "half", "html", "broken_xml", "empty", "status"])
def test_a_vcenter_that_misbehaves(vcenter: TestVCenter, kind: str, how: Callable[[VSphere], object]) -> None:
    address = parse_address(vcenter.address)
    with VSphere(address, lambda: VCENTER_PASSWORD, thumbprint=vcenter.thumbprint) as vsphere:
        posted(vsphere)
        vcenter.fault(kind, count=1)
        if how is posted and kind in {"disconnect", "lost"}:
            assert posted(vsphere)  # asked again on a new connection
        elif how is posted and kind == "broken_xml":
            assert posted(vsphere)  # raw bytes are for the counters' reader to judge
        else:
            with pytest.raises(DisconnectedError, match="its clock"):
                how(vsphere)
        vsphere.check()
        how(vsphere)
        assert vsphere.generation == 1


@pytest.mark.parametrize("how", [asked, posted, changed])
@pytest.mark.parametrize("kind", ["not_authenticated", "expire"])
def test_a_vcenter_that_ends_our_session(
    vcenter: TestVCenter, kind: str, how: Callable[[VSphere], object]
) -> None:
    address = parse_address(vcenter.address)
    with VSphere(address, lambda: VCENTER_PASSWORD, thumbprint=vcenter.thumbprint) as vsphere:
        vcenter.fault(kind) if kind == "expire" else vcenter.fault(kind, count=1)
        how(vsphere)
        assert vsphere.generation == 2


def test_nothing_is_left_open_after_a_failure(front: Front) -> None:
    before = set(threading.enumerate())
    vsphere = VSphere(address_of(front.port), lambda: PASSWORD + "x", thumbprint=front.certificate.sha256)
    for _ in range(2):
        with pytest.raises(HyperscopeError):
            vsphere.open()
    assert not [one for one in set(threading.enumerate()) - before if one.name == "vsphere-keep-alive"]
