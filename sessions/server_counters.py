"""The counters that a server defines, as facts of the server: its whole perfCounter list, one fact a counter.

A list that is stored with the samples says, years later and without the server, which counters there were,
in which unit and from which statistics level on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from resources.typed_data import ready
from sessions.model import EntityRef, Fact

_FACT = "perf_counter."


class ServerCounter(msgspec.Struct, frozen=True):
    """A counter as the server's perfCounter property defines it; ``name`` is ``group.name.rollup``.

    ``stats`` is the API's statsType (absolute, delta, rate). ``level`` and ``device_level`` are the
    statistics levels from which on a vCenter archives the entity's value and those of its instances; 0 where
    the server does not say. ``label`` and ``summary`` are the server's own words, in its language.
    """

    key: int
    name: str
    unit: str
    stats: str = ""
    level: int = 0
    device_level: int = 0
    label: str = ""
    summary: str = ""

    @property
    def group(self) -> str:
        """The first part of the name: ``cpu``, ``mem``, ``gpu`` …"""
        return self.name.partition(".")[0]


class _Value(msgspec.Struct, array_like=True):
    """The value of a fact: everything but the name, which is the fact's."""

    key: int
    unit: str
    stats: str = ""
    level: int = 0
    device_level: int = 0
    label: str = ""
    summary: str = ""


def counter_facts(server: EntityRef, counters: Iterable[ServerCounter], at: int) -> list[Fact]:
    """Return the facts of ``server`` that say which counters it defines since ``at`` (ms)."""
    return [Fact(server, _FACT + one.name, _encoded(one), at) for one in counters]


def server_counters(facts: Iterable[Fact]) -> Mapping[EntityRef, list[ServerCounter]]:
    """Return the counters of each server that ``facts`` name, by name; those that it lost are left out.

    A fact that no recorder of ours can have written is passed over: a session is untrusted input.
    """
    found: dict[EntityRef, dict[str, ServerCounter]] = {}
    for fact in facts:
        if fact.name.startswith(_FACT) and isinstance(fact.value, str):
            of_server = found.setdefault(fact.entity, {})
            name = fact.name.removeprefix(_FACT)
            of_server.pop(name, None)
            if fact.end is None and (counter := _decoded(name, fact.value)):
                of_server[name] = counter
    return {server: [of[name] for name in sorted(of)] for server, of in found.items() if of}


def _encoded(one: ServerCounter) -> str:
    value = _Value(one.key, one.unit, one.stats, one.level, one.device_level, one.label, one.summary)
    return msgspec.json.encode(value).decode()


def _decoded(name: str, text: str) -> ServerCounter | None:
    try:
        value = msgspec.json.decode(text, type=ready(_Value))
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
    return ServerCounter(
        value.key, name, value.unit, value.stats, value.level, value.device_level, value.label, value.summary
    )
