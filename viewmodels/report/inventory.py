"""The inventory of a report: how much of what there is, then hosts, VMs and storage with their settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from resources.fact_forms import load_fact_forms
from resources.foreign_text import shown
from resources.units import format_count
from sessions.model import Entity, EntityRef, Fact, Kind
from viewmodels.entity_words import KINDS
from viewmodels.name_order import natural
from viewmodels.report.document import Block, Cell, Column, Heading, Section, Table, paragraph
from viewmodels.report.material import Material

_MOST = 400
"""Rows of a kind; a cluster of thousands would fill a hundred pages that nobody reads."""
_NAME = 80
_SHOWN: tuple[Kind, ...] = ("cluster", "host", "pool", "vm", "datastore", "device", "nic", "worker")
_TOLD = (
    "vcpus", "mem.size_mb", "cpu.limit_mhz", "cpu.reservation_mhz", "mem.limit_mb", "mem.reservation_mb",
    "cpu.shares", "mem.shares", "nic.speed_mbps", "nic.switch", "device.queue_depth", "power_state",
    "version", "model", "tools", "type", "drs.enabled", "drs.behavior",
)  # fmt: skip
"""The facts that a reader looks for, the best known first."""


def inventory_section(material: Material) -> Section:
    """Return the inventory: entities with findings first, then by name."""
    entities = material.snapshot.entities
    counts = Counter(ref.kind for ref in entities)
    words = [
        f"{format_count(counts[kind])} {names[0 if counts[kind] == 1 else 1]}"
        for kind, names in KINDS.items()
        if counts[kind]
    ]
    blocks: list[Block] = [paragraph(f"{', '.join(words) or 'Nothing'}.")]
    facts = _facts(material)
    found = {one.entity for one in material.findings if one.severity != "info"}
    for kind in _SHOWN:
        if counts[kind]:
            blocks += _kind(kind, material, facts, found)
    as_of = "as it is now" if material.snapshot.recording else "as of the end of the recording"
    return Section("inventory", "Inventory and settings", as_of, tuple(blocks))


def _kind(
    kind: Kind, material: Material, facts: Mapping[EntityRef, Sequence[Fact]], found: set[EntityRef]
) -> Iterator[Block]:
    members = [one for one in material.snapshot.entities.values() if one.ref.kind == kind]
    members.sort(key=lambda one: (one.ref not in found, natural(one.name), one.ref.key))
    title = KINDS[kind][1]
    yield Heading(title[0].upper() + title[1:] if title.islower() else title, format_count(len(members)))
    columns = [Column("Name", weight=2.0), Column("On", weight=1.5), Column("Settings", weight=4.0)]
    rows = tuple(_row(one, material, facts.get(one.ref, ())) for one in members[:_MOST])
    is_placed = any(row[1].text for row in rows)
    if not is_placed:
        columns.pop(1)
        rows = tuple((row[0], row[2]) for row in rows)
    left = len(members) - _MOST
    note = f"and {format_count(left)} more; 'hyperscope export --csv' lists all." if left > 0 else ""
    yield Table(tuple(columns), rows, note)


def _row(entity: Entity, material: Material, facts: Sequence[Fact]) -> tuple[Cell, ...]:
    snapshot = material.snapshot
    place = snapshot.host_of(entity.ref) or entity.parent
    settings = ", ".join(text for fact in facts if (text := fact_text(fact)))
    return (
        Cell(shown(entity.name, _NAME) or "(without a name)"),
        Cell(shown(snapshot.name(place), _NAME) if place else "", tone="muted"),
        Cell(shown(settings, 300), tone="muted"),
    )


def _facts(material: Material) -> dict[EntityRef, list[Fact]]:
    """Return the facts that hold at the end, by entity, the best known first."""
    known: dict[EntityRef, list[Fact]] = {}
    order = {name: number for number, name in enumerate(_TOLD)}
    for fact in material.reader.facts():
        if fact.end is None and fact.name in order:
            known.setdefault(fact.entity, []).append(fact)
    return {ref: sorted(facts, key=lambda one: order[one.name]) for ref, facts in known.items()}


def fact_text(fact: Fact) -> str:
    """Return a setting as text: ``memory 8 GB``."""
    forms = load_fact_forms()
    return f"{forms.label(fact.name)} {shown(forms.text(fact.name, fact.value), 60)}"
