"""vSAN's performance service of the test vCenter, recorded: entities, units, what is refused, what is off.

The endpoint is built from the documented replies of the vSAN management API, not from a captured one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from collectors.feed import Health
from collectors.vsphere.inventory.watcher import InventoryWatcher
from collectors.vsphere.options import VSphereOptions
from collectors.vsphere.vsan.recording import VsanRecording
from connections.vsphere.address import parse_address
from connections.vsphere.session import VSphere
from resources.catalogue import load_catalogue
from resources.vsan_service import load_vsan_service
from sessions.model import EntityRef, SeriesSpec, SourceSpec
from tests.vcenter.running import PASSWORD, TestVCenter
from tests.vsphere.feeds import MemoryFeed
from tests.vsphere.recording import Recording, hasty

Start = Callable[..., TestVCenter]
CLUSTER = "cluster-01"
HOUR_S = 3600.0


@dataclass
class Vsan:
    """The recording of a server's vSAN, round by round; the server's clock jumps between them."""

    server: TestVCenter
    feed: MemoryFeed
    recording: VsanRecording

    def round(self, *, later_s: float = 0.0) -> Health:
        if later_s:
            self.server.jump(later_s)
        self.recording.round()
        return self.feed.health[2]

    def types(self) -> set[str]:
        return {ref.key.split("/")[-2] for ref in self.feed.entities if ref.kind == "vsan"}

    def series(self, counter: str, entity: str) -> dict[SeriesSpec, list[float]]:
        """The canonical numbers of a counter, of entities whose key has ``entity`` in it."""
        return {
            spec: [value * spec.scale for _, value in sorted(self.feed.samples[key].items())]
            for key, spec in self.feed.specs.items()
            if spec.counter == counter and entity in spec.entity.key
        }

    def one(self, counter: str, entity: str) -> list[float]:
        (found,) = self.series(counter, entity).values()
        return found

    def attributes(self) -> dict[str, str]:
        return dict(self.feed.sources[2].attributes)


@pytest.fixture
def vsan(vcenter: TestVCenter) -> Iterator[Vsan]:
    vcenter.fault("vsan", cluster=CLUSTER)
    with VSphere(parse_address(vcenter.address), lambda: PASSWORD, thumbprint=vcenter.thumbprint) as vsphere:
        feed, spec = MemoryFeed(), SourceSpec("vcenter", "vc", 20.0)
        watcher = InventoryWatcher(vsphere, feed, feed.add_source(spec))
        watcher.load()
        recording = VsanRecording(
            vsphere,
            feed,
            spec,
            watcher.snapshot,
            lambda: watcher.snapshot().objects,
            load_vsan_service(),
            load_catalogue(),
            past_s=HOUR_S,
        )
        yield Vsan(vcenter, feed, recording)
        watcher.cancel()


def test_disk_groups_disks_hosts_and_the_cluster(vsan: Vsan) -> None:
    health = vsan.round()
    assert vsan.feed.sources[2].name == "vc vSAN"
    assert vsan.feed.sources[2].interval_s == 300
    assert vsan.types() == {
        "cluster-domclient", "cluster-domcompmgr", "host-domclient", "host-domcompmgr", "disk-group",
        "cache-disk", "capacity-disk", "vsan-host-net", "vsan-pnic-net",
    }  # fmt: skip
    assert (health.state, health.message, health.gaps) == ("recording", "", 0)
    assert health.expected == health.received > 0
    assert "vsan-esa-disk-layer" in vsan.attributes()["vsan.entity types"]
    parents = {
        ref.key.split("/")[-2]: one.parent for ref, one in vsan.feed.entities.items() if ref.kind == "vsan"
    }
    assert {name: parent.kind for name, parent in parents.items() if parent} == {
        name: "cluster" if name.startswith("cluster") else "host" for name in vsan.types()
    }
    stores = {
        fact.value for fact in vsan.feed.facts if fact.entity.kind == "vsan" and fact.name == "datastore"
    }
    (store,) = stores
    assert EntityRef("datastore", str(store)) in vsan.feed.entities
    uplinks = sorted(one.name for one in vsan.feed.entities.values() if "uplink" in one.name)
    assert uplinks[:2] == ["vSAN uplink vmnic0 (esx0001.lab)", "vSAN uplink vmnic0 (esx0002.lab)"]


def test_the_express_architecture_has_other_disks(vsan: Vsan) -> None:
    vsan.server.fault("vsan", cluster=CLUSTER, esa=True)
    vsan.round()
    assert {"vsan-esa-disk-layer", "vsan-esa-disk-scsifw", "host-domclient"} <= vsan.types()
    assert vsan.types().isdisjoint({"disk-group", "cache-disk", "capacity-disk"})
    assert {spec.instance for spec in vsan.series("vsan.latency_write", "vsan-esa-disk-layer/")} == {
        "performance leg"
    }
    (architecture,) = [one.value for one in vsan.feed.facts if one.name == "vsan.architecture"]
    assert architecture == "ESA"


def test_numbers_have_our_units(vsan: Vsan) -> None:
    for entity, label, value in (
        ("cluster-domclient:*", "latencyAvgRead", 2_500),
        ("cluster-domclient:*", "throughputRead", 3 << 20),
        ("vsan-host-net:*", "rxPacketsLossRate", 4),
    ):
        vsan.server.fault("vsan", cluster=CLUSTER, entity=entity, label=label, constant=value)
    vsan.round()
    assert set(vsan.one("vsan.latency_read", "cluster-domclient")) == {2.5}
    assert set(vsan.one("vsan.read_mb", "cluster-domclient")) == {3.0}
    assert len(vsan.one("vsan.read_mb", "cluster-domclient")) >= 12
    (loss, *_) = vsan.series("vsan.packet_loss_rx", "vsan-host-net").values()
    assert loss == pytest.approx([0.4] * len(loss))
    assert vsan.one("vsan.packet_loss", "ds:") == pytest.approx([0.4] * len(loss))


def test_the_datastore_shows_the_worst(vsan: Vsan) -> None:
    vsan.round()
    group = next(ref.key.split("/")[-1] for ref in vsan.feed.entities if "/disk-group/" in ref.key)
    disk = next(ref.key.split("/")[-1] for ref in vsan.feed.entities if "/capacity-disk/" in ref.key)
    for entity, label, value in (
        (f"disk-group:{group}", "logCongestion", 130),
        (f"disk-group:{group}", "wbFreePct", 9),
        (f"capacity-disk:{disk}", "latencyDevRead", 60_000),
    ):
        vsan.server.fault("vsan", cluster=CLUSTER, entity=entity, label=label, constant=value)
    vsan.round(later_s=600)
    assert vsan.one("vsan.congestion", "ds:")[-1] == 130
    assert vsan.one("vsan.write_buffer_free", "ds:")[-1] == 9
    assert vsan.one("vsan.disk_skew", "ds:")[-1] > 50
    assert vsan.one("vsan.congestion", "ds:")[0] == 0
    assert not vsan.series("vsan.cache_miss", "ds:"), "all-flash vSAN has no read cache"


def test_samples_go_on_and_are_stored_once(vsan: Vsan) -> None:
    first = len(vsan.one("vsan.reads", "cluster-domclient")) if vsan.round() else 0
    health = vsan.round(later_s=900)
    assert len(vsan.one("vsan.reads", "cluster-domclient")) == first + 3
    assert vsan.feed.twice == []
    assert (health.expected, health.gaps) == (health.received, 0)


def test_an_outage_is_caught_up(vsan: Vsan) -> None:
    vsan.round()
    vsan.server.fault("fault", method="VsanPerfQueryPerf", type="SystemError", text="The stats master moved.")
    health = vsan.round(later_s=1500)
    assert health.state == "recording"
    assert "The stats master moved." in health.message
    assert "The stats master moved." in vsan.attributes()["vsan.state"]
    vsan.server.clear()
    health = vsan.round(later_s=1500)
    assert (health.message, health.gaps, health.expected) == ("", 0, health.received)
    assert "vsan.state" not in vsan.attributes()


def test_a_refused_wildcard_is_asked_one_by_one_and_what_stays_refused_is_remembered(vsan: Vsan) -> None:
    vsan.round()
    disks = sorted(ref.key.split("/")[-1] for ref in vsan.feed.entities if "/capacity-disk/" in ref.key)
    before = {spec.entity for spec in vsan.series("vsan.latency_read", "/capacity-disk/")}
    odd = disks[0]
    vsan.server.fault("vsan", cluster=CLUSTER, refuses=f"capacity-disk:[*{odd[0]}]{{}}".replace("{}", "*"))
    health = vsan.round(later_s=300)
    lacking = {disk for disk in disks if disk.startswith(odd[0])}
    refused = set(vsan.attributes()["vsan.refused"].split(", "))
    assert {f"capacity-disk:{disk}" for disk in lacking} <= refused
    assert "capacity-disk:*" in refused
    assert "A specified parameter was not correct: entityRefId" in health.message
    counts = {
        spec.entity.key.split("/")[-1]: len(values)
        for spec, values in vsan.series("vsan.latency_read", "/capacity-disk/").items()
    }
    assert len(before) == len(disks)
    assert {disk for disk in disks if counts[disk] == max(counts.values())} == set(disks) - lacking
    assert health.received > 0


def test_a_type_that_is_refused_takes_nothing_with_it(vsan: Vsan) -> None:
    vsan.server.fault("vsan", cluster=CLUSTER, refuses="vsan-host-net*")
    health = vsan.round()
    assert "vsan-host-net" not in vsan.types()
    assert "disk-group" in vsan.types()
    assert "vSAN of cluster-01 refuses vsan-host-net:*" in health.message


def test_a_label_that_older_hosts_lack_is_dropped(vsan: Vsan) -> None:
    vsan.server.fault("vsan", cluster=CLUSTER, lacks_label="portRxDrops")
    health = vsan.round()
    assert not vsan.series("vsan.port_drops_rx", "")
    assert vsan.series("vsan.port_drops_tx", "vsan-pnic-net")
    assert vsan.attributes()["vsan.labels that hosts lack"] == "portRxDrops"
    assert health.message == ""


def test_samples_of_year_one_are_skipped(vsan: Vsan) -> None:
    vsan.server.fault("vsan", cluster=CLUSTER, year_one=True)
    vsan.round()
    times = {at for key in vsan.feed.samples for at in vsan.feed.samples[key]}
    assert times
    assert min(times) > (vsan.server.now() - 2 * HOUR_S) * 1000


def test_a_service_that_is_off_says_how_to_switch_it_on(vsan: Vsan) -> None:
    vsan.server.fault("vsan", cluster=CLUSTER, performance=False)
    health = vsan.round()
    assert "performance service of vSAN is off in cluster-01" in health.message
    assert "Configure, vSAN, Services" in health.message
    assert health.received == 0
    vsan.server.fault("vsan", cluster=CLUSTER, performance=True)
    health = vsan.round(later_s=300)
    assert health.message == ""
    assert health.received > 0


def test_it_is_a_part_of_the_recording_and_its_faults_do_not_end_it(
    start_vcenter: Start, tmp_path: Path
) -> None:
    server = start_vcenter(hosts=2, vms=2, interval=1, history=30)
    server.fault("vsan", cluster=CLUSTER)
    server.fault("fault", method="VsanPerfQueryPerf", type="InvalidArgument", text="")
    with Recording(server, VSphereOptions(extra_dirs=hasty(tmp_path))) as recording:
        recording.until(lambda: any(one.name.endswith(" vSAN") for one in recording.feed.sources.values()))
        number = next(at for at, one in recording.feed.sources.items() if one.name.endswith(" vSAN"))
        recording.until(lambda: number in recording.feed.health)
        recording.rounds(2)
        assert recording.feed.health[number].message


def test_without_vsan_nothing_is_asked(start_vcenter: Start, tmp_path: Path) -> None:
    server = start_vcenter(hosts=2, vms=2, interval=1, history=30)
    server.fault("fault", method="VsanClusterGetConfig", type="SystemError", text="no", count=1)
    with Recording(server, VSphereOptions(extra_dirs=hasty(tmp_path))) as recording:
        recording.rounds(2)
    assert not any(one.name.endswith(" vSAN") for one in recording.feed.sources.values())
    assert [one["hits"] for one in server.faults()] == [0]


def test_an_account_that_may_not_read_vsan_is_told_what_it_lacks(vsan: Vsan) -> None:
    vsan.server.fault("fault", method="VsanClusterGetConfig", type="NoPermission", text="Permission denied")
    health = vsan.round()
    assert "may not have its vSAN" in health.message
    assert health.received == 0
    vsan.server.clear()
    assert vsan.round(later_s=300).received > 0
