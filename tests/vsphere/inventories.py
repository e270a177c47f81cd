"""For the inventory's tests: a feed that keeps what it gets, replies as text, objects as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from collectors.axis import Axis
from collectors.feed import Health, Layout, Tick
from collectors.vsphere.inventory.inventory_state import InventoryState
from collectors.vsphere.inventory.paths import PLACES, kind_of
from collectors.vsphere.inventory.replies import Update
from collectors.vsphere.inventory.values import Value
from resources.vcenter_events import load_events
from resources.vcenter_inventory import load_inventory_knowledge
from sessions.current_records import current_events, current_facts
from sessions.identities import Identities
from sessions.model import Entity, EntityRef, Event, Fact, Gap, Kind, SeriesSpec, SourceSpec

KNOWN = load_inventory_knowledge()
EVENTS = load_events()
VCENTER = Entity(EntityRef("vcenter", "vc"), "vc01.lab")

_HEAD = (
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">'
    "<soapenv:Body>"
)
_TAIL = "</soapenv:Body></soapenv:Envelope>"


def envelope(method: str, body: str) -> bytes:
    """A SOAP reply."""
    return f'{_HEAD}<{method}Response xmlns="urn:vim25">{body}</{method}Response>{_TAIL}'.encode()


def value(xml: str, attributes: str = "") -> etree._Element:
    """A property's value as it comes."""
    namespaces = 'xmlns="urn:vim25" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    return etree.fromstring(f"<val {namespaces} {attributes}>{xml}</val>")


def update(api_type: str, moid: str, kind: str = "enter", **paths: Value) -> Update:
    """An update; dots of paths are written as two underscores: ``config__hardware__numCPU=2.0``."""
    own = kind_of(api_type)
    places = PLACES[own]
    values = tuple((places[path.replace("__", ".")], one) for path, one in paths.items())
    return Update(kind, own, moid, values)


def loaded(
    *updates: Update, at: int = 1000, vcenter: Entity | None = VCENTER
) -> tuple[InventoryState, KeptFeed]:
    """An inventory that has loaded these objects, and all that it said."""
    kept, feed = InventoryState("vc", Identities().identify, vcenter, KNOWN, EVENTS), KeptFeed()
    kept.begin()
    kept.take(updates)
    feed.settle(kept, at, complete=True)
    return kept, feed


@dataclass
class KeptFeed:
    """A Feed that keeps everything; entities only after their parents, as the store wants it."""

    entities: dict[EntityRef, Entity] = field(default_factory=dict)
    written: list[Fact] = field(default_factory=list)
    told: list[Event] = field(default_factory=list)
    identities: Identities = field(default_factory=Identities)
    axis: Axis | None = None

    def settle(self, kept: InventoryState, at: int, *, complete: bool = False) -> list[Fact]:
        """Let an inventory settle; the facts that it says, and events without pairing."""
        before = len(self.written)
        for one in kept.derive_changes(at, complete=complete):
            self.add_entities(one.changes.entities)
            self.add_facts(one.changes.facts)
            self.add_events([event for _, event in one.noticed])
        return self.written[before:]

    @property
    def events(self) -> list[Event]:
        """What happened, as who reads the session sees it."""
        return current_events(self.told)

    def facts(self, ref: EntityRef | None = None) -> dict[str, object]:
        """What holds now: of one entity name → value, of all ``kind/key name`` → value."""
        return {
            fact.name if ref else f"{fact.entity.kind}/{fact.entity.key} {fact.name}": fact.value
            for fact in current_facts(self.written)
            if fact.end is None and (ref is None or fact.entity == ref)
        }

    def history(self, ref: EntityRef, name: str) -> list[tuple[object, int, int | None]]:
        """Values of a fact with start and end."""
        return [
            (one.value, one.start, one.end)
            for one in current_facts(self.written)
            if (one.entity, one.name) == (ref, name)
        ]

    def add_source(self, spec: SourceSpec) -> int:
        raise AssertionError(spec)

    def update_source(
        self,
        source: int,
        *,
        interval_s: float | None = None,
        clock_offset_ms: int | None = None,
        attributes: Iterable[tuple[str, str]] | None = None,
    ) -> None:
        raise AssertionError(source)

    def identify(self, kind: Kind, identities: Sequence[str], name: str) -> EntityRef:
        return self.identities.identify(kind, identities, name)

    def add_entities(self, entities: Sequence[Entity]) -> None:
        for one in entities:
            assert one.parent is None or one.parent in self.entities, one
            self.entities.setdefault(one.ref, one)

    def add_facts(self, facts: Sequence[Fact]) -> None:
        for one in facts:
            assert one.entity in self.entities, one
            assert one.end is None or one.end >= one.start, one
        self.written += facts

    def add_events(self, events: Sequence[Event]) -> None:
        self.told += events

    def add_gaps(self, gaps: Sequence[Gap]) -> None:
        raise AssertionError(gaps)

    def add_layout(self, source: int, specs: Sequence[SeriesSpec]) -> Layout:
        raise AssertionError(source)

    def add_ticks(self, ticks: Sequence[Tick]) -> None:
        raise AssertionError(ticks)

    def add_journal(self, entries: Sequence[object]) -> None:
        raise AssertionError("no test here")

    def add_test_runs(self, runs: Sequence[object]) -> None:
        raise AssertionError("no test here")

    def flush(self) -> None:
        raise AssertionError("nothing waits here")

    def report(self, source: int, health: Health) -> None:
        raise AssertionError(source)


def kinds(events: Iterable[Event], ref: EntityRef | None = None) -> list[str]:
    """The kinds of events (of one entity)."""
    return [event.kind for event in events if ref is None or event.entity == ref]


def instances(found: Mapping[str, EntityRef]) -> dict[str, str]:
    """Instance names → kind/key."""
    return {name: f"{ref.kind}/{ref.key}" for name, ref in found.items()}
