"""Waiting for a server that went away, and knowing when not to."""

from __future__ import annotations

import pytest
from pyVmomi import vim

from connections.vsphere.address import parse_address
from connections.vsphere.login import LoginGuard
from connections.vsphere.retry import is_transient, reconnecting, retry_until_stopped
from connections.vsphere.session import VSphere, session_key
from resources.failures import (
    ChangedCertificateError,
    DisconnectedError,
    LoginError,
    RefusedError,
    SourceError,
    TimedOutError,
)
from resources.vcenter_privileges import login_limits
from tests.vcenter.running import PASSWORD as VCENTER_PASSWORD
from tests.vcenter.running import TestVCenter
from tests.vsphere.conftest import PASSWORD, Connect, address_of
from tests.vsphere.front import Certificate, Front


class Waits:
    """Controls that do not wait, and note how long they should have."""

    paused = False

    def __init__(self, stop_after: int = 1000) -> None:
        self.waits: list[float] = []
        self._stop_after = stop_after

    def is_set(self) -> bool:
        return len(self.waits) > self._stop_after

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.waits.append(timeout)
        return self.is_set()


def test_it_comes_back_when_the_server_does(connect: Connect, front: Front) -> None:
    vsphere = connect(read_s=0.2)
    front.mode = "starting"
    front.drop()
    failures: list[SourceError] = []

    def told(error: SourceError, _: float) -> None:
        failures.append(error)
        front.mode = ["hang", "cut", "half", "garbage", "pass"][len(failures) - 1]  # type: ignore[assignment]
        front.drop()

    waits = Waits()
    assert reconnecting(vsphere, waits.wait, on_failure=told, chance=lambda: 1.0)
    assert waits.waits == [1, 2, 4, 8, 16, 30]
    assert [type(error) for error in failures].count(TimedOutError) == 1
    vsphere.server_time()


def test_a_server_that_lost_our_session_gets_a_login(connect: Connect) -> None:
    vsphere = connect()
    vsphere.ask("the end", lambda connection: connection.content.sessionManager.Logout())
    assert reconnecting(vsphere, Waits().wait)
    assert vsphere.generation == 2


def test_a_vcenter_that_starts_again(vcenter: TestVCenter) -> None:
    address = parse_address(vcenter.address)
    with VSphere(address, lambda: VCENTER_PASSWORD, thumbprint=vcenter.thumbprint) as vsphere:
        before = vsphere.ask("its session", session_key)
        vcenter.stop()
        with pytest.raises((RefusedError, DisconnectedError)):
            vsphere.server_time()
        failures: list[SourceError] = []

        def told(error: SourceError, _: float) -> None:
            failures.append(error)
            if len(failures) == 2:
                vcenter.start()

        assert reconnecting(vsphere, Waits().wait, on_failure=told)
        assert {type(error) for error in failures} == {RefusedError}
        assert vsphere.ask("its session", session_key) != before
        assert vsphere.generation == 2
        for _ in range(3):
            vcenter.fault("expire")
            vsphere.check()
        assert vsphere.generation == 5
        assert vcenter.stats()["sessions"] == 1
    assert vcenter.stats()["sessions"] == 0


def test_waits_grow_and_vary() -> None:
    class Gone:
        def check(self) -> None:
            raise DisconnectedError("gone.")

    waits = Waits(stop_after=9)
    assert not reconnecting(Gone(), waits.wait, chance=lambda: 0.0)  # type: ignore[arg-type]
    assert waits.waits == [0.5, 1, 2, 4, 8, 15, 15, 15, 15, 15]


def test_it_does_not_wait_for_what_does_not_pass(
    connect: Connect, front: Front, certificates: dict[str, Certificate]
) -> None:
    vsphere = connect()
    front.certificate = certificates["other"]
    front.drop()
    with pytest.raises(ChangedCertificateError):
        reconnecting(vsphere, Waits().wait)
    vsphere.close()
    assert not is_transient(LoginError("no."))
    assert is_transient(DisconnectedError("gone."))


class Door:
    """A session manager that lets in or not."""

    def __init__(self) -> None:
        self.open = True
        self.knocks = 0

    def Login(self, user: str, password: str, locale: str | None) -> None:
        self.knocks += 1
        if not self.open:
            raise vim.fault.InvalidLogin


def test_a_password_that_is_refused_all_of_a_sudden_locks_nobody_out() -> None:
    now, door, limits = [0.0], Door(), login_limits()
    guard = LoginGuard(address_of(443), limits, clock=lambda: now[0])
    guard.log_in(door, lambda: PASSWORD)
    door.open = False
    for _ in range(50):
        now[0] += 1
        with pytest.raises(DisconnectedError):
            guard.log_in(door, lambda: PASSWORD)
    assert door.knocks == 2
    now[0] += limits.rest_s
    for _ in range(50):
        with pytest.raises(LoginError):
            guard.log_in(door, lambda: PASSWORD)
    assert door.knocks == 1 + limits.tries


def test_a_server_that_only_started_is_forgiven() -> None:
    now, door, limits = [0.0], Door(), login_limits()
    guard = LoginGuard(address_of(443), limits, clock=lambda: now[0])
    guard.log_in(door, lambda: PASSWORD)
    for _ in range(3):
        door.open = False
        with pytest.raises(DisconnectedError):
            guard.log_in(door, lambda: PASSWORD)
        now[0] += limits.rest_s + 1
        door.open = True
        guard.log_in(door, lambda: PASSWORD)


def test_a_first_refusal_is_final() -> None:
    door = Door()
    door.open = False
    guard = LoginGuard(address_of(443), login_limits())
    for _ in range(3):
        with pytest.raises(LoginError):
            guard.log_in(door, lambda: "typo")
    assert door.knocks == 1


@pytest.mark.parametrize(
    ("error", "first_wait_s"),
    [
        (TimedOutError("It does not answer."), 1.0),
        (LoginError("The password is wrong."), 300.0),
        (ChangedCertificateError("Another certificate."), 30.0),
    ],
)
def test_only_a_login_that_may_lock_an_account_waits_long(
    connect: Connect, error: SourceError, first_wait_s: float
) -> None:
    waits = Waits()
    retry_until_stopped(
        error, connect(), waits.wait, first_s=1.0, refused_s=300.0, on_failure=lambda _error: None
    )
    assert first_wait_s / 2 <= waits.waits[0] <= first_wait_s
