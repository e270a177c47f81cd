"""The test vCenter answers pyVmomi about storage policies, with the session as its samples hand it over."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from http.cookies import SimpleCookie
from types import SimpleNamespace
from typing import Any

import pytest
from pyVmomi import SoapStubAdapter, VmomiSupport, pbm, vim

from tests.vcenter.peers import Peer
from tests.vcenter.running import USER, TestVCenter

Login = Callable[..., Peer]
VSAN = {"VSAN": {"hostFailuresToTolerate": 1, "iopsLimit": 500, "replicaPreference": "RAID-1 (Mirroring)"}}


@pytest.fixture
def connect() -> Iterator[Callable[..., Any]]:
    """The managers of storage policies, with the session of a login in the request's context."""
    trusting = ssl.create_default_context()
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    stubs: list[Any] = []

    def get(peer: Peer, cookie: str = "") -> Any:
        known = peer.instance._stub
        own = SimpleCookie(known.cookie)["vmware_soap_session"].value
        VmomiSupport.GetRequestContext()["vcSessionCookie"] = cookie or own
        stub = SoapStubAdapter(
            known.host.split(":")[0],
            port=int(known.host.split(":")[1]),
            version=VmomiSupport.newestVersions.GetName("pbm"),
            path="/pbm/sdk",
            sslContext=trusting,
        )
        stubs.append(stub)
        return pbm.ServiceInstance("ServiceInstance", stub).RetrieveContent()

    yield get
    VmomiSupport.GetRequestContext().pop("vcSessionCookie", None)
    for stub in stubs:
        stub.DropConnections()


@pytest.fixture
def site(vcenter: TestVCenter, login: Login, connect: Callable[..., Any]) -> Any:
    peer = login(vcenter)
    vm = min(peer.all(vim.VirtualMachine).values(), key=lambda one: str(one.name))
    disk = next(one for one in vm.config.hardware.device if isinstance(one, vim.vm.device.VirtualDisk))
    of = pbm.ServerObjectRef
    return SimpleNamespace(
        vm=vm.name,
        pbm=connect(peer),
        home=of(objectType="virtualMachine", key=vm._moId),
        disk=of(objectType="virtualDiskId", key=f"{vm._moId}:{disk.key}"),
        label=str(disk.deviceInfo and disk.deviceInfo.label),
        store=next(iter(peer.all(vim.Datastore).items())),
    )


def test_what_has_no_policy(site: Any) -> None:
    gone = pbm.ServerObjectRef(objectType="virtualMachine", key="vm-99999")
    home, disk, none = site.pbm.profileManager.QueryAssociatedProfiles([site.home, site.disk, gone])
    assert (home.object.key, home.profileId, home.fault) == (site.home.key, [], None)
    assert (disk.object.key, disk.profileId) == (site.disk.key, [])
    assert isinstance(none.fault, pbm.fault.NotFound)
    assert site.pbm.complianceManager.FetchComplianceResult([site.home]) == []


def test_a_disk_has_a_policy_with_rules(vcenter: TestVCenter, site: Any) -> None:
    vcenter.fault("policy", vm=site.vm, disk=site.label, policy="Gold", rules=VSAN, compliance="nonCompliant")
    [found] = site.pbm.profileManager.QueryAssociatedProfiles([site.disk])
    [profile] = site.pbm.profileManager.RetrieveContent(found.profileId)
    assert isinstance(profile, pbm.profile.CapabilityBasedProfile)
    assert (profile.name, profile.profileCategory) == ("Gold", "REQUIREMENT")
    rules = {
        (one.id.namespace, one.id.id): one.constraint[0].propertyInstance[0].value
        for one in profile.constraints.subProfiles[0].capability
    }
    assert rules == {
        ("VSAN", "hostFailuresToTolerate"): 1,
        ("VSAN", "iopsLimit"): 500,
        ("VSAN", "replicaPreference"): "RAID-1 (Mirroring)",
    }
    [state] = site.pbm.complianceManager.FetchComplianceResult([site.disk])
    assert (state.entity.key, state.complianceStatus) == (site.disk.key, "nonCompliant")
    vcenter.fault("policy", vm=site.vm, disk=site.label)
    [found] = site.pbm.profileManager.QueryAssociatedProfiles([site.disk])
    assert found.profileId == []


def test_a_datastore_has_a_default(vcenter: TestVCenter, site: Any) -> None:
    name, store = site.store
    hub = pbm.placement.PlacementHub(hubType="Datastore", hubId=store._moId)
    vcenter.fault("policy", datastore=name, policy="vSAN Default Storage Policy", rules=VSAN)
    [found] = site.pbm.profileManager.QueryDefaultRequirementProfiles([hub])
    assert (found.defaultProfile.name, found.datastores[0].hubId) == (
        "vSAN Default Storage Policy",
        store._moId,
    )


def test_it_takes_a_session_and_a_privilege(
    vcenter: TestVCenter, site: Any, login: Login, connect: Callable[..., Any]
) -> None:
    vcenter.fault("deny", user=USER, privileges=["StorageProfile.View"])
    with pytest.raises(pbm.fault.NoPermission) as refused:
        site.pbm.profileManager.QueryAssociatedProfiles([site.home])
    assert refused.value.missingPrivileges[0].privilegeIds == ["StorageProfile.View"]
    nobody = connect(login(vcenter), "not-a-session")
    with pytest.raises(vim.fault.NotAuthenticated):
        nobody.profileManager.QueryAssociatedProfiles([site.home])
