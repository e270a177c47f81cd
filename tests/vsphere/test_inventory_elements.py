"""Properties as a vCenter sends them, read to plain values."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from collectors.vsphere.inventory import elements
from collectors.vsphere.inventory.values import (
    Adapter,
    Allocation,
    ClusterConfig,
    ClusterSummary,
    DatastoreInfo,
    Devices,
    Disk,
    Lun,
    Path,
    PhysicalNic,
    Ref,
    Snapshots,
    Switch,
    VirtualNic,
)
from tests.vsphere.inventories import value

_HARDWARE = """
<VirtualDevice xsi:type="VirtualIDEController"><key>200</key><busNumber>0</busNumber></VirtualDevice>
<VirtualDevice xsi:type="ParaVirtualSCSIController"><key>1000</key><busNumber>0</busNumber></VirtualDevice>
<VirtualDevice xsi:type="VirtualLsiLogicSASController"><key>1001</key><busNumber>1</busNumber></VirtualDevice>
<VirtualDevice xsi:type="VirtualNVMEController"><key>31000</key><busNumber>0</busNumber></VirtualDevice>
<VirtualDevice xsi:type="VirtualAHCIController"><key>15000</key><busNumber>0</busNumber></VirtualDevice>
<VirtualDevice xsi:type="VirtualKeyboard"><key>600</key></VirtualDevice>
<VirtualDevice xsi:type="VirtualDisk"><key>2000</key>
  <backing xsi:type="VirtualDiskFlatVer2BackingInfo"><fileName>[ds1] a/a.vmdk</fileName>
    <datastore type="Datastore">datastore-1</datastore><diskMode>persistent</diskMode></backing>
  <controllerKey>1000</controllerKey><unitNumber>0</unitNumber><capacityInKB>1</capacityInKB>
  <storageIOAllocation><limit>500</limit><shares><shares>2000</shares><level>high</level></shares>
        </storageIOAllocation>
</VirtualDevice>
<VirtualDevice xsi:type="VirtualDisk"><key>2016</key><controllerKey>1001</controllerKey>
        <unitNumber>9</unitNumber>
  <capacityInKB>1</capacityInKB><storageIOAllocation><limit>-1</limit></storageIOAllocation></VirtualDevice>
<VirtualDevice xsi:type="VirtualDisk"><key>32000</key><controllerKey>31000</controllerKey>
        <unitNumber>0</unitNumber>
  <capacityInKB>1</capacityInKB></VirtualDevice>
<VirtualDevice xsi:type="VirtualDisk"><key>16000</key><controllerKey>15000</controllerKey>
        <unitNumber>0</unitNumber>
  <capacityInKB>1</capacityInKB></VirtualDevice>
<VirtualDevice xsi:type="VirtualDisk"><key>3000</key><controllerKey>200</controllerKey>
        <unitNumber>1</unitNumber>
  <capacityInKB>1</capacityInKB></VirtualDevice>
<VirtualDevice xsi:type="VirtualDisk"><key>9</key><capacityInKB>1</capacityInKB></VirtualDevice>
<VirtualDevice xsi:type="VirtualVmxnet3"><key>4000</key><deviceInfo><label>Network adapter 1</label>
        </deviceInfo>
  <backing xsi:type="VirtualEthernetCardNetworkBackingInfo"><deviceName>VM%2fNetwork</deviceName></backing>
  <macAddress>00:50:56:00:00:01</macAddress></VirtualDevice>
<VirtualDevice xsi:type="VirtualE1000e"><key>4001</key><backing><port>
        <portgroupKey>dvportgroup-7</portgroupKey></port></backing>
  <macAddress>00:50:56:00:00:02</macAddress></VirtualDevice>
"""


def test_hardware_is_told_apart_by_what_it_has() -> None:
    assert elements.devices(value(_HARDWARE)) == Devices(
        (
            Disk(
                "scsi0:0", "ParaVirtualSCSIController", "datastore-1", 2000.0, 500.0, "persistent", key="2000"
            ),
            Disk("scsi1:9", "VirtualLsiLogicSASController", "", None, None, "", key="2016"),
            Disk("nvme0:0", "VirtualNVMEController", "", None, None, "", key="32000"),
            Disk("sata0:0", "VirtualAHCIController", "", None, None, "", key="16000"),
            Disk("ide0:1", "VirtualIDEController", "", None, None, "", key="3000"),
            Disk("disk-9", "", "", None, None, "", key="9"),
        ),
        (
            VirtualNic("4000", "Network adapter 1", "VirtualVmxnet3", "VM/Network", "", "00:50:56:00:00:01"),
            VirtualNic("4001", "nic 4001", "VirtualE1000e", "", "dvportgroup-7", "00:50:56:00:00:02"),
        ),
    )


def test_a_disk_has_as_many_files_as_its_backing_has_parents() -> None:
    nested = "<backing><parent><parent></parent></parent></backing>"
    disk = f"""<VirtualDevice xsi:type="VirtualDisk"><key>2000</key>{nested}
        <controllerKey>1000</controllerKey><unitNumber>0</unitNumber><capacityInKB>1</capacityInKB></VirtualDevice>"""
    assert [one.chain for one in elements.devices(value(disk)).disks] == [3.0]
    assert {one.chain for one in elements.devices(value(_HARDWARE)).disks} == {1.0}


def test_what_drs_makes_of_a_cluster() -> None:
    score = "<numHosts>3</numHosts><drsScore>74</drsScore>"
    assert elements.cluster_summary(value(score)) == ClusterSummary(74.0, None, None)
    before = "<currentBalance>310</currentBalance><targetBalance>200</targetBalance>"
    assert elements.cluster_summary(value(before)) == ClusterSummary(None, 310.0, 200.0)
    two = "<ClusterRecommendation><key>1</key></ClusterRecommendation><ClusterRecommendation/>"
    assert elements.number_of_items(value(two)) == 2.0
    assert elements.number_of_items(value("")) == 0.0


def test_allocations_know_unlimited() -> None:
    written = "<reservation>100</reservation><limit>{}</limit><shares><shares>4000</shares></shares>"
    assert elements.allocation(value(written.format(-1))) == Allocation(None, 100.0, 4000.0)
    assert elements.allocation(value(written.format(2500))) == Allocation(2500.0, 100.0, 4000.0)
    assert elements.allocation(value("")) == Allocation(None, None, None)


def test_snapshots_of_the_whole_tree() -> None:
    tree = """<currentSnapshot type="VirtualMachineSnapshot">snapshot-2</currentSnapshot>
      <rootSnapshotList><name>before%2fpatch</name><createTime>2026-01-02T00:00:00Z</createTime>
        <childSnapshotList><name>b</name><createTime>2026-01-03T00:00:00Z</createTime>
          <childSnapshotList><name>c</name><createTime>2026-01-04T00:00:00Z</createTime></childSnapshotList>
        </childSnapshotList></rootSnapshotList>
      <rootSnapshotList><name>d</name><createTime>2026-01-01T00:00:00Z</createTime></rootSnapshotList>"""
    found = elements.snapshots(value(tree))
    assert found.number == 4
    assert found.oldest == "2026-01-01T00:00:00Z"
    assert set(found.names) == {"before/patch", "b", "c", "d"}
    assert elements.snapshots(value("")) == Snapshots(0, "", ())


def test_a_hosts_storage_and_network() -> None:
    scsi = """<ScsiLun xsi:type="HostScsiDisk"><canonicalName>naa.60</canonicalName><lunType>disk</lunType>
      <vendor>PURE    </vendor><model>FlashArray  </model><queueDepth>64</queueDepth>
        <localDisk>false</localDisk><ssd>true</ssd><applicationProtocol>SCSI</applicationProtocol></ScsiLun>
      <ScsiLun xsi:type="ScsiLun"><canonicalName>mpx.vmhba64:C0:T0:L0</canonicalName>
        <lunType>cdrom</lunType></ScsiLun>
      <ScsiLun xsi:type="HostScsiDisk"><canonicalName>mpx.vmhba0:C0:T0:L0</canonicalName>
        <lunType>disk</lunType></ScsiLun>"""
    assert elements.luns(value(scsi)) == (
        Lun("naa.60", 64.0, "PURE", "FlashArray", False, True, "SCSI"),
        Lun("mpx.vmhba0:C0:T0:L0", None, "", "", None),
    )
    hba = """<HostHostBusAdapter><device>vmhba2</device><driver>qlnativefc</driver><model>QLE2692</model>
        </HostHostBusAdapter>"""
    assert elements.adapters(value(hba)) == (Adapter("vmhba2", "qlnativefc", "QLE2692"),)
    multi = """<lun><path><key>key-vim.host.MultipathInfo.Path-vmhba2:C0:T1:L3</key>
        <name>fc.20:21-fc.50:51-naa.60</name>
      <pathState>active</pathState><state>dead</state></path></lun><lun><path><name>odd</name></path></lun>"""
    assert elements.paths(value(multi)) == (
        Path("vmhba2:C0:T1:L3", "fc.20:21-fc.50:51-naa.60", "dead", "naa.60"),
        Path("odd", "odd", ""),
    )
    nics = """<PhysicalNic><device>vmnic0</device><driver>nmlx5</driver><linkSpeed>
        <speedMb>25000</speedMb></linkSpeed><validLinkSpecification><speedMb>10000</speedMb><duplex>true</duplex>
        </validLinkSpecification><validLinkSpecification><speedMb>25000</speedMb><duplex>true</duplex>
        </validLinkSpecification></PhysicalNic>
      <PhysicalNic><device>vmnic1</device></PhysicalNic>"""
    assert elements.physical_nics(value(nics)) == (
        PhysicalNic("vmnic0", "nmlx5", 25000.0, max_speed_mbps=25000.0),
        PhysicalNic("vmnic1", "", None),
    )
    switches = """<HostVirtualSwitch><name>vSwitch0</name><mtu>9000</mtu>
        <pnic>key-vim.host.PhysicalNic-vmnic0</pnic>
        </HostVirtualSwitch>
      <HostProxySwitch><dvsName>DSwitch 1</dvsName><pnic>key-vim.host.PhysicalNic-vmnic1</pnic>
        </HostProxySwitch>"""
    assert elements.switches(value(switches)) == (
        Switch("vSwitch0", ("vmnic0",), mtu=9000.0),
        Switch("DSwitch 1", ("vmnic1",)),
    )


def test_a_datastores_other_names() -> None:
    vmfs = """<vmfs><uuid>5c3f-1</uuid><extent><diskName>naa.60</diskName></extent><extent>
        <diskName>naa.61</diskName></extent></vmfs>"""
    assert elements.datastore_info(value(vmfs)) == DatastoreInfo(("5c3f-1",), ("naa.60", "naa.61"))
    nas = "<nas><remoteHost>filer</remoteHost><remotePath>/vol/a</remotePath></nas>"
    assert elements.datastore_info(value(nas)) == DatastoreInfo(("filer:/vol/a",), ())
    assert elements.datastore_info(value("<url>x</url>")) == DatastoreInfo((), ())


def test_a_clusters_settings() -> None:
    written = """<dasConfig><enabled>true</enabled></dasConfig><drsConfig><enabled>false</enabled>
      <defaultVmBehavior>fullyAutomated</defaultVmBehavior><vmotionRate>3</vmotionRate></drsConfig>"""
    assert elements.cluster_config(value(written)) == ClusterConfig(False, "fullyAutomated", 3.0, True)
    assert elements.cluster_config(value("")) == ClusterConfig(None, "", None, None)


def test_small_things() -> None:
    assert (
        elements.policy(value("<currentPolicy><key>1</key><shortName>static</shortName></currentPolicy>"))
        == "static"
    )
    assert (
        elements.product(value("<version>8.0.2</version><build>22380479</build>")) == "8.0.2 build-22380479"
    )
    assert elements.extension(
        value("<extensionKey>com.vmware.vim.eam</extensionKey><type>cluster-agent</type>")
    ) == ("com.vmware.vim.eam")
    assert elements.affinity(value("<affinitySet>12</affinitySet><affinitySet>13</affinitySet>")) == (
        "12",
        "13",
    )
    assert elements.reference(value("host-9", 'type="HostSystem"')) == Ref("HostSystem", "host-9")
    assert elements.number(value("not a number")) is None
    assert elements.flag(value(" true "))


def test_names_are_unescaped_and_kept_as_text() -> None:
    assert elements.name(value("web%2fdb%5c100%25")) == "web/db\\100%"
    assert elements.name(value("&lt;script&gt;alert(1)&lt;/script&gt;")) == "<script>alert(1)</script>"
    assert elements.name(value("a&#10;b&#9;c")) == "a b c"
    assert elements.name(value("safe\u202egnp.exe")) == "safe gnp.exe"


@given(st.text(), st.integers(min_value=2, max_value=50))
def test_tidy_text_is_one_short_line(text: str, limit: int) -> None:
    tidy = elements.tidy(text, limit)
    assert len(tidy) <= limit
    assert "\n" not in tidy
    assert tidy == tidy.strip()
    assert elements.tidy(tidy, limit) == tidy
