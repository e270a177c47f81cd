"""From columns to entities and series: one VM out of six classes, and what can't be told."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collectors.esxtop_names import ESXTOP_CLASSES, ColumnPath, HostColumns, columns_by_host, parse_path
from resources.catalogue import Catalogue, load_catalogue
from sessions.model import SeriesSpec

H = "esx01"
CATALOGUE = load_catalogue()


@pytest.fixture
def catalogue() -> Catalogue:
    return CATALOGUE


def layout(catalogue: Catalogue, *texts: str) -> HostColumns:
    (only,) = columns_by_host([parse_path(rf"\\{H}" + "\\" + text) for text in texts], catalogue)
    return only


def spec(catalogue: Catalogue, *texts: str) -> SeriesSpec:
    """The series of the last column."""
    return layout(catalogue, *texts).specs[-1]


HERMES = (
    r"Group Cpu(1303688:hermes)\% VmWait",
    r"Vcpu(1303688:hermes:444915:vmx)\% Run",
    r"Vcpu(1303688:hermes:444917:NetWorld-VM-444916)\% Run",
    r"Vcpu(1303688:hermes:444922:vmx-vcpu-0:hermes)\% Run",
    r"Vcpu(1303688:hermes:444924:vmx-vcpu-1:hermes)\% Run",
)
VM = f"{H}/vm/1303688"


@pytest.mark.parametrize(
    ("column", "kind", "key", "counter", "instance"),
    [
        (r"Memory\Free MBytes", "host", H, "mem.free", ""),
        (r"Physical Cpu(_Total)\% Util Time", "host", H, "cpu.pcpu_util", ""),
        (r"Physical Cpu(11)\% Util Time", "host", H, "cpu.pcpu_util", "11"),
        (r"PCPU Power State(PCPU 0)\%C-State C1", "host", H, "power.cstate", "PCPU 0 C1"),
        (r"PCPU Power State(PCPU 7)\% of aperf/mperf", "host", H, "power.aperf_mperf", "PCPU 7"),
        (r"Interrupt Cookie(0x12:CPU1)\Interrupts/second", "host", H, "interrupt.rate", "0x12:CPU1"),
        (r"Group Cpu(1303688:hermes)\% Ready", "vm", VM, "cpu.ready", ""),
        (r"Group Memory(1303688:hermes)\Memctl MBytes", "vm", VM, "mem.balloon", ""),
        (r"Virtual Disk(hermes)\Reads/sec", "vm", VM, "vdisk.reads", ""),
        (r"Virtual Disk(hermes:scsi2:0)\Reads/sec", "vdisk", f"{VM}/scsi2:0", "vdisk.reads", ""),
        (r"Virtual Disk(hermes:nvme0:1)\Reads/sec", "vdisk", f"{VM}/nvme0:1", "vdisk.reads", ""),
        (
            r"Network Port(vSwitch0:33554449:444916:hermes)\Packets Received/sec",
            "port", f"{H}/port/33554449", "net.packets_rx", "",
        ),
        (r"Network Port(vSwitch0:33554434:vmnic0)\Link Up?", "nic", f"{H}/vmnic0", "net.link_up", ""),
        (
            r"Network Port(vSwitch0:33554435:Shadow of vmnic0)\Link Up?",
            "port", f"{H}/port/33554435", "net.link_up", "",
        ),
        (
            r"Vcpu(1303688:hermes:444922:vmx-vcpu-0:hermes)\% Ready",
            "vcpu", f"{H}/world/444922", "cpu.ready", "",
        ),
        (r"Vcpu(1303688:hermes:444915:vmx)\% Ready", "world", f"{H}/world/444915", "cpu.ready", ""),
        (r"Group Cpu(5481:hostd.66694)\% Ready", "world", f"{H}/group/5481", "cpu.ready", ""),
        (
            r"Physical Disk Per-Device-Per-World(naa.6-00-444916)\Active Commands",
            "vm", VM, "disk.active", "naa.6-00",
        ),
        (
            r"Physical Disk Per-Device-Per-World(naa.600-444915)\Active Commands",
            "world", f"{H}/world/444915", "disk.active", "naa.600",
        ),
        (
            r"Physical Disk Per-Device-Per-World(naa.600-77)\Active Commands",
            "world", f"{H}/world/77", "disk.active", "naa.600",
        ),
        (r"Physical Disk SCSI Device(naa.600)\Active Commands", "device", "naa.600", "disk.active", ""),
        (r"Physical Disk SCSI Device(t10.A_X)\Active Commands", "device", f"{H}/t10.A_X", "disk.active", ""),
        (r"Physical Disk Partition(naa.600-8)\Reads/sec", "device", "naa.600", "disk.reads", "partition 8"),
        (r"Physical Disk Adapter(vmhba0)\Reads/sec", "adapter", f"{H}/vmhba0", "disk.reads", ""),
        (r"Physical Disk(vmhba0)\Adapter Q Depth", "adapter", f"{H}/vmhba0", "disk.adapter_queue_depth", ""),
        (r"Physical Disk Path(vmhba0:C0:T2:L0)\Reads/sec", "path", f"{H}/vmhba0:C0:T2:L0", "disk.reads", ""),
        (
            r"Physical Disk(vmhba0:vmhba0:C0:T2:L0)\Reads/sec",
            "path", f"{H}/vmhba0:C0:T2:L0", "disk.reads", "by adapter",
        ),
        (r"Physical Disk NFS Volume(NFS 1)\Reads/sec", "datastore", "NFS 1", "nfs.reads", ""),
        (r"Memory\Something New", "host", H, "raw/Memory/Something New", ""),
        (r"Warp Core(4)\Plasma", "host", H, "raw/Warp Core/Plasma", "4"),
        (r"Group Cpu(no id)\% Ready", "host", H, "cpu.ready", "no id"),
    ],
)  # fmt: skip
def test_where_a_column_belongs(
    catalogue: Catalogue, column: str, kind: str, key: str, counter: str, instance: str
) -> None:
    found = spec(catalogue, *HERMES, column)
    again = column in HERMES
    assert (found.entity.kind, found.entity.key, found.counter) == (kind, key, counter)
    assert found.instance == instance + ("#2" if again else "")


def test_a_vm_is_one_entity_with_its_parts_under_it(catalogue: Catalogue) -> None:
    found = layout(catalogue, *HERMES, r"Virtual Disk(hermes:scsi0:0)\Reads/sec")
    by_name = {entity.name: entity for entity in found.entities}
    vm = by_name["hermes"].ref
    assert Counter(entity.ref.kind for entity in found.entities) == {
        "host": 1, "vm": 1, "vcpu": 2, "world": 2, "vdisk": 1,
    }  # fmt: skip
    assert by_name["vCPU 1"].parent == by_name["vmx"].parent == by_name["scsi0:0"].parent == vm
    assert by_name["hermes"].parent == by_name[H].ref
    assert {(fact.name, fact.value) for fact in found.facts(0)} == {("host", H), ("vcpus", 2.0)}


LUN = r"Physical Disk SCSI Device(naa.600)\Reads/sec"
SSD = r"Physical Disk SCSI Device(t10.A_X)\Reads/sec"
TO_LUN = (r"Physical Disk Path(vmhba1:C0:T0:L5)\Reads/sec", r"Physical Disk Path(vmhba2:C0:T0:L5)\Reads/sec")
TO_SSD = r"Physical Disk Path(vmhba0:C0:T4:L0)\Reads/sec"
OF_LUN = (
    r"Physical Disk Per-Device-Per-World(naa.600-7)\Reads/sec",
    r"Physical Disk Partition(naa.600-1)\Reads/sec",
)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (  # as esxtop prints them: each device, its paths, its worlds, its partitions
            [LUN, *TO_LUN, *OF_LUN, SSD, TO_SSD],
            {"vmhba1:C0:T0:L5": "naa.600", "vmhba2:C0:T0:L5": "naa.600", "vmhba0:C0:T4:L0": "t10.A_X"},
        ),
        ([LUN, *OF_LUN, *TO_LUN], {"vmhba1:C0:T0:L5": "naa.600", "vmhba2:C0:T0:L5": "naa.600"}),
        ([LUN, SSD, *TO_LUN, TO_SSD], {}),  # somebody sorted them: the first device seems to have no path
        ([LUN, r"Memory\Free MBytes", *TO_LUN], {}),
        ([*TO_LUN, LUN], {}),
        ([LUN, *TO_LUN, SSD, TO_LUN[0]], {}),  # one path of two devices
    ],
)
def test_the_paths_of_a_device_stand_after_it(
    catalogue: Catalogue, columns: list[str], told: dict[str, str]
) -> None:
    facts = layout(catalogue, *columns).facts(0)
    assert {
        fact.entity.key.partition("/")[2]: fact.value for fact in facts if fact.name == "path.device"
    } == told


def test_sums_over_worlds_become_per_vcpu(catalogue: Catalogue) -> None:
    assert spec(catalogue, *HERMES, r"Group Cpu(1303688:hermes)\% Ready").scale == 0.5
    assert spec(catalogue, *HERMES, r"Group Cpu(1303688:hermes)\Members").scale == 1.0
    assert spec(catalogue, *HERMES, r"Vcpu(1303688:hermes:444922:vmx-vcpu-0:hermes)\% Ready").scale == 1.0
    assert spec(catalogue, r"Group Cpu(8:helper)\% Ready").scale == 1.0


def test_a_sum_over_unknown_vcpus_is_called_one(catalogue: Catalogue) -> None:
    """No worlds in the file: it must not meet a threshold that is meant per vCPU."""
    found = spec(catalogue, r"Group Cpu(7:web)\% VmWait", r"Group Cpu(7:web)\% Ready")
    assert (found.entity.kind, found.instance, found.scale) == ("vm", "sum", 1.0)


def test_names_with_colons(catalogue: Catalogue) -> None:
    found = layout(
        catalogue,
        r"Group Cpu(9:a:5:b)\% VmWait",
        r"Vcpu(9:a:5:b:1001:vmx-vcpu-0:a:5:b)\% Run",
        r"Virtual Disk(a:5:b:scsi0:0)\Reads/sec",
        r"Virtual Disk(a:5:b)\Reads/sec",
        r"Network Port(DvsPortset-0:67108873:1000:a:5:b)\Packets Received/sec",
    )
    (vm,) = [entity for entity in found.entities if entity.ref.kind == "vm"]
    assert vm.name == "a:5:b"
    assert [spec.entity.kind for spec in found.specs] == ["vm", "vcpu", "vdisk", "vm", "port"]


def test_a_vm_called_like_a_disk(catalogue: Catalogue) -> None:
    found = spec(catalogue, r"Group Cpu(9:x:scsi0:0)\% VmWait", r"Virtual Disk(x:scsi0:0)\Reads/sec")
    assert found.entity.kind == "vm"


def test_two_vms_of_one_name_keep_their_disks_apart(catalogue: Catalogue) -> None:
    found = layout(
        catalogue,
        r"Group Cpu(1:web)\% VmWait",
        r"Group Cpu(2:web)\% VmWait",
        r"Virtual Disk(web:scsi0:0)\Reads/sec",
        r"Virtual Disk(web:scsi0:0)\Reads/sec",
    )
    assert len({entity.ref for entity in found.entities if entity.name == "web"}) == 3
    assert [spec.instance for spec in found.specs[-2:]] == ["", "#2"]
    assert "web" in found.notes[0]


def test_a_port_alone_still_names_its_vm(catalogue: Catalogue) -> None:
    found = layout(
        catalogue,
        r"Network Port(vSwitch0:33554449:444916:hermes)\Packets Received/sec",
        r"Physical Disk Per-Device-Per-World(naa.600-444916)\Active Commands",
        r"Virtual Disk(hermes)\Reads/sec",
    )
    (vm,) = [entity.ref for entity in found.entities if entity.ref.kind == "vm"]
    assert [spec.entity for spec in found.specs[1:]] == [vm, vm]


def test_memory_alone_tells_vms_by_name(catalogue: Catalogue) -> None:
    found = layout(
        catalogue,
        *(rf"Group Memory({name})\Swapped MBytes" for name in ("1:system", "2:hostd.66694", "3:web.7x")),
    )
    assert [spec.entity.kind for spec in found.specs] == ["world", "world", "vm"]


def test_repeated_columns_keep_their_own_series(catalogue: Catalogue) -> None:
    found = layout(catalogue, *[r"Physical Cpu(0)\% Util Time"] * 3)
    assert [spec.instance for spec in found.specs] == ["0", "0#2", "0#3"]
    assert found.columns.tolist() == [0, 1, 2]


def test_an_instance_that_is_spelled_like_a_repetition(catalogue: Catalogue) -> None:
    names = ("0", "0#2", "0", "0#2")
    found = layout(catalogue, *(rf"Physical Cpu({name})\% Util Time" for name in names))
    assert [spec.instance for spec in found.specs] == ["0", "0#2", "0#3", "0#2#2"]


def test_words_are_facts_and_no_series(catalogue: Catalogue) -> None:
    found = layout(catalogue, r"RDMA Device(vmrdma0:bnxt:Active)\Name", r"Memory\Free MBytes")
    assert found.columns.tolist() == [1]
    (text,) = found.texts
    assert (text.column, text.entity.key, text.name) == (0, f"{H}/vmrdma0", "rdma.name")


def test_each_host_has_its_own_layout(catalogue: Catalogue) -> None:
    paths = [
        ColumnPath("a", "Memory", "", "Free MBytes"),
        None,
        ColumnPath("b", "Physical Disk SCSI Device", "naa.1", "ATS"),
        ColumnPath("a", "Physical Disk SCSI Device", "naa.1", "ATS"),
    ]
    first, second = columns_by_host(paths, catalogue)
    assert (first.host, first.columns.tolist(), second.columns.tolist()) == ("a", [0, 3], [2])
    assert first.specs[1].entity == second.specs[0].entity
    assert first.cumulative.tolist() == [1]


def test_zero_fills_of_groups_and_worlds(catalogue: Catalogue) -> None:
    found = layout(
        catalogue,
        r"Group Cpu(8:helper)\Members",
        r"Group Cpu(8:helper)\% Run",
        r"Vcpu(8:helper:65590:q)\% Run",
        r"Vcpu(8:helper:65590:q)\% Wait",
        r"Vcpu(8:helper:65590:q)\% Ready",
        r"Group Memory(8:helper)\Swapped MBytes",
    )
    group, world = found.zero_fills
    assert (group.signs, group.absent.tolist(), group.doubtful.tolist()) == ((0, 0, 0), [0, 1], [5])
    assert (world.signs, world.absent.tolist(), world.within) == ((2, 3, 4), [2, 3, 4], 0)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.builds(
            ColumnPath,
            st.sampled_from(["h", "host\x00", "ü"]),
            st.sampled_from(sorted(ESXTOP_CLASSES)) | st.text(max_size=5),
            st.text(alphabet="0123:-.avmxcpu \x00\n☃vmnicnaa", max_size=14)
            | st.sampled_from(["1:a", "1:a:2:vmx-vcpu-0:a", "a:scsi0:0", "p:1:2:a", "p:1:vmnic0", "naa.1-2"]),
            st.sampled_from(["Members", "% Run", "% VmWait", "% Ready", "Reads/sec", "ATS"])
            | st.text(max_size=5),
        ),
        max_size=30,
    )
)
def test_any_header_gives_one_distinct_series_a_column(paths: list[ColumnPath]) -> None:
    found = columns_by_host(paths, CATALOGUE)
    assert sorted(
        [column for one in found for column in one.columns.tolist()]
        + [text.column for one in found for text in one.texts]
    ) == list(range(len(paths)))
    for one in found:
        keys = [(spec.entity, spec.counter, spec.instance) for spec in one.specs]
        known = {entity.ref for entity in one.entities}
        assert len(set(keys)) == len(keys)
        assert {spec.entity for spec in one.specs} <= known
        assert {entity.parent for entity in one.entities} - {None} <= known


@pytest.mark.parametrize(
    ("others", "client", "owner"),
    [
        ((), "hermes.eth0", VM),
        ((r"Group Cpu(7:hermes.eth0)\% VmWait",), "hermes.eth0", f"{H}/vm/7"),
        ((), "hermes", VM),
        ((), "gone.eth12", f"{H}/vm-name/gone"),
        ((r"Vcpu(1303688:hermes:445000:vmx)\% Run",), "other.eth1", VM),
    ],
)
def test_a_port_is_named_after_the_vm_and_its_adapter(
    catalogue: Catalogue, others: tuple[str, ...], client: str, owner: str
) -> None:
    """ESXi 6.7 and later print hermes.eth0; the port's world is the VM's if it is one of its worlds."""
    found = layout(
        catalogue,
        r"Group Cpu(1303688:hermes)\% VmWait",
        *others,
        rf"Network Port(DvsPortset-0:67108872:445000:{client})\Packets Received/sec",
        r"Physical Disk Per-Device-Per-World(naa.600-445001)\Commands/sec",
    )
    (port,) = (entity for entity in found.entities if entity.ref.kind == "port")
    assert port.parent is not None
    assert port.parent.key == owner
    names = {entity.name for entity in found.entities if entity.ref.kind == "vm"}
    assert "gone.eth12" not in names
    assert ("hermes.eth0" in names) == any("eth0" in text for text in others)
