"""Storage policies of the test vCenter, recorded: of homes, disks, datastores; what is refused."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from collectors.vsphere.inventory.following import LostTrackError
from collectors.vsphere.inventory.watcher import InventoryWatcher
from collectors.vsphere.options import VSphereOptions
from collectors.vsphere.policies.questions import PolicyObject, PolicyQuestions
from collectors.vsphere.policies.recording import PolicyRecording
from connections.vsphere.address import parse_address
from connections.vsphere.policies import PolicyApi
from connections.vsphere.session import VSphere
from resources.storage_policies import load_policy_service
from sessions.model import SourceSpec
from tests.vcenter.running import PASSWORD, USER, TestVCenter
from tests.vsphere.feeds import MemoryFeed
from tests.vsphere.recording import Recording

GOLD = {
    "VSAN": {
        "hostFailuresToTolerate": 1,
        "stripeWidth": 2,
        "iopsLimit": 500,
        "proportionalCapacity": 0,
        "replicaPreference": "RAID-1 (Mirroring) - Performance",
    }
}
HOME, DISK = {"vm": "vm-00001"}, {"vm": "vm-00001", "disk": "Hard disk 1"}


@dataclass
class Policies:
    """The recording of a server's policies, round by round."""

    server: TestVCenter
    vsphere: VSphere
    feed: MemoryFeed
    watcher: InventoryWatcher
    recording: PolicyRecording
    told: list[str] = field(default_factory=list)

    def set(self, *, policy: str, **words: object) -> None:
        self.server.fault("policy", policy=policy, **words)

    def round(self) -> None:
        """Ask about everything, whatever the time."""
        self.recording._all_at = 0.0
        self.recording.round()

    def facts(self, name: str = "vm-00001") -> dict[str, object]:
        """What holds of an object now, of its policies."""
        found: dict[str, object] = {}
        for fact in self.feed.facts:
            if "policy" in fact.name and self.feed.entities[fact.entity].name == name:
                found[fact.name] = fact.value
                if fact.end is not None:
                    del found[fact.name]
        return found


@pytest.fixture
def policies(vcenter: TestVCenter) -> Iterator[Policies]:
    with VSphere(parse_address(vcenter.address), lambda: PASSWORD, thumbprint=vcenter.thumbprint) as vsphere:
        feed, told = MemoryFeed(), list[str]()
        watcher = InventoryWatcher(vsphere, feed, feed.add_source(SourceSpec("vcenter", "vc", 20.0)))
        watcher.load()
        recording = PolicyRecording(
            vsphere, feed, lambda: watcher.snapshot().objects, load_policy_service(), told.append
        )
        yield Policies(vcenter, vsphere, feed, watcher, recording, told)
        with contextlib.suppress(LostTrackError):
            watcher.cancel()


def test_homes_disks_and_datastores_have_policies(policies: Policies) -> None:
    store = next(one.name for one in policies.feed.entities.values() if one.ref.kind == "datastore")
    policies.set(**HOME, policy="Silver", rules={"VSAN": {"hostFailuresToTolerate": 1, "iopsLimit": 0}})
    policies.set(**DISK, policy="Gold", rules=GOLD, compliance="nonCompliant")
    policies.set(datastore=store, policy="vSAN Default Storage Policy", rules=GOLD)
    policies.round()
    assert policies.facts() == {
        "home.policy": "Silver",
        "home.policy_compliance": "compliant",
        "home.policy_ftt": 1.0,
        "vdisk.scsi0:0.policy": "Gold",
        "vdisk.scsi0:0.policy_compliance": "nonCompliant",
        "vdisk.scsi0:0.policy_ftt": 1.0,
        "vdisk.scsi0:0.policy_limit_iops": 500.0,
        "vdisk.scsi0:0.policy_raid": "RAID-1 (Mirroring) - Performance",
        "vdisk.scsi0:0.policy_space_reservation": 0.0,
        "vdisk.scsi0:0.policy_stripes": 2.0,
    }, "an IOPS limit of 0 is none"
    assert policies.facts(store) == {"default_policy": "vSAN Default Storage Policy"}
    assert policies.facts("vm-00002") == {}
    assert policies.told == []


def test_storage_io_control_limits_by_policy(policies: Policies) -> None:
    limit = {"spm": {"spm@DATASTOREIOCONTROL/limit": 200, "spm@DATASTOREIOCONTROL/shares": 1000}}
    policies.set(**DISK, policy="Batch", rules=limit)
    policies.round()
    assert policies.facts()["vdisk.scsi0:0.policy_limit_iops"] == 200
    policies.set(**DISK, policy="Batch", rules={"spm": {"spm@DATASTOREIOCONTROL/limit": -1}})
    policies.round()
    assert "vdisk.scsi0:0.policy_limit_iops" not in policies.facts()


def test_rules_of_a_component_that_a_policy_names(policies: Policies) -> None:
    component = {"spm": {"spm@DATASTOREIOCONTROL/limit": 300}}
    policies.set(**HOME, policy="Low IO shares allocation", rules=component)
    moid = next(
        one.moid for one in policies.watcher.snapshot().of("VirtualMachine") if one.name == "vm-00001"
    )
    questions = PolicyQuestions(PolicyApi(policies.vsphere), load_policy_service())
    [id_] = questions.associated([PolicyObject("virtualMachine", moid)]).values()
    named = {"com.vmware.storageprofile.dataservice": {id_: id_}, "VSAN": {"iopsLimit": 1000}}
    policies.set(**DISK, policy="Gold", rules=named)
    policies.round()
    assert policies.facts()["vdisk.scsi0:0.policy_limit_iops"] == 300, "the lower of both"


def test_what_changes_is_told_once_and_what_ends_ends(policies: Policies) -> None:
    policies.set(**DISK, policy="Gold", rules=GOLD)
    policies.round()
    before = len(policies.feed.facts)
    policies.round()
    assert len(policies.feed.facts) == before
    policies.set(**DISK, policy="Gold", rules={"VSAN": {**GOLD["VSAN"], "iopsLimit": 800}})
    policies.round()
    [limit] = policies.feed.facts[before:]
    assert (limit.name, limit.value, limit.end) == ("vdisk.scsi0:0.policy_limit_iops", 800, None)
    policies.set(**DISK, policy="")
    policies.round()
    assert policies.facts() == {}


def test_a_round_is_four_calls_and_the_next_is_not_due(policies: Policies) -> None:
    policies.set(**DISK, policy="Gold", rules=GOLD)
    before = policies.server.stats()["requests"]
    policies.round()
    policies.recording.round()
    after = policies.server.stats()["requests"]
    asked = {name: after[name] - before.get(name, 0) for name in after if name.startswith("Pbm")}
    assert asked == {
        "PbmRetrieveServiceContent": 1,
        "PbmQueryAssociatedProfiles": 1,
        "PbmRetrieveContent": 1,
        "PbmFetchComplianceResult": 1,
        "PbmQueryDefaultRequirementProfiles": 1,
    }


def test_what_is_refused_is_told_once_and_ends_nothing(policies: Policies) -> None:
    policies.server.fault("deny", user=USER, privileges=["StorageProfile.View"])
    policies.recording.run(Rounds(policies.recording, 3))
    [told] = policies.told
    assert told.startswith(f"Storage policies are not read: {USER} may not have storage policies from ")
    assert told.endswith(". The privilege StorageProfile.View is missing.")
    policies.server.fault("deny", user=USER, privileges=[])
    policies.set(**DISK, policy="Gold", rules=GOLD)
    policies.round()
    assert policies.told[1:] == [""]
    assert policies.facts()["vdisk.scsi0:0.policy"] == "Gold"


class Rounds:
    """Controls that end after some rounds, each of which is due."""

    paused = False

    def __init__(self, recording: PolicyRecording, rounds: int) -> None:
        self._recording, self._left = recording, rounds

    def is_set(self) -> bool:
        return self._left <= 0

    def wait(self, timeout: float | None = None) -> bool:
        self._recording._all_at = 0.0
        self._left -= 1
        return self.is_set()


def test_an_ended_session_is_renewed(policies: Policies) -> None:
    policies.set(**DISK, policy="Gold", rules=GOLD)
    policies.server.fault("expire")
    policies.round()
    assert policies.facts()["vdisk.scsi0:0.policy"] == "Gold"


@pytest.mark.parametrize(
    ("method", "fault"),
    [
        ("PbmRetrieveServiceContent", {"kind": "status", "status": 503}),
        ("PbmQueryAssociatedProfiles", {"kind": "half", "bytes": 200}),
        ("PbmRetrieveContent", {"kind": "disconnect"}),
        ("PbmFetchComplianceResult", {"kind": "half", "bytes": -1}),
        ("PbmQueryDefaultRequirementProfiles", {"kind": "lost", "count": 2}),
    ],
)
def test_what_breaks_once_is_asked_again(policies: Policies, method: str, fault: dict[str, object]) -> None:
    policies.set(**DISK, policy="Gold\x1b[31m\n" + "x" * 500, rules=GOLD)
    policies.server.fault(**{"count": 1, **fault}, method=method)  # type: ignore[arg-type]
    policies.recording.run(Rounds(policies.recording, 3))
    name = str(policies.facts()["vdisk.scsi0:0.policy"])
    assert name.startswith("Gold")
    assert name.isprintable()
    assert len(name) < 500
    assert policies.told[-1:] in ([], [""])


def test_a_vcenter_without_the_service_is_asked_and_says_so(policies: Policies) -> None:
    policies.server.fault("status", status=404, method="PbmRetrieveServiceContent")
    policies.recording.run(Rounds(policies.recording, 3))
    [told] = policies.told
    assert "HTTP 404" in told
    assert policies.facts() == {}


def test_a_recording_has_them_and_says_what_it_lacks(vcenter: TestVCenter) -> None:
    vcenter.fault("policy", **DISK, policy="Gold", rules=GOLD)
    with Recording(vcenter, VSphereOptions()) as recording:
        recording.until(lambda: any(fact.name == "vdisk.scsi0:0.policy" for fact in recording.feed.facts))
    vcenter.fault("deny", user=USER, privileges=["StorageProfile.View"])
    with Recording(vcenter, VSphereOptions()) as recording:
        recording.rounds(1)
    [lacking] = [text for name, text in recording.feed.sources[1].attributes if name == "privileges"]
    assert lacking == (
        "The account lacks StorageProfile.View on the root of the inventory: the storage policies of VMs,"
        " virtual disks and datastores, with their IOPS limits."
    )
    assert not any(fact.name.endswith(".policy") for fact in recording.feed.facts)
