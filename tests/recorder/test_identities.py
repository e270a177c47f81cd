"""Hosts in a session are who they are, whatever they are called, in whatever run and from whatever source."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from collectors.vsphere.collector import VSphereCollector
from collectors.vsphere.options import VSphereOptions
from connections.vsphere.address import parse_address
from recorder.limits import load_recorder_limits
from recorder.recording import Recording
from recorder.session_file import SessionFile
from recorder.writing import SpaceRules
from sessions.model import Entity, EntityRef, Fact, SeriesSpec, SourceSpec
from sessions.store import SessionReader
from tests.vcenter.conftest import start_vcenter
from tests.vcenter.running import PASSWORD, TestVCenter

__all__ = ["start_vcenter"]

RULES = SpaceRules(keep_free=0, rotate_after_s=0, rotate_after_bytes=0)
NOBODY = "localhost.localdomain"
UUID = "4c4c4544-0032-5310-8052-b4c04f4d3632"
OTHER = "4c4c4544-0032-5310-8052-b4c04f4d3633"
Start = Callable[..., TestVCenter]


@pytest.fixture
def hosts(start_vcenter: Start) -> Sequence[TestVCenter]:
    """Two ESXi hosts as they come out of the box: both call themselves localhost.localdomain."""
    return [host(start_vcenter, NOBODY, UUID), host(start_vcenter, NOBODY, OTHER)]


def host(start: Start, name: str, uuid: str) -> TestVCenter:
    return start(esxi=True, host_name=name, host_uuid=uuid, hosts=1, vms=2, interval=1, history=20)


def record(session: Path, hosts: Sequence[TestVCenter], *vcenters: TestVCenter) -> None:
    """Record until each of them has given samples."""
    places = [(server.address.replace("vcenter", "esxi", 1), server) for server in hosts]
    places += [(server.address, server) for server in vcenters]
    collectors = [
        VSphereCollector(
            parse_address(address),
            lambda: PASSWORD,
            VSphereOptions(rollups=False),
            thumbprint=server.thumbprint,
        )
        for address, server in places
    ]
    recording = Recording(collectors, session, load_recorder_limits(), RULES)
    recording.start()
    while sum(source.health.last_ms is not None for source in recording.status().sources) < len(places):
        assert not recording.is_over, recording.status()
        time.sleep(0.05)
    recording.stop()
    assert recording.finish().code == 0


def test_two_hosts_that_call_themselves_the_same(session_path: Path, hosts: Sequence[TestVCenter]) -> None:
    record(session_path, hosts)
    with SessionReader.open(session_path) as reader:
        found = {ref: entity for ref, entity in reader.entities().items() if ref.kind == "host"}
        assert [entity.name for entity in found.values()] == [NOBODY, NOBODY]
        sources = {ref: {one.source for one in reader.series() if one.entity == ref} for ref in found}
        assert sorted(map(len, sources.values())) == [1, 1]
        assert len(set.union(*sources.values())) == 2
        before = {(one.source, one.entity, one.counter, one.spec.instance) for one in reader.series()}
    record(session_path, hosts[::-1])
    with SessionReader.open(session_path) as reader:
        again = {(one.source, one.entity, one.counter, one.spec.instance) for one in reader.series()}
        assert again == before, "in the other order they are still who they were"


def test_a_host_that_was_renamed_between_two_runs(session_path: Path, start_vcenter: Start) -> None:
    """Its series go on, and it has the name that it has now. Another that has its old name is another."""
    record(session_path, [host(start_vcenter, "esx01", UUID)])
    record(session_path, [host(start_vcenter, "esx01.lab", UUID), host(start_vcenter, "esx01", OTHER)])
    with SessionReader.open(session_path) as reader:
        names = {
            ref.key: [str(fact.value) for fact in reader.facts() if (fact.entity, fact.name) == (ref, "name")]
            for ref in reader.entities()
            if ref.kind == "host"
        }
        assert names == {"esx01": ["esx01.lab"], "esx01 (3633)": []}


def test_a_host_seen_from_two_sides_is_one(session_path: Path, start_vcenter: Start) -> None:
    """By a vCenter, which calls it otherwise than it does itself."""
    vcenter = start_vcenter(host_name="esx01.lab", host_uuid=UUID, hosts=1, vms=2, interval=1, history=20)
    alone = host(start_vcenter, NOBODY, UUID)
    record(session_path, [alone], vcenter)
    with SessionReader.open(session_path) as reader:
        (ref,) = (ref for ref in reader.entities() if ref.kind == "host")
        assert len({one.source for one in reader.series() if one.entity == ref}) == 2


def test_a_session_of_the_first_version_goes_on_with_its_series(session_path: Path) -> None:
    """Its hosts are keyed by name and have no identity: who is called so takes the series up."""
    old = EntityRef("host", "esx01")
    spec = SeriesSpec(old, "cpu.usage", "%")
    first = SessionFile.open(session_path)
    source = first.sources.add(SourceSpec("vcenter", "vc01", 20.0))
    first.records.add_entities([Entity(old, "esx01")])
    first.records.add_facts([Fact(old, "version", "8.0", 1)])
    layout = first.layouts.add(source, [spec])
    first.close()
    for name in ("esx01", "esx01.lab"):
        file = SessionFile.open(session_path)
        ref = file.records.identify("host", ["vc/host-12", UUID], name)
        assert ref == old, "by its name at first, by its identity ever after"
        file.records.add_entities([Entity(ref, name)])
        file.records.add_facts([Fact(ref, "uuid", UUID, 2), Fact(ref, "moid", "vc/host-12", 2)])
        source = file.sources.add(SourceSpec("vcenter", "vc01", 20.0))
        assert file.layouts.add(source, [spec]).last.size == layout.last.size
        assert file.records.identify("host", ["vc/host-13", UUID.replace("32", "33")], "esx01") != old
        file.close()
    with SessionReader.open(session_path) as reader:
        assert len(reader.series()) == 1
        assert [ref for ref in reader.entities() if ref.kind == "host"] == [old]
