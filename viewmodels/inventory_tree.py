"""The inventory as a tree: clusters, hosts and their VMs, then what hosts share; and its size as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from resources.foreign_text import shown
from resources.units import format_count
from sessions.model import Entity, EntityRef
from viewmodels.name_order import natural
from viewmodels.snapshot import Snapshot

_GROUPS: tuple[tuple[str, str], ...] = (
    ("Datastores", "datastore"),
    ("Devices", "device"),
    ("Adapters", "adapter"),
    ("Network", "nic"),
    ("Workers", "worker"),
)
_BELOW_VM = frozenset({"vcpu", "vdisk", "port"})


@dataclass(eq=False)
class Node:
    """An entity in the tree, or a heading (``ref`` is None). ``search_text`` is what the search field looks
    in.
    """

    title: str
    ref: EntityRef | None = None
    children: list[Node] = field(default_factory=list)
    search_text: str = ""
    parent: Node | None = None
    row: int = 0

    @classmethod
    def of(cls, ref: EntityRef, name: str) -> Node:
        """Return the node of an entity, which the search finds by name and by key.

        A key may begin with that of a host: who looks for the host does not mean all its VMs.
        """
        title, own_key = shown(name) or "(without a name)", ref.key.rstrip("/").rpartition("/")[2]
        return cls(title, ref, search_text=f"{title} {own_key}".casefold())

    def add(self, child: Node) -> Node:
        """Append a child node; returns the child."""
        child.parent, child.row = self, len(self.children)
        self.children.append(child)
        return child

    def walk(self) -> Iterator[Node]:
        """Yield all nodes below this one, parents before their children."""
        for child in self.children:
            yield child
            yield from child.walk()


def inventory_tree(snapshot: Snapshot) -> Node:
    """Return the root of the tree: clusters and hosts with their VMs, datastores, devices, adapters, uplinks.

    A VM is below the host that it runs on now. Worlds that belong to no VM are shown only in the esxtop view.
    """
    root = Node("")
    _add_hosts(root, snapshot)
    by_kind: dict[str, list[Entity]] = {}
    for entity in snapshot.entities.values():
        by_kind.setdefault(entity.ref.kind, []).append(entity)
    for title, kind in _GROUPS:
        if kind in by_kind:
            heading = root.add(Node(title))
            for entity in sorted(by_kind[kind], key=_by_name):
                heading.add(_node(entity))
    return root


def inventory_size(entities: Iterable[Entity]) -> str:
    """Return how many hosts and VMs there are: ``4 hosts · 41 VMs``."""
    return " · ".join(text for _, text in host_and_vm_counts([entity.ref.kind for entity in entities]))


def host_and_vm_counts(kinds: Sequence[str]) -> list[tuple[int, str]]:
    """Return the numbers of hosts and of VMs among the kinds of entities, each also as text (``4 hosts``)."""
    counts = ((kinds.count("host"), "host"), (kinds.count("vm"), "VM"))
    return [(count, f"{format_count(count)} {word}{'' if count == 1 else 's'}") for count, word in counts]


def _add_hosts(root: Node, snapshot: Snapshot) -> None:
    hosts = [entity for entity in snapshot.entities.values() if entity.ref.kind == "host"]
    vms_of = _vms_by_host(snapshot)
    clusters: dict[EntityRef | None, Node] = {}
    for host in sorted(hosts, key=_by_name):
        cluster = host.parent if host.parent is not None and host.parent.kind == "cluster" else None
        if cluster not in clusters:
            heading = Node("Hosts") if cluster is None else Node.of(cluster, snapshot.name(cluster))
            clusters[cluster] = root.add(heading)
        _add_vms(clusters[cluster].add(_node(host)), vms_of.pop(host.ref, []), snapshot)
    homeless = [vm for vms in vms_of.values() for vm in vms]
    if homeless:
        _add_vms(root.add(Node("VMs without a known host")), homeless, snapshot)


def _vms_by_host(snapshot: Snapshot) -> dict[EntityRef, list[Entity]]:
    found: dict[EntityRef, list[Entity]] = {}
    for entity in snapshot.entities.values():
        if entity.ref.kind == "vm":
            host = snapshot.host_of(entity.ref) or entity.parent
            found.setdefault(host or EntityRef("host", ""), []).append(entity)
    return found


def _add_vms(above: Node, vms: Iterable[Entity], snapshot: Snapshot) -> None:
    for vm in sorted(vms, key=_by_name):
        node = above.add(_node(vm))
        for child in snapshot.children.get(vm.ref, ()):
            if child.ref.kind in _BELOW_VM:
                node.add(_node(child))


def _node(entity: Entity) -> Node:
    return Node.of(entity.ref, entity.name)


def _by_name(entity: Entity) -> tuple[tuple[str | int, ...], str]:
    return natural(entity.name), entity.ref.key
