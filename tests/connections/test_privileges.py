"""What an account lacks: said, and fatal only when it sees nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyVmomi import vmodl

from connections.vsphere.address import parse_address
from connections.vsphere.logged_in import Connection
from connections.vsphere.privileges import missing_privileges
from connections.vsphere.session import VSphere
from resources.failures import PrivilegeError
from resources.vcenter_privileges import login_limits, privileges
from tests.vcenter.running import PASSWORD as VCENTER_PASSWORD
from tests.vcenter.running import USER, TestVCenter
from tests.vsphere.conftest import PASSWORD, Connect, address_of, running_vcsim


def test_each_privilege_has_a_source() -> None:
    for kind in ("vcenter", "esxi"):
        wanted = privileges(kind)
        assert {one.id for one in wanted if one.in_read_only} == {"System.View", "System.Read"}
        assert all(one.source and one.gives for one in wanted)
    assert {one.id for one in privileges("vcenter") if not one.in_read_only} == {"StorageProfile.View"}
    assert login_limits().tries >= 1


def test_an_administrator_lacks_nothing(connect: Connect) -> None:
    assert missing_privileges(connect()) == ()


def test_an_esxi_host_is_asked_for_less() -> None:
    with (
        running_vcsim("-tls", "-esx") as port,
        VSphere(address_of(port, "esxi"), lambda: PASSWORD, ask=lambda _: True) as vsphere,
    ):
        assert missing_privileges(vsphere) == ()


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """The simulator grants everything to everyone: its answer is cut down to what an account would have."""

    def only(*granted: str, sees: bool = True) -> None:
        def answer(_: Connection, wanted: Any) -> set[str]:
            return {one.id for one in wanted} & set(granted)

        monkeypatch.setattr("connections.vsphere.privileges._granted", answer)
        if not sees:
            monkeypatch.setattr("connections.vsphere.privileges._count", lambda *_: 0)

    return only


def test_what_is_missing_is_listed(connect: Connect, lacking: Callable[..., None]) -> None:
    lacking("System.View", "StorageProfile.View")
    missing = missing_privileges(connect())
    assert [one.privilege for one in missing] == ["System.Read"]
    assert "System.Read" in str(missing[0])
    assert missing[0].gives in str(missing[0])


def test_rights_further_down_are_enough(connect: Connect, lacking: Callable[..., None]) -> None:
    lacking()
    assert {one.privilege for one in missing_privileges(connect())} == {
        "System.View",
        "System.Read",
        "StorageProfile.View",
    }


def test_a_vcenter_that_denies(vcenter: TestVCenter) -> None:
    with VSphere(
        parse_address(vcenter.address), lambda: VCENTER_PASSWORD, thumbprint=vcenter.thumbprint
    ) as vsphere:
        assert missing_privileges(vsphere) == ()
        vcenter.fault("deny", user=USER, privileges=["System.Read"])
        assert [one.privilege for one in missing_privileges(vsphere)] == ["System.Read"]


def test_seeing_nothing_is_fatal(connect: Connect, lacking: Callable[..., None]) -> None:
    lacking(sees=False)
    with pytest.raises(PrivilegeError, match=r"sees no host.*System\.View and System\.Read") as caught:
        missing_privileges(connect())
    assert caught.value.exit_code == 28


def test_an_empty_vcenter_is_no_error_for_the_read_only_role(
    connect: Connect, lacking: Callable[..., None]
) -> None:
    lacking("System.View", "System.Read", sees=False)
    [missing] = missing_privileges(connect())
    assert str(missing) == (
        "The account lacks StorageProfile.View on the root of the inventory: the storage policies of VMs,"
        " virtual disks and datastores, with their IOPS limits."
    )


def test_a_server_that_can_not_say_is_recorded(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> set[str]:
        raise vmodl.fault.NotSupported

    monkeypatch.setattr("connections.vsphere.privileges._granted", refuse)
    assert missing_privileges(connect()) == ()
