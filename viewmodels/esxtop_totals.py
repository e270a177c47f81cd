"""The totals above the esxtop table: esxtop's first lines, over one host or several. No Qt."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from resources.catalogue import Catalogue
from resources.counter_schema import Counter
from resources.foreign_text import shown
from resources.units import format_count, format_value
from resources.views import LimitsByCounter, Screen
from sessions.model import Entity, Series
from viewmodels.host_domains import shared_domain, without
from viewmodels.snapshot import Snapshot

Values = Mapping[str, Sequence[tuple[float, str]]]
"""The value of each host with the host's name, by counter."""

_SUMMED = frozenset({"MB", "MB/s", "Mbit/s", "W", "/s", "B", "B/s"})
"""Units of what several hosts have together; of others the mean says more."""
_NAMED = 2
_MARKS: Mapping[str, str] = {"": "", "warning": "◆ ", "critical": "▲ "}


def host_series(screen: Screen, snapshot: Snapshot, hosts: Collection[str]) -> list[tuple[str, Series]]:
    """Return each host's name with its series of the counters shown above the table.

    ``hosts`` are the names of the hosts whose rows are shown; empty: all.
    """
    found: list[tuple[str, Series]] = []
    for entity in _hosts(snapshot, hosts):
        own = {one.counter: one for one in snapshot.series_of.get(entity.ref, ()) if not one.spec.instance}
        found += [(entity.name, own[counter]) for counter in screen.head if counter in own]
    return found


def totals_of(
    screen: Screen, values: Values, catalogue: Catalogue, limits: LimitsByCounter
) -> tuple[list[str], list[str]]:
    """Return the totals of the screen's head: a short text of each, and a long one for the tooltip."""
    texts, details = [], []
    domain = shared_domain({host for known in values.values() for _, host in known})
    for key in screen.head:
        counter, known = catalogue.get(key), values.get(key, ())
        if counter is not None and known:
            named = [(value, shown(without(domain, host))) for value, host in known]
            texts.append(_text(counter, named, limits))
            details.append(f"{texts[-1]}\n{counter.label}: {counter.meaning}")
    return texts, details


def counted(snapshot: Snapshot, hosts: Collection[str]) -> str:
    """Return how much there is on the hosts whose rows are shown: ``4 hosts, 48 VMs, 132 vCPUs``."""
    places = {entity.ref for entity in _hosts(snapshot, hosts)}
    vms = {
        ref
        for ref in snapshot.entities
        if ref.kind == "vm" and (not hosts or snapshot.host_of(ref) in places)
    }
    vcpus = sum(entity.parent in vms for ref, entity in snapshot.entities.items() if ref.kind == "vcpu")
    counts = ((len(places), "host"), (len(vms), "VM"), (vcpus, "vCPU"))
    return ", ".join(f"{format_count(n)} {what}{'' if n == 1 else 's'}" for n, what in counts if n)


def without_text(silent: Collection[str]) -> list[str]:
    """Return whom the totals leave out: the hosts without a current sample; nothing if all have one."""
    names = sorted(silent)
    if not names:
        return []
    named = ", ".join(shown(name, 40) for name in names[:_NAMED])
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return [f"◆ totals without {named}{more}: no sample at this time"]


def _hosts(snapshot: Snapshot, hosts: Collection[str]) -> list[Entity]:
    found = (entity for ref, entity in snapshot.entities.items() if ref.kind == "host")
    return [entity for entity in found if not hosts or entity.name in hosts]


def _text(counter: Counter, values: Sequence[tuple[float, str]], limits: LimitsByCounter) -> str:
    """Return the text of one total, with the worst host: ``◆ SWR/s 2.57 MB/s (max 2.31 MB/s esx01)``."""
    name = counter.short or counter.label
    worst, host = (min if counter.better == "high" else max)(values)
    bounds = limits.of(counter.key, "host")
    mark = _MARKS[bounds.state(worst)] if bounds is not None else ""
    if counter.value_names:
        return f"{mark}{name} {_states(counter, values)}"
    numbers = [value for value, _ in values]
    total = sum(numbers) if counter.unit in _SUMMED else sum(numbers) / len(numbers)
    text = f"{mark}{name} {format_value(total, counter.unit)}"
    if not counter.better or len(set(numbers)) == 1:
        return text
    if total == worst and counter.unit in _SUMMED:
        return f"{text} on {host}"
    word = "min" if counter.better == "high" else "max"
    return f"{text} ({word} {format_value(worst, counter.unit)} {host})"


def _states(counter: Counter, values: Sequence[tuple[float, str]]) -> str:
    """Return the states of all hosts, the worst first: ``clear (2 of 5) on esx01, high on 3 hosts``.

    A state's place among all of them is told where it is not the first: ``clear`` alone reads as all clear.
    """
    by_state: dict[float, list[str]] = {}
    for value, host in sorted(values, reverse=True):
        by_state.setdefault(value, []).append(host)
    found = []
    for value, hosts in by_state.items():
        name = counter.value_name(value)
        word = name or format_value(value, counter.unit)
        if name and value > 0:
            word += f" ({value + 1:.0f} of {len(counter.value_names)})"
        where = hosts[0] if len(hosts) == 1 else f"{len(hosts)} hosts"
        found.append(f"{word} on {where}" if len(values) > 1 and len(by_state) > 1 else word)
    return ", ".join(found)
