"""Names of several curves or rows: what all share goes into a title, what differs tells them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from resources.catalogue import Catalogue
from resources.foreign_text import shown
from resources.units import format_duration
from sessions.model import EntityRef, Series
from viewmodels.entity_names import entity_name
from viewmodels.host_domains import shared_domain, without
from viewmodels.shared_devices import is_shared, seen_by, source_names
from viewmodels.snapshot import Snapshot

_LONGEST = 200
_MAX_TOPICS = 3


@dataclass(frozen=True, slots=True)
class SeriesNames:
    """The names of several series.

    ``topic``: the counters (``CPU ready``). ``place``: what all are of (``web03``), empty if they share
    nothing. ``own``, by series id: what differs (``vCPU 0``, ``esx03 · read latency``); no two are alike.
    ``whole``, by series id: place and counter, as no other series of them has it.
    """

    topic: str
    place: str
    own: Mapping[int, str]
    whole: Mapping[int, str]

    def title(self, topic: str = "") -> str:
        """Return a title: ``CPU ready · web03``. ``topic`` replaces the counters; it may name the place."""
        topic = topic or self.topic
        return topic if not self.place or self.place in topic else f"{topic} · {self.place}"


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a series' name is made of; ``host`` is empty where the name says enough without it."""

    entity: EntityRef
    own: str
    owner: str
    host: str
    instance: str
    counter: str
    source: str
    interval: str

    @property
    def name(self) -> str:
        """The entity after its VM: ``db-prod › vCPU 2``."""
        return f"{self.owner} › {self.own}" if self.owner else self.own

    @property
    def family(self) -> str:
        """The VM that the series is of, itself or a part of it; unique for what belongs to no VM."""
        return self.owner or (
            self.own if self.entity.kind == "vm" else f"{self.entity.kind}/{self.entity.key}"
        )

    @property
    def place(self) -> str:
        """All but the counter."""
        return _joined(self.name, self.host, self.instance)


def names_of(series: Sequence[Series], snapshot: Snapshot, catalogue: Catalogue) -> SeriesNames:
    """Return the names of these series beside each other."""
    parts = _parts(series, snapshot, catalogue)
    found = list(parts.values())
    place, own_place = _shared_place(found)
    several_counters = _differ(found, lambda one: one.counter)
    own, whole = {}, {}
    for number, one in parts.items():
        counter = _inner(one.counter) if own_place(one) else one.counter
        own[number] = _joined(own_place(one), counter if several_counters else "") or one.counter
        whole[number] = _joined(one.place, _inner(one.counter))
    topics = list(dict.fromkeys(one.counter for one in found))
    more = f" and {len(topics) - _MAX_TOPICS} more" if len(topics) > _MAX_TOPICS else ""
    return SeriesNames(
        shown(", ".join(topics[:_MAX_TOPICS]) + more, _LONGEST),
        shown(place, _LONGEST),
        _told_apart(_with_sources(own, parts), parts),
        _told_apart(_with_sources(whole, parts), parts),
    )


def row_names(series: Sequence[Series], snapshot: Snapshot) -> Mapping[int, str]:
    """Return the name of each row of a table with one series of one counter a row, by series id.

    Rows that would have the same name also get the host that measured them: ``naa.6 · esx02``.
    """
    parts = _parts(series, snapshot, None)
    names = {number: one.place for number, one in parts.items()}
    return _told_apart(_with_sources(names, parts), parts)


def counter_label(counter: str, catalogue: Catalogue | None) -> str:
    """Return the name of a counter for people: ``CPU ready``; that of an unknown one is its last word."""
    known = catalogue.get(counter) if catalogue is not None else None
    return known.label if known else counter.rpartition("/")[2]


def _told_apart(names: Mapping[int, str], parts: Mapping[int, _Parts]) -> Mapping[int, str]:
    """Return the names safe to show, where no two are alike: those that are get the end of their key, or a
    number.
    """
    safe = {number: shown(name, _LONGEST) for number, name in names.items()}
    count = Counter(safe.values())
    taken: set[str] = set(count)
    ids = Counter((safe[number], _key(parts[number])) for number in names)
    for number, name in safe.items():
        if count[name] == 1:
            continue
        key = _key(parts[number])
        wanted = f"{name} ({key})" if ids[name, key] == 1 and key not in {"", name} else f"{name} (1)"
        counted = 1
        while wanted in taken:
            counted += 1
            wanted = f"{name} ({counted})"
        taken.add(wanted)
        safe[number] = wanted
    return safe


def _parts(series: Sequence[Series], snapshot: Snapshot, catalogue: Catalogue | None) -> Mapping[int, _Parts]:
    sources = source_names(snapshot)
    intervals = {one.id: format_duration(step) for one in snapshot.sources if (step := one.spec.interval_s)}
    shorter = _without_shared_domain(series)
    names = {ref: entity_name(ref, snapshot) for ref in dict.fromkeys(one.entity for one in series)}
    shared = {ref for ref in names if is_shared(ref, snapshot)}
    several = _seen_by_several(shared, snapshot, sources)
    hosts = {host for hosts in several.values() for host in hosts}
    domain = snapshot.entity_index.host_domain or shared_domain(hosts)
    found = {}
    for one in series:
        name, instance, host = names[one.entity], one.spec.instance, names[one.entity].host
        if one.entity in shared and not instance.startswith("partition"):
            instance = ""
            host = without(domain, seen_by(one, sources)) if one.entity in several else ""
        label, source = counter_label(one.counter, catalogue), sources.get(one.source, "")
        found[one.id] = _Parts(
            one.entity,
            name.own,
            name.owner,
            host,
            shorter(instance),
            label,
            without(domain, source),
            intervals.get(one.source, ""),
        )
    return found


def _seen_by_several(
    shared: Iterable[EntityRef], snapshot: Snapshot, sources: Mapping[int, str]
) -> Mapping[EntityRef, set[str]]:
    """Return those of the shared devices that more than one host measured, each with these hosts."""
    hosts = {ref: {seen_by(one, sources) for one in snapshot.series_of.get(ref, ())} for ref in shared}
    return {ref: names for ref, names in hosts.items() if len(names) > 1}


def _without_shared_domain(series: Iterable[Series]) -> Callable[[str], str]:
    instances = {one.spec.instance for one in series}
    domain = shared_domain(instances) if len(instances) > 1 else ""
    return partial(without, domain)


def _shared_place(parts: Sequence[_Parts]) -> tuple[str, Callable[[_Parts], str]]:
    """Return what all are of, and a function that returns the rest of a series' place."""
    if not parts:
        return "", lambda _one: ""
    first = parts[0]
    shared_instance = "" if _differ(parts, lambda one: one.instance) else first.instance
    same_host = not _differ(parts, lambda one: one.host)
    host = first.host if same_host else ""

    def place(name: str) -> str:
        return _joined(name, host, shared_instance)

    def rest(name: str, one: _Parts) -> str:
        return _joined(name, "" if same_host else one.host, "" if shared_instance else one.instance)

    if not _differ(parts, lambda one: one.entity):
        return place(first.name), lambda one: rest("", one)
    if same_host and not _differ(parts, lambda one: one.family):
        return place(first.family), lambda one: rest(one.own, one)
    return place(""), lambda one: rest(one.name, one)


def _with_sources(names: Mapping[int, str], parts: Mapping[int, _Parts]) -> Mapping[int, str]:
    """Return the names, with the source behind those that are alike of several sources, and its interval
    where theirs differ.
    """
    alike: dict[str, set[str]] = {}
    paces: dict[str, set[str]] = {}
    for number, name in names.items():
        alike.setdefault(shown(name, _LONGEST), set()).add(parts[number].source)
        paces.setdefault(shown(name, _LONGEST), set()).add(parts[number].interval)
    return {
        number: _joined(
            name,
            parts[number].source,
            parts[number].interval if len(paces[shown(name, _LONGEST)]) > 1 else "",
        )
        if len(alike[shown(name, _LONGEST)]) > 1
        else name
        for number, name in names.items()
    }


def _differ(parts: Iterable[_Parts], of: Callable[[_Parts], object]) -> bool:
    return len({of(one) for one in parts}) > 1


def _joined(*names: str) -> str:
    return " · ".join(filter(None, names))


def _inner(label: str) -> str:
    """Return a counter's label as it stands behind another word: ``read latency``, but ``CPU ready``."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def _key(one: _Parts) -> str:
    return shown(one.entity.key.rpartition("/")[2], _LONGEST // 4)
