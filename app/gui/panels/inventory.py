"""The inventory pane: the session's entities as a tree, with health from the findings and a number each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.gui.actions import ActionSpec
from app.gui.desk import Desk
from app.gui.jobs import Job
from resources.units import format_count, format_value
from resources.views import Headline
from sessions.model import Entity, EntityRef, Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.name_order import natural
from viewmodels.snapshot import Change, Snapshot
from widgets.inventory import InventoryModel, InventoryView, Node
from widgets.inventory.model import node_for
from widgets.theme import Health

KEYS: tuple[ActionSpec, ...] = (
    ActionSpec("inventory.search", "Search the inventory", keys=("Ctrl+F",), context="inventory"),
    ActionSpec("inventory.leave", "Clear the search, or leave it", keys=("Esc", "Down"), context="inventory"),
)

_VALUES_MS = 1_000
_FIRST_MS = 300  # the first chart comes first
_GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Datastores", ("datastore",)),
    ("Devices", ("device",)),
    ("Adapters", ("adapter",)),
    ("Network", ("nic",)),
)
_BELOW_HOST = frozenset({"vm"})
_BELOW_VM = frozenset({"vcpu", "vdisk", "port"})


def tree_of(snapshot: Snapshot) -> Node:
    """Clusters and hosts with their VMs, then datastores, devices, adapters and uplinks.

    A VM stands below the host that it is on now. Worlds that are no VM's are left to the esxtop view.
    """
    root = Node("")
    hosts = [entity for entity in snapshot.entities.values() if entity.ref.kind == "host"]
    members = _vms_by_host(snapshot)
    clusters: dict[EntityRef | None, Node] = {}
    for host in sorted(hosts, key=_by_name):
        above = host.parent if host.parent is not None and host.parent.kind == "cluster" else None
        if above not in clusters:
            title = snapshot.name(above) if above is not None else "Hosts"
            clusters[above] = root.add(node_for(above, title) if above is not None else Node(title))
        below = clusters[above].add(_node(host))
        for vm in sorted(members.pop(host.ref, []), key=_by_name):
            _add_vm(below, vm, snapshot)
    lost = [vm for vms in members.values() for vm in vms]
    if lost:
        heading = root.add(Node("VMs without a known host"))
        for vm in sorted(lost, key=_by_name):
            _add_vm(heading, vm, snapshot)
    for title, kinds in _GROUPS:
        found = [entity for entity in snapshot.entities.values() if entity.ref.kind in kinds]
        if found:
            heading = root.add(Node(title))
            for entity in sorted(found, key=_by_name):
                heading.add(_node(entity))
    return root


def headlines(snapshot: Snapshot, wanted: Mapping[str, Headline]) -> dict[EntityRef, tuple[Series, str]]:
    """The series whose last value goes beside each entity, and the word after its unit."""
    found: dict[EntityRef, tuple[Series, str]] = {}
    for ref, series in snapshot.series_of.items():
        headline = wanted.get(ref.kind)
        if headline is None:
            continue
        plain = {one.counter: one for one in reversed(series)}
        for number, counter in enumerate(headline.counters):
            if counter in plain:
                found[ref] = (plain[counter], headline.suffix if number == 0 else "")
                break
    return found


class InventoryPanel(InventoryView):
    """Follows the session; choosing entities sets the scope, and the scope selects them here."""

    def __init__(self, desk: Desk) -> None:
        self._tree = InventoryModel()
        super().__init__(self._tree, desk.theme)
        self._tree.setParent(self)
        self._desk = desk
        self._headlines: dict[EntityRef, tuple[Series, str]] = {}
        self._values = QTimer(self, singleShot=True, interval=_VALUES_MS)
        self._values.timeout.connect(self._read)
        desk.session.opened.connect(self._build)
        desk.session.changed.connect(self._grown)
        desk.session.closed.connect(self._clear)
        desk.findings.changed.connect(self._mark)
        desk.scope.changed.connect(self._scoped)
        desk.theme.changed.connect(self.tree.viewport().update)
        self.chosen.connect(self._chosen)
        QShortcut(
            QKeySequence("Ctrl+F"),
            self.window(),
            self._focus_search,
            context=Qt.ShortcutContext.WindowShortcut,
        )

    def _focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _build(self) -> None:
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return
        self._headlines = headlines(snapshot, self._desk.headlines)
        self._tree.set_tree(tree_of(snapshot))
        self._mark()
        self._values.start(_FIRST_MS)
        self.choose(self._desk.scope.scope.entities)
        self.note_changed.emit(_count(snapshot.entities.values()))

    def _grown(self, change: Change) -> None:
        if change.inventory:
            self._build()
        elif change.samples and not self._values.isActive():
            self._values.start(_VALUES_MS)

    def _clear(self) -> None:
        self._tree.set_tree(Node(""))
        self.note_changed.emit("")

    def _mark(self) -> None:
        findings = self._desk.findings
        health: dict[EntityRef, Health] = dict(findings.worst.items())
        self._tree.set_health(health, others="none" if findings.diagnosis is None else "ok")

    def _scoped(self) -> None:
        self.choose(self._desk.scope.scope.entities)
        self._values.start(_VALUES_MS)

    def _chosen(self, refs: Sequence[EntityRef]) -> None:
        self._desk.scope.set(self._desk.scope.scope.on(refs))

    def _read(self) -> None:
        snapshot = self._desk.session.snapshot
        window = self._desk.scope.scope.window_in(snapshot.span) if snapshot else None
        if snapshot is None or window is None or not self._headlines:
            return
        interval = max((source.spec.interval_s or 20 for source in snapshot.sources), default=20)
        recent = TimeRange(max(window.start, window.end - round(interval * 2500)), window.end)
        ids = np.array(sorted(series.id for series, _ in self._headlines.values()), np.int64)

        def work(reader: SessionReader, job: Job) -> dict[int, float]:
            last: dict[int, float] = {}
            for frame in reader.read(ids, recent):
                job.check()
                for number, column in zip(frame.ids.tolist(), frame.values.T, strict=True):
                    there = column[np.isfinite(column)]
                    if there.size:
                        last[number] = float(there[-1])
            return last

        self._desk.session.query("inventory.values", work, self._show_values)

    def _show_values(self, last: Mapping[int, float]) -> None:
        self._tree.set_values(
            {
                ref: f"{format_value(last[series.id], series.spec.unit)} {suffix}".rstrip()
                for ref, (series, suffix) in self._headlines.items()
                if series.id in last
            }
        )


def _vms_by_host(snapshot: Snapshot) -> dict[EntityRef, list[Entity]]:
    found: dict[EntityRef, list[Entity]] = {}
    for entity in snapshot.entities.values():
        if entity.ref.kind == "vm":
            key = snapshot.host_key(entity.ref)
            host = EntityRef("host", key) if key is not None else entity.parent
            found.setdefault(host or EntityRef("host", ""), []).append(entity)
    return found


def _add_vm(above: Node, vm: Entity, snapshot: Snapshot) -> None:
    node = above.add(_node(vm))
    for child in snapshot.children.get(vm.ref, ()):
        if child.ref.kind in _BELOW_VM:
            node.add(_node(child))


def _node(entity: Entity) -> Node:
    return node_for(entity.ref, entity.name)


def _by_name(entity: Entity) -> tuple[tuple[str | int, ...], str]:
    return natural(entity.name), entity.ref.key


def _count(entities: Iterable[Entity]) -> str:
    kinds = [entity.ref.kind for entity in entities]
    counts = ((kinds.count("host"), "host"), (kinds.count("vm"), "VM"))
    return " · ".join(f"{format_count(count)} {word}{'' if count == 1 else 's'}" for count, word in counts)


def make(desk: Desk) -> QWidget:
    """The panel of the table."""
    return InventoryPanel(desk)
