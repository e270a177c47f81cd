"""The inventory as a tree of values: what stands below what, and in which order."""

from __future__ import annotations

from pathlib import Path

from sessions.model import Entity, EntityRef, Fact
from sessions.store import SessionWriter
from tests.viewmodels.sessions import T0, reading
from viewmodels.inventory_tree import Node, inventory_size, inventory_tree


def drawn(node: Node, depth: int = 0) -> list[str]:
    lines = []
    for child in node.children:
        lines += [f"{'  ' * depth}{child.title}", *drawn(child, depth + 1)]
    return lines


def test_clusters_hosts_vms_and_what_hosts_share(tmp_path: Path) -> None:
    cluster = EntityRef("cluster", "domain-c1")
    hosts = [EntityRef("host", f"host-{number}") for number in (10, 2, 3)]
    vms = [EntityRef("vm", name) for name in ("b", "a", "moved", "lost")]
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        writer.add_entities([Entity(cluster, "Production")])
        writer.add_entities([Entity(ref, f"esx{ref.key[5:]}", cluster) for ref in hosts[:2]])
        writer.add_entities([Entity(hosts[2], "alone"), Entity(EntityRef("datastore", "ds"), "nfs01")])
        writer.add_entities([Entity(ref, ref.key, hosts[1]) for ref in vms[:3]])
        writer.add_entities([Entity(vms[3], "lost"), Entity(EntityRef("vcpu", "a:0"), "vCPU 0", vms[1])])
        writer.add_entities([Entity(EntityRef("world", "1"), "vmkernel", hosts[0])])
        writer.add_facts([Fact(vms[2], "host", "host-10", T0), Fact(hosts[2], "name", "renamed", T0)])
    with reading(tmp_path / "s.hscope") as (_, snapshot):
        assert drawn(inventory_tree(snapshot)) == [
            "Production",
            "  esx2",
            "    a",
            "      vCPU 0",
            "    b",
            "  esx10",
            "    moved",
            "Hosts",
            "  renamed",
            "VMs without a known host",
            "  lost",
            "Datastores",
            "  nfs01",
        ]
        assert inventory_size(snapshot.entities.values()) == "3 hosts · 4 VMs"


def test_a_name_that_is_not_to_be_shown_is_made_safe() -> None:
    assert Node.of(EntityRef("vm", "x"), "").title == "(without a name)"
    assert Node.of(EntityRef("vm", "KEY-7"), "Db\n01").search_text == "db 01 key-7"
