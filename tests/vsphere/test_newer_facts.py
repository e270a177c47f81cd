"""Facts of newer hosts and settings: memory tiers, DPUs, fault tolerance, DRS scores, teams, paths."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from collectors.vsphere.inventory import elements, facts
from collectors.vsphere.inventory.lookup import ObjectIndex
from collectors.vsphere.inventory.objects import CLUSTER, HOST, VM
from collectors.vsphere.inventory.values import (
    ClusterConfig,
    ClusterSummary,
    Lun,
    MemoryTier,
    Path,
    PhysicalNic,
    Switch,
    TierUse,
)
from sessions.model import EntityRef
from tests.vcenter.conftest import start_vcenter, vcenter
from tests.vcenter.running import TestVCenter
from tests.vsphere.inventories import KeptFeed
from tests.vsphere.test_inventory_watcher import follow, named, watching

__all__ = ["start_vcenter", "vcenter"]
START = '<val xmlns="urn:vim25" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'


def value(inner: str) -> elements.Element:
    return etree.fromstring(f"{START}{inner}</val>")


def test_fault_tolerance() -> None:
    assert elements.protection(value("notConfigured")) == ""
    assert elements.protection(value("needSecondary")) == "needSecondary"
    assert elements.positive(value("-1")) is None
    assert elements.positive(value("0")) is None
    assert elements.positive(value("81920")) == 81920.0


def test_memory_tiers() -> None:
    assert elements.tiering(value("noTiering")) == ""
    assert elements.tiering(value("softwareTiering")) == "softwareTiering"
    written = """<HostMemoryTierInfo><name>DRAM</name><type>DRAM</type><size>549755813888</size>
      </HostMemoryTierInfo>
      <HostMemoryTierInfo><name>NVMe</name><type>NVMe</type><flags>tier1</flags><size>137438953472</size>
      </HostMemoryTierInfo><HostMemoryTierInfo><name>odd</name><type>NVMe</type></HostMemoryTierInfo>"""
    found = elements.memory_tiers(value(written))
    assert found == (MemoryTier("DRAM", 2.0**39), MemoryTier("NVMe", 2.0**37))
    others = loaded_others()
    assert list(facts.memory_tiers(found, others)) == [("tier.dram_mb", 524288.0), ("tier.nvme_mb", 131072.0)]
    assert list(facts.memory_tiers(found[:1], others)) == [], "all hosts have DRAM"
    stats = """<VirtualMachineQuickStatsMemoryTierStats><memoryTierType>DRAM</memoryTierType>
        <readBandwidth>2100</readBandwidth></VirtualMachineQuickStatsMemoryTierStats>
      <VirtualMachineQuickStatsMemoryTierStats><memoryTierType>NVMe</memoryTierType>
        <readBandwidth>35</readBandwidth></VirtualMachineQuickStatsMemoryTierStats>"""
    use = elements.tier_use(value(stats))
    assert use == (TierUse("DRAM", 2100.0), TierUse("NVMe", 35.0))
    assert list(facts.tier_use(use, others)) == [
        ("tier.dram.read_mbps", 2100.0),
        ("tier.nvme.read_mbps", 35.0),
    ]


def loaded_others() -> facts.OtherObjects:
    """An index of nothing: these facts look nothing up in it."""
    return ObjectIndex("site", lambda _kind, _ids, name: EntityRef("host", name), {})


def test_devices_and_paths() -> None:
    scsi = """<ScsiLun><canonicalName>eui.01</canonicalName><lunType>disk</lunType><localDisk>true</localDisk>
        <usedByMemoryTiering>true</usedByMemoryTiering></ScsiLun>"""
    assert elements.luns(value(scsi)) == (Lun("eui.01", None, "", "", True, is_memory_tier=True),)
    multi = """<lun><path><name>fc.20-fc.50-naa.60</name></path>
        <policy><policy>VMW_PSP_RR</policy></policy></lun>"""
    assert elements.paths(value(multi)) == (
        Path("fc.20-fc.50-naa.60", "fc.20-fc.50-naa.60", "", "naa.60", "VMW_PSP_RR"),
    )


def test_uplinks_and_teams() -> None:
    nics = """<PhysicalNic><device>vmnic0</device><driver>nmlx5</driver><linkSpeed><speedMb>100</speedMb>
        <duplex>false</duplex></linkSpeed><dpuId>dpu-1</dpuId></PhysicalNic>"""
    assert elements.physical_nics(value(nics)) == (PhysicalNic("vmnic0", "nmlx5", 100.0, False, "dpu-1"),)
    written = """<HostVirtualSwitch><name>vSwitch0</name><pnic>key-vim.host.PhysicalNic-vmnic0</pnic>
        <pnic>key-vim.host.PhysicalNic-vmnic1</pnic><spec><policy><nicTeaming><policy>failover_explicit</policy>
        <nicOrder><activeNic>vmnic0</activeNic><standbyNic>vmnic1</standbyNic></nicOrder></nicTeaming></policy></spec>
      </HostVirtualSwitch>"""
    assert elements.switches(value(written)) == (
        Switch("vSwitch0", ("vmnic0", "vmnic1"), "failover_explicit", ("vmnic1",)),
    )


def test_a_clusters_scores_and_settings() -> None:
    numbers = "".join(f"<numVmsPerDrsScoreBucket>{n}</numVmsPerDrsScoreBucket>" for n in (1, 0, 2, 3, 40))
    found = elements.cluster_summary(value(f"<drsScore>74</drsScore>{numbers}"))
    assert found == ClusterSummary(74.0, None, None, (1.0, 0.0, 2.0, 3.0, 40.0))
    assert dict(facts.cluster_summary(found, loaded_others())) == {
        "drs.score": 74.0, "drs.vms_0_20": 1.0, "drs.vms_21_40": 0.0, "drs.vms_41_60": 2.0,
        "drs.vms_61_80": 3.0, "drs.vms_81_100": 40.0,
    }  # fmt: skip
    written = """<dasConfig><enabled>true</enabled><admissionControlEnabled>false</admissionControlEnabled>
      </dasConfig>
      <rule><enabled>true</enabled></rule><rule><enabled>false</enabled></rule><drsVmConfig/><drsVmConfig/>"""
    assert elements.cluster_config(value(written)) == ClusterConfig(None, "", None, True, False, 1.0, 2.0)


def test_a_vcenter_of_today_tells_them(start_vcenter: Callable[..., TestVCenter]) -> None:
    server = start_vcenter(hosts=2, vms=2, history=2, rollup_days=0)
    with watching(server) as (watcher, feed, _):
        host, vm = next(iter(named(watcher, HOST).values())), next(iter(named(watcher, VM).values()))
        device = next(ref for ref in host.instances.values() if ref.kind == "device")
        nic = next(ref for ref in host.instances.values() if ref.kind == "nic")
        name = feed.entities[device].name
        server.fault(
            "memory_tiers",
            host=host.name,
            mode="softwareTiering",
            tiers={"DRAM": 65536, "NVMe": 65536},
            disk=name,
        )
        follow(watcher, lambda: feed.facts(host.ref).get("mem.tiering") == "softwareTiering")
        assert (feed.facts(host.ref)["tier.dram_mb"], feed.facts(host.ref)["tier.nvme_mb"]) == (
            65536.0,
            65536.0,
        )
        assert feed.facts(device)["device.memory_tier"] is True
        server.fault("tier_reads", vm=vm.name, tiers={"DRAM": 900, "NVMe": 120})
        follow(watcher, lambda: feed.facts(vm.ref).get("tier.nvme.read_mbps") == 120.0)
        server.fault("fault_tolerance", vm=vm.name, value="yellow", threshold_ms=2500, log_kbps=81920)
        follow(watcher, lambda: feed.facts(vm.ref).get("ft.latency_status") == "yellow")
        told = feed.facts(vm.ref)
        assert (told["ft.protection"], told["ft.secondary_latency_ms"], told["ft.log_kbps"]) == (
            "running", 2500.0, 81920.0,
        )  # fmt: skip
        server.fault("dpu", host=host.name, name=nic.key.rpartition("/")[2], value="dpu-1")
        follow(watcher, lambda: feed.facts(nic).get("nic.dpu") == "dpu-1")
        assert feed.facts(host.ref)["dpus"] == 1.0
        others = [ref for ref in feed.entities if ref.kind == "nic" and ref != nic]
        assert not any("nic.dpu" in feed.facts(ref) for ref in others)


def test_drs_tells_how_many_vms_have_which_score(start_vcenter: Callable[..., TestVCenter]) -> None:
    server = start_vcenter(hosts=2, vms=8, history=2, rollup_days=0, about="8.0.3.0")
    with watching(server) as (watcher, feed, _):
        (cluster,) = named(watcher, CLUSTER).values()
        assert buckets(feed, cluster.ref) == 8.0
        assert feed.facts(cluster.ref)["drs.vms_81_100"] == 8.0, "nobody loads the hosts"


def buckets(feed: KeptFeed, cluster: EntityRef) -> float:
    """How many VMs DRS scored."""
    held = feed.facts(cluster)
    return sum(float(str(held[name])) for name in held if name.startswith("drs.vms_"))
