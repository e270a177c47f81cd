"""A host's VMs and volumes over ssh are those of the vCenter: by the ids of their worlds and their UUIDs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from collectors.esxtop.over_ssh.host_objects import ObjectsOfHost, RunningVm, lasting, read_objects
from collectors.esxtop_names import ColumnPath, columns_by_host
from lab import Lab, load_scenarios
from lab.vcenter_inventory import vm_uuid
from resources.catalogue import load_catalogue
from sessions.model import EntityRef
from tests.esxtop_ssh.conftest import Recording
from tests.esxtop_ssh.fake_hosts import FakeHost

A = "52aaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"
B = "52bbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb"
HOST = "esx01"


def joined(vms: Sequence[RunningVm], volumes: dict[str, str] | None = None) -> dict[str, str]:
    """Old key → new key of a host with two VMs of one name, a third one, and an NFS volume."""
    paths = [
        ColumnPath(HOST, cls, instance, counter)
        for cls, instance, counter in (
            ("Group Cpu", "7:web", "% VmWait"), ("Group Cpu", "8:web", "% VmWait"),
            ("Group Cpu", "9:db", "% VmWait"),
            ("Vcpu", "7:web:2101:vmx", "% Run"), ("Vcpu", "7:web:2105:vmx-vcpu-0:web", "% Run"),
            ("Vcpu", "8:web:2201:vmx", "% Run"), ("Vcpu", "9:db:2301:vmx-vcpu-0:db", "% Run"),
            ("Virtual Disk", "db:scsi0:0", "Reads/sec"),
            ("Physical Disk NFS Volume", "nfs01", "Reads/sec"),
        )
    ]  # fmt: skip
    columns = columns_by_host(paths, load_catalogue())[0]
    made = lasting(columns, ObjectsOfHost(tuple(vms), volumes or {}))
    return {old.key: f"{new.key}: {made.how[new]}" if new in made.how else new.key
            for old, new in made.refs.items()}  # fmt: skip


def vm(name: str, uuid: str, *worlds: str) -> RunningVm:
    return RunningVm(frozenset(worlds), name, uuid)


def test_a_vm_is_known_by_its_worlds_whatever_it_is_called() -> None:
    assert joined([vm("renamed", A, "2104", "2101"), vm("web", B, "2204", "2201")]) == {
        f"{HOST}/vm/7": f"{A}: the ids of its worlds",
        f"{HOST}/vm/8": f"{B}: the ids of its worlds",
        f"{HOST}/world/2105": f"{A}/vcpu/0",
    }


def test_a_name_of_one_vm_alone_is_a_guess_and_one_of_two_is_none() -> None:
    assert joined([vm("db", A, "1", "2"), vm("web", B, "3", "4")]) == {
        f"{HOST}/vm/9": f"{A}: its name alone: a guess",
        f"{HOST}/world/2301": f"{A}/vcpu/0",
        f"{HOST}/vm/9/scsi0:0": f"{A}/scsi0:0",
    }


def test_a_volume_is_known_by_where_it_is_mounted() -> None:
    assert joined([], {"nfs01": "/vmfs/volumes/d4e7ee70-b5b45a3e"}) == {
        "nfs01": "ds:///vmfs/volumes/d4e7ee70-b5b45a3e/"
    }


def test_what_does_not_fit_is_left_out() -> None:
    answer = '''\
hyperscope: vms
ConfigFile,DisplayName,ProcessID,UUID,VMXCartelID,WorldID,
/vmfs/volumes/1/a/a.vmx,"a, ""b""",0,56 4d,2101,2104,
/vmfs/volumes/1/b/b.vmx,b,0,56 4d,x,2204,
/vmfs/volumes/1/c/c.vmx,c,0,56 4d,2301,2304,
short
hyperscope: files
file=/vmfs/volumes/1/a/a.vmx
instance=52 aa aa aa aa aa aa aa-aa aa aa aa aa aa aa aa
file=/vmfs/volumes/1/c/c.vmx
instance=../../etc/passwd
hyperscope: volumes
Free,Mount Point,Mounted,Size,Type,UUID,Volume Name,
1,/vmfs/volumes/d4e7ee70-b5b45a3e,true,2,NFS,d4e7ee70-b5b45a3e,nfs01,
1,/etc/../x,true,2,NFS,x,nfs02,
'''
    assert read_objects(answer.splitlines()) == ObjectsOfHost(
        (vm('a, "b"', A, "2101", "2104"),), {"nfs01": "/vmfs/volumes/d4e7ee70-b5b45a3e"}
    )
    assert read_objects(["hyperscope: vms", "esxcli: command not found"]) == ObjectsOfHost()


@pytest.mark.usefixtures("no_thread_left")
def test_over_ssh(host: FakeHost, recording: Callable[..., Recording], capture: Path) -> None:
    lab = Lab(load_scenarios()["congested"], seed=3, fields="all")
    vms = [one for one in lab.cluster.vms if one.host == 0]
    host.run_vms([(one.name, one.cartel, vm_uuid(lab.cluster, one)) for one in vms])
    host.plan(capture, every_s=0.02, then="hang")
    run = recording(host)
    run.until_ticks(2)
    run.end()
    there = {ref for ref in run.feed.entities if ref.kind == "vm"}
    assert there == {EntityRef("vm", vm_uuid(lab.cluster, one)) for one in vms}
    assert {fact.value for fact in run.feed.facts if fact.name == "joined_by"} == {"the ids of its worlds"}
    parts = [ref for ref in run.feed.entities if ref.kind in ("vcpu", "vdisk")]
    assert parts
    assert {ref.key.partition("/")[0] for ref in parts} == {ref.key for ref in there}
    assert run.feed.twice == []
