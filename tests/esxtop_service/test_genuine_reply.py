"""The genuine reply of a host (56 LCPUs, 1,120 groups, one VM of 42 vCPUs) is read without loss."""

from __future__ import annotations

import numpy as np

from collectors.esxtop_service.checks import check
from collectors.esxtop_service.counter_info import read_counter_info
from collectors.esxtop_service.reply import Reply, decode
from tests.esxtop_service.genuine import (
    counter_info,
    counter_info_text,
    needs_genuine,
    reply_bytes,
    written_again,
)

pytestmark = needs_genuine


def reply() -> Reply:
    return decode(reply_bytes(), counter_info())


def test_counter_info_is_written_as_it_was_read() -> None:
    assert read_counter_info(counter_info_text()).text().strip() == counter_info_text().strip()
    assert len(counter_info().types) == 40


def test_every_record_is_there() -> None:
    there = {name: len(records) for name, records in reply().records.items() if len(records)}
    assert there == {
        "Server": 1, "PCPU": 1, "LCPU": 56, "PMem": 1, "NUMANode": 2, "Sched": 1, "SchedGroup": 1120,
        "CPUClient": 792, "HiddenWorld": 336, "VCPU": 833, "VMem": 111, "VMNUMANodeMem": 6, "SCSI": 1,
        "Adapter": 3, "SCSIDevice": 7, "WorldPerDev": 7, "Partition": 10, "Path": 97, "Nfs": 1, "Vscsi": 1,
        "VscsiGroup": 1, "VscsiDisk": 1, "Net": 1, "NetPortset": 2, "NetPort": 13, "PNIC": 4,
        "Interrupt": 1, "InterruptVector": 85, "InterruptPerCPU": 4760, "Power": 1, "CStateInfo": 2,
        "TStateInfo": 8, "LCPUPower": 56, "CState": 112, "TState": 448, "Vsan": 1,
    }  # fmt: skip
    assert reply().unknown == ()


def test_every_byte_of_the_values_comes_back() -> None:
    assert written_again(reply()) == reply_bytes().partition(b"==COUNTER-VALUE==\n")[2]


def test_the_first_section_can_be_read() -> None:
    lines = list(reply().object_lines())
    assert ("VscsiDisk", [("DiskId", "8274"), ("DiskName", "scsi0:0")]) in lines
    assert ("NetPort", [("PortID", "33554433"), ("PortsetName", "vSwitch0")]) in lines
    assert len(lines) == 2582


def test_every_identity_holds() -> None:
    assert [one.sentence() for one in check(reply())] == [
        "A world is always running, ready, co-stopped or waiting: holds for all 833 of VCPU.",
        "A world waits busily or idly: holds for all 833 of VCPU.",
        "CPU latency is at least ready and co-stop: holds for all 833 of VCPU.",
        "The hyper-threads of a core halt together: holds for all 28 of LCPU.",
        "A VM’s memory lies on its NUMA nodes: holds for all 1 of SchedGroup.",
    ]


def test_the_vcpus_add_up_within_two_microseconds() -> None:
    worlds = reply()["VCPU"]
    mine = [name.startswith("vmx-vcpu-") for name in worlds.words("WorldName")]
    states = ("RunTimeInUsec", "ReadyTimeInUsec", "CoStopTimeInUsec", "TotalWaitTimeInUsec")
    off = sum(worlds.numbers(name) for name in states) - worlds.numbers("UpTimeInUsec")
    assert sum(mine) == 42
    assert np.abs(off[mine]).max() <= 2


def test_the_joins_of_a_vm() -> None:
    found = reply()
    groups, disks, ports, users = (
        found[name] for name in ("SchedGroup", "VscsiGroup", "NetPort", "WorldPerDev")
    )
    vm = groups.words("VMName").index("frigo001")
    leader = int(groups.counts("GroupLeaderID")[vm])
    assert groups.counts("GroupID")[vm] == disks.counts("GroupId")[0]
    assert leader + 1 in users.counts("WorldID").tolist()
    assert leader + 1 == ports.counts("WorldLeader")[ports.words("ClientName").index("frigo001.eth1")]


def test_blocks_of_the_vms_world_are_the_bytes_of_its_disk() -> None:
    found = reply()
    users, disk = found["WorldPerDev"], found["VscsiDisk"]
    row = users.counts("WorldID").tolist().index(13713827)
    for blocks, sizes in (("NumOfBlocksRead", "ReadByte"), ("NumOfBlocksWritten", "WriteByte")):
        assert int(users.counts(blocks)[row]) * 512 == int(disk.counts(sizes)[0])


def test_all_vcpus_hang_under_one_client() -> None:
    found = reply()
    worlds, clients = found["VCPU"], found["CPUClient"]
    mine = [row for row, name in enumerate(worlds.words("WorldName")) if name.startswith("vmx-vcpu-")]
    parents = set(worlds.parent[mine].tolist())
    assert len(parents) == 1
    assert clients.counts("NumOfVCPUs")[parents.pop()] == 42
