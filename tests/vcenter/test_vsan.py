"""The test vCenter's vSAN endpoint answers pyVmomi's own bindings: configuration, space, health, series."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from pyVmomi import vim, vmodl
from pyVmomi.VmomiSupport import newestVersions

from tests.vcenter.peers import Peer, moment
from tests.vcenter.running import TestVCenter

vsanapiutils: Any = import_module("vsanapiutils")  # it adds vSAN's types to pyVmomi's, and has no stubs
Login = Callable[..., Peer]


@pytest.fixture
def connect() -> Iterator[Callable[[Peer], Any]]:
    """vSAN's managed objects, with the session of a login."""
    trusting = ssl.create_default_context()
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    stubs: list[Any] = []

    def get(peer: Peer) -> Any:
        newest = newestVersions.GetName("vsan")
        found = vsanapiutils.GetVsanVcMos(peer.instance._stub, context=trusting, version=newest)
        stubs.append(found["vsan-performance-manager"]._stub)
        return SimpleNamespace(
            space=found["vsan-cluster-space-report-system"],
            config=found["vsan-cluster-config-system"],
            health=found["vsan-cluster-health-system"],
            objects=found["vsan-cluster-object-system"],
            perf=found["vsan-performance-manager"],
        )

    yield get
    for stub in stubs:
        stub.DropConnections()


@pytest.fixture
def cluster(vcenter: TestVCenter, login: Login) -> Any:
    [found] = login(vcenter).all(vim.ClusterComputeResource).values()
    return found


@pytest.fixture
def vsan(vcenter: TestVCenter, login: Login, connect: Callable[[Peer], Any]) -> Any:
    vcenter.fault("vsan", cluster="cluster-01")
    return connect(login(vcenter))


def _query(entity: str, **options: object) -> Any:
    return vim.cluster.VsanPerfQuerySpec(entityRefId=entity, **options)


def test_a_cluster_without_vsan_says_so(
    vcenter: TestVCenter, login: Login, connect: Callable[[Peer], Any], cluster: Any
) -> None:
    found = connect(login(vcenter))
    assert found.config.VsanClusterGetConfig(cluster).enabled is False
    with pytest.raises(vmodl.fault.NotSupported):
        found.space.VsanQuerySpaceUsage(cluster)


def test_the_configuration_tells_the_architectures_apart(
    vcenter: TestVCenter, vsan: Any, cluster: Any
) -> None:
    config = vsan.config.VsanClusterGetConfig(cluster)
    assert (config.enabled, config.vsanEsaEnabled, config.perfsvcConfig.enabled) == (True, False, True)
    assert (config.dataEfficiencyConfig.dedupEnabled, config.dataEfficiencyConfig.compressionEnabled) == (
        True,
        True,
    )
    vcenter.fault("vsan", cluster="cluster-01", esa=True, dedup=False)
    config = vsan.config.VsanClusterGetConfig(cluster)
    assert (config.vsanEsaEnabled, config.dataEfficiencyConfig.dedupEnabled) == (True, False)


def test_the_newest_version_that_both_know(vcenter: TestVCenter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssl, "_create_default_https_context", ssl._create_unverified_context)  # it is changed
    place = vcenter.place
    version = vsanapiutils.GetLatestVmodlVersion(place.host, place.port)
    assert version == "vsan.version.version23", "that of 8.0 U3"


def test_it_has_a_datastore(vcenter: TestVCenter, vsan: Any, login: Login) -> None:
    store = login(vcenter).all(vim.Datastore)["vsanDatastore-cluster-01"]
    assert (store.summary.type, store.capability.storageIORMSupported) == ("vsan", False)
    assert isinstance(store.info, vim.host.VsanDatastoreInfo)
    assert len(store.host) == 2


def test_space_has_what_deduplication_saves(vcenter: TestVCenter, vsan: Any, cluster: Any) -> None:
    vcenter.fault(
        "vsan", cluster="cluster-01", capacity_bytes=1 << 40, used_bytes=10 << 30, logical_bytes=40 << 30
    )
    usage = vsan.space.VsanQuerySpaceUsage(cluster)
    assert (usage.totalCapacityB, usage.freeCapacityB) == (1 << 40, (1 << 40) - (10 << 30))
    efficient = usage.efficientCapacity
    assert (efficient.logicalCapacityUsed, efficient.physicalCapacityUsed) == (40 << 30, 10 << 30)
    assert (usage.spaceEfficiencyRatio.overallRatio, efficient.esaCompressionSpaceSaving) == (4, None)
    vcenter.fault("vsan", cluster="cluster-01", esa=True)
    efficient = vsan.space.VsanQuerySpaceUsage(cluster).efficientCapacity
    assert efficient.esaCompressionSpaceSaving == 30 << 30
    vcenter.fault("vsan", cluster="cluster-01", esa=False, dedup=False, compression=False)
    assert vsan.space.VsanQuerySpaceUsage(cluster).efficientCapacity is None


def test_health_and_resync(vcenter: TestVCenter, vsan: Any, cluster: Any) -> None:
    def states() -> dict[str, int]:
        summary = vsan.health.VsanQueryVcClusterHealthSummary(cluster, fields=["objectHealth"])
        assert not summary.physicalDisksHealth, "it was not asked for"
        return {one.health: one.numObjects for one in summary.objectHealth.objectHealthDetail}

    assert states() == {"healthy": 9, "reducedavailabilitywithnorebuild": 0}, "4 VMs and their 5 disks"
    quiet = vsan.objects.QuerySyncingVsanObjectsSummary(cluster)
    assert (quiet.totalObjectsToSync, quiet.totalBytesToSync) == (0, 0)
    vcenter.fault("vsan", cluster="cluster-01", unhealthy=2, resync_objects=3, resync_bytes=5 << 30)
    assert states() == {"healthy": 7, "reducedavailabilitywithnorebuild": 2}
    busy = vsan.objects.QuerySyncingVsanObjectsSummary(cluster)
    assert (busy.totalObjectsToSync, busy.totalBytesToSync) == (3, 5 << 30)
    whole = vsan.health.VsanQueryVcClusterHealthSummary(cluster)
    assert whole.overallHealth == "red"
    assert [one.hostname for one in whole.physicalDisksHealth] == ["esx0001.lab", "esx0002.lab"]
    assert [len(one.disks) for one in whole.physicalDisksHealth] == [4, 4]


def test_series_have_five_minutes_and_thresholds(vcenter: TestVCenter, vsan: Any, cluster: Any) -> None:
    end = moment(vcenter.now())
    start = end - timedelta(hours=2)
    found = vsan.perf.VsanPerfQueryPerf(
        [_query("disk-group:*", startTime=start, endTime=end, labels=["iopsRead", "ssdCongestion"])], cluster
    )
    assert len(found) == 2
    assert len({one.entityRefId for one in found}) == 2
    for one in found:
        times = one.sampleInfo.split(",")
        assert len(times) == 24
        assert all(stamp.endswith((":00:00", ":05:00", "0:00", "5:00")) for stamp in times)
        series = {each.metricId.label: each for each in one.value}
        assert set(series) == {"iopsRead", "ssdCongestion"}
        assert [len(each.values.split(",")) for each in series.values()] == [24, 24]
        assert series["ssdCongestion"].threshold.direction == "upper"
        assert series["iopsRead"].threshold is None
    again = vsan.perf.VsanPerfQueryPerf([_query(found[0].entityRefId, startTime=start, endTime=end)], cluster)
    assert again[0].value[0].values == found[0].value[0].values


def test_a_hot_disk_stands_out(vcenter: TestVCenter, vsan: Any, cluster: Any) -> None:
    disks = [one.entityRefId for one in vsan.perf.VsanPerfQueryPerf([_query("capacity-disk:*")], cluster)]
    assert len(disks) == 6
    vcenter.fault("vsan", cluster="cluster-01", entity=disks[2], label="latencyDevRead", constant=6000)
    found = vsan.perf.VsanPerfQueryPerf([_query("capacity-disk:*", labels=["latencyDevRead"])], cluster)
    means = [
        sum(numbers) / len(numbers)
        for numbers in ([float(text) for text in one.value[0].values.split(",")] for one in found)
    ]
    assert max(means) == means[2] == 6000
    assert sorted(means)[-2] < 1000


def test_entities_are_of_one_architecture(vcenter: TestVCenter, vsan: Any, cluster: Any) -> None:
    supported = {one.id: one for one in vsan.perf.VsanPerfGetSupportedEntityTypes()}
    assert {"disk-group", "vsan-esa-disk-layer", "cluster-domclient"} <= set(supported)
    labels = {one.label for graph in supported["host-domclient"].graphs for one in graph.metrics}
    assert {"latencyAvgRead", "congestion", "oio"} <= labels

    def count(kind: str) -> int:
        return len(vsan.perf.VsanPerfQueryPerf([_query(f"{kind}:*")], cluster))

    assert (count("disk-group"), count("vsan-esa-disk-layer")) == (2, 0)
    vcenter.fault("vsan", cluster="cluster-01", esa=True)
    assert (count("disk-group"), count("vsan-esa-disk-layer")) == (0, 8)
    assert (count("cluster-domclient"), count("host-domclient"), count("virtual-machine")) == (1, 2, 4)


@pytest.mark.parametrize(
    ("entities", "named"),
    [
        (["disk-group:*", "capacity-disk:*"], "querySpecs"),
        (["no-such-type:*"], "entityRefId"),
        (["disk-group:*", "disk-group:52000000-0000-0000-0000-000000000000"], "entityRefId"),
    ],
)
def test_what_is_wrong_makes_the_whole_call_fail(
    vsan: Any, cluster: Any, entities: list[str], named: str
) -> None:
    with pytest.raises(vmodl.fault.InvalidArgument, match="A specified parameter was not correct") as caught:
        vsan.perf.VsanPerfQueryPerf([_query(one) for one in entities], cluster)
    assert caught.value.invalidProperty == named


def test_no_performance_service_and_no_session(
    vcenter: TestVCenter, vsan: Any, cluster: Any, login: Login
) -> None:
    vcenter.fault("vsan", cluster="cluster-01", performance=False)
    assert not vsan.config.VsanClusterGetConfig(cluster).perfsvcConfig.enabled
    with pytest.raises(vim.fault.NotFound):
        vsan.perf.VsanPerfQueryPerf([_query("disk-group:*")], cluster)
    vcenter.fault("deny", privileges=["System.Read"])
    with pytest.raises(vim.fault.NoPermission):
        vsan.space.VsanQuerySpaceUsage(cluster)
    vcenter.fault("deny", privileges=[])
    vcenter.fault("slow", method="VsanQuerySpaceUsage", seconds=0.1, count=1)
    vsan.space.VsanQuerySpaceUsage(cluster)
    assert vcenter.faults() == [], "faults are for this endpoint, too"
    vcenter.fault("expire")
    with pytest.raises(vim.fault.NotAuthenticated):
        vsan.space.VsanQuerySpaceUsage(cluster)
