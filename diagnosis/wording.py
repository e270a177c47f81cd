"""Fills the placeholders of a card's sentences with an entity's numbers and the names of its members."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from diagnosis import entity_statistics
from diagnosis.compiled import Placeholder, Template
from diagnosis.endings import gone_for_s
from diagnosis.evaluate import Operands
from diagnosis.members import Members
from diagnosis.session_events import told_text
from diagnosis.settled import Numbers
from diagnosis.signals import Scene
from diagnosis.topology import store_names
from resources.catalogue import Catalogue
from resources.foreign_text import MAX_LENGTH, visible
from resources.units import ABSENT, format_duration, format_value
from sessions.model import EntityRef, Event, FloatArray

_TOP = 3
_FOLDED = re.compile(r" \([\d,]+ more until [^)]*\)")
"""What the import of a log adds to the first of many equal lines."""
_NEAR_MS = 60_000
"""How long before a finding an event without an end may be told that is named with it."""
_HOLE = "\ue001"
"""Stands for a number that is not known."""
_NOBODY = "\ue004"
"""Stands for a name that nothing has."""
_OPEN, _CLOSE = "\ue002", "\ue003"
_OPTIONAL = re.compile(rf"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
"""A part of a template in square brackets, which may hold others: left out where a number is unknown."""
_ASIDE_OPEN, _ASIDE_CLOSE = "\ue005", "\ue006"
"""A template's own round brackets: those of names ("DFS-05 (archive)") are left alone."""
_BRACKETS = str.maketrans({"[": _OPEN, "]": _CLOSE, "(": _ASIDE_OPEN, ")": _ASIDE_CLOSE})
CONNECT = "connect to vCenter"
_LOOK_UP = "look in the vSphere Client (this session has nothing of it from its vCenter)".translate(_BRACKETS)
"""How to get what only a vCenter tells: without one in the session, and where one did not tell it."""
RECORD = "record esxtop with -a"
_TOLD_NOTHING = "\ue007"
"""Stands for what esxtop would tell, where it was recorded with all that it prints and does not tell it."""
_NOT_TOLD = re.compile(f": {_TOLD_NOTHING}(?: {_ASIDE_OPEN}[^{_ASIDE_CLOSE}]*{_ASIDE_CLOSE})?([,;] or )?")
_SHOWN_BRACKETS = str.maketrans({_ASIDE_OPEN: "(", _ASIDE_CLOSE: ")"})
_UNKNOWN = re.compile(f"[{_HOLE}{_NOBODY}]")
_IN_ASIDE = f"[^{_ASIDE_OPEN}{_ASIDE_CLOSE}]*"
_ASIDE = re.compile(rf" {_ASIDE_OPEN}(?:{_IN_ASIDE}[{_HOLE}{_NOBODY}]{_IN_ASIDE})?{_ASIDE_CLOSE}")
"""What is said in brackets is left out where a number of it is not known, or nothing has the name, or
nothing is left of it.
"""
_COUNTED = re.compile(r" (command|core|file|node|packet|read|recommendation|rule|sample|snapshot|time)s\b")
"""What a number of things stands before: of one it has no s."""
_NEXT_ASIDE = f"{_ASIDE_CLOSE} {_ASIDE_OPEN}"
_FIRST_LEFT_OUT = f"{_ASIDE_OPEN}, "


def _foreign(text: str) -> str:
    """A foreign text as a part of a sentence: not longer, without marks of how sentences are put together."""
    return visible(text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH - 1]}…")


def _without_optional(text: str) -> str:
    """The text without its optional parts in which a number is not known; the innermost first."""
    found = 1
    while found:
        text, found = _OPTIONAL.subn(lambda part: "" if _UNKNOWN.search(part[1]) else part[1], text)
    return text


class SentenceWriter:
    """Fills templates for the rows of a scene, with statistics over the operands' windows; ``hosts`` has
    each row's host. A unit that is a counter of the ``catalogue`` stands for its words: ``mem.state``. What
    the ``numbers`` have settled is not written again.
    """

    def __init__(
        self,
        scene: Scene,
        operands: Operands,
        hosts: Sequence[EntityRef | None],
        catalogue: Catalogue,
        numbers: Numbers,
    ) -> None:
        self.scene = scene
        self._catalogue = catalogue
        self._only_in_all_fields = catalogue.only_in_all_fields()
        self._operands = operands
        self._hosts = hosts
        self._members: dict[str, FloatArray] = {}
        self._rankings: dict[tuple[str, int], list[tuple[int, float]]] = {}
        self._numbers = numbers

    def text(self, template: Template, row: int) -> str:
        """Return the sentence for one row."""
        said = self._numbers.settled.texts.get((id(template), row))
        if said is None:
            said = self._written(template, row)
            if self._numbers.are_settled(template):
                self._numbers.settled.texts[id(template), row] = said
        return said

    def _written(self, template: Template, row: int) -> str:
        parts = [template.literals[0].translate(_BRACKETS)]
        for placeholder, literal in zip(template.placeholders, template.literals[1:], strict=True):
            filled = self._fill(placeholder, row)
            one = _COUNTED.match(literal) if filled == "1" else None
            parts += [filled, (f" {one[1]}{literal[one.end() :]}" if one else literal).translate(_BRACKETS)]
        said = _ASIDE.sub("", _without_optional("".join(parts)))
        told_not = f", which esxtop of {self._host(row)} does not tell"
        said = _NOT_TOLD.sub(lambda found: told_not + (": " if found[1] else ""), said)
        said = (
            said.replace(_NEXT_ASIDE, "; ").replace(_FIRST_LEFT_OUT, _ASIDE_OPEN).translate(_SHOWN_BRACKETS)
        )
        return said.replace(_HOLE, ABSENT).replace(_NOBODY, "none of them").strip()

    def who(self, signal: str, row: int) -> str:
        """Return the name of the member that the signal is the number of: a vCPU, a port, a host with the
        highest mean in the windows, of the smallest of them the lowest; "" for none.
        """
        return self._foremost(signal, row) or ""

    def _fill(self, placeholder: Placeholder, row: int) -> str:
        if placeholder.kind == "text":
            texts = {
                "entity": self._entity, "host": self._host, "pool": self._pool,
                "store": self._store, "vcenter": self._vcenter, "esxtop": self._esxtop,
            }  # fmt: skip
            return texts[placeholder.name](row)
        if placeholder.kind == "who":
            return self._foremost(placeholder.name, row, placed=True) or _NOBODY
        if placeholder.kind == "top":
            return self._top(placeholder, row)
        if placeholder.kind in ("event", "word"):
            told = self._events if placeholder.kind == "event" else self._word
            return told(placeholder.name, row) or _HOLE
        assert placeholder.node
        return self._number(float(self._numbers.of(placeholder.node)[row, 0]), placeholder.unit)

    def _number(self, value: float, unit: str) -> str:
        if not math.isfinite(value):
            return _HOLE
        state = self._catalogue.get(unit)
        return format_value(value, unit) if state is None else state.value_name(round(value)) or _HOLE

    def _events(self, name: str, row: int) -> str:
        """What the events of a signal say that happened in the row's windows or still count there, the
        longest first.
        """
        times = self.scene.times[self._operands.windows[row]]
        if not times.size:
            return ""
        signal = self.scene.compiled.signals[name].signal
        found = self.scene.events_of(signal, row)
        since = times[0] - max(_NEAR_MS, round(signal.after_s * 1000))
        between = [one for one in found if one.at <= times[-1] and one.until >= since]
        ordered = sorted(between, key=lambda one: one.at - one.until)
        alike = {_FOLDED.sub("", told_text(one)): one for one in reversed(ordered)}  # keeps the longest
        kept = [one for one in ordered if alike[_FOLDED.sub("", told_text(one))] is one]
        return "; ".join(list(dict.fromkeys(_foreign(_told(one)) for one in kept))[:_TOP])

    def _word(self, name: str, row: int) -> str:
        """The words of a fact of the row's entity, as it was for most of the row's windows."""
        fact = self.scene.compiled.signals[name].signal.fact
        said = self.scene.topology.facts.words(fact, self.scene.rows[row], self._operands.stretches(row))
        return _foreign(said)

    def _entity(self, row: int) -> str:
        return _foreign(self.scene.topology.shown_name(self.scene.rows[row]))

    def _host(self, row: int) -> str:
        host = self._hosts[row]
        return _foreign(self.scene.topology.entity(host).name) if host else "the host"

    def _pool(self, row: int) -> str:
        pool = self.scene.topology.pools.nearest(self.scene.rows[row], self._operands.stretches(row))
        return f"pool {_foreign(self.scene.topology.entity(pool).name)}" if pool else "its pool"

    def _store(self, row: int) -> str:
        """The datastore that lies on the row's device, where that is known."""
        names = store_names(self.scene.topology, self.scene.rows[row])
        return _foreign(names[1]) if len(names) > 1 else _HOLE

    def _vcenter(self, row: int) -> str:
        """How to get at what a vCenter knows: one that recorded it already did not tell."""
        topology = self.scene.topology
        seen = [topology.views(ref) for ref in (self.scene.rows[row], self._hosts[row]) if ref]
        is_recorded = any(source in topology.vcenters for views in seen for source, _ in views)
        return _LOOK_UP if is_recorded else CONNECT

    def _esxtop(self, row: int) -> str:
        """How to get at what only esxtop of the row's host counts, by how it was recorded, if it was."""
        topology, host = self.scene.topology, self._hosts[row]
        seen = topology.views(host) if host else ()
        captures = {source for source, _ in seen if source in topology.captures}
        if not captures:
            how = " (esxtop://, or esxtop -b -a there)".translate(_BRACKETS)
            return f"record esxtop of {self._host(row)}{how}"
        has_all = any(
            topology.series.of_counter(source, key) for source in captures for key in self._only_in_all_fields
        )
        return _TOLD_NOTHING if has_all else f"record esxtop of {self._host(row)} again, with -a"

    def _top(self, placeholder: Placeholder, row: int) -> str:
        signal, ranked = placeholder.name, self._ranked(placeholder.name, row)[:_TOP]
        named = [
            self._name(signal, member, row, format_value(mean, placeholder.unit), placed=True)
            for member, mean in ranked
            if mean >= placeholder.part * ranked[0][1]
        ]
        return ", ".join(named) or _NOBODY

    def _foremost(self, signal: str, row: int, *, placed: bool = False) -> str | None:
        ranked = self._ranked(signal, row)
        if not ranked:
            return None
        is_smallest = self.scene.compiled.signals[signal].signal.reduce == "min"
        return self._name(signal, ranked[-1 if is_smallest else 0][0], row, placed=placed)

    def _ranked(self, signal: str, row: int) -> list[tuple[int, float]]:
        """The places of the row's members with their means over its windows, highest first."""
        key = signal, row
        rankings = self._rankings if self._numbers.is_open(signal) else self._numbers.settled.rankings
        if key not in rankings:
            members = self.scene.members(signal)
            span = self._operands.span
            if signal not in self._members:
                self._members[signal] = self.scene.member_values(signal, span)
            own = np.flatnonzero(members.row == members.unit[row])
            values = self._members[signal][own]
            windows = np.broadcast_to(self._operands.windows[row, span], values.shape)
            means = entity_statistics.mean(values, windows)[:, 0]
            order = np.argsort(-means, kind="stable")
            rankings[key] = [(int(own[m]), float(means[m])) for m in order if not np.isnan(means[m])]
        return rankings[key]

    def _name(self, signal: str, member: int, row: int, value: str = "", *, placed: bool) -> str:
        """A member's name, with its value; ``placed``: with where it is if it left the row's host."""
        members = self.scene.members(signal)
        where = self._where_it_went(members, member, row) if placed else ""
        aside = "; ".join(one for one in (value, _foreign(where)) if one)
        return _foreign(self._named(members, member, row)) + (f" ({aside})" if aside else "")

    def _named(self, members: Members, member: int, row: int) -> str:
        topology, own, ref = self.scene.topology, self.scene.rows[row], members.refs[member]
        if topology.base(ref) == topology.base(own) and (members.sources[member], ref) != (
            self.scene.source,
            own,
        ):
            host = topology.host(members.sources[member], ref)
            return topology.entity(host).name if host else "another source"
        if members.instances[member] and ref == own:
            return members.instances[member]
        entity = topology.entity(ref)
        if ref.kind == "port" and entity.parent is not None and entity.parent.kind == "vm":
            return topology.shown_name(entity.parent)  # nobody knows a VM by its port's number
        return topology.shown_name(ref)

    def _where_it_went(self, members: Members, member: int, row: int) -> str:
        """Where a VM that was on the row's host is at the end, if it left."""
        topology, host, vm = self.scene.topology, self._hosts[row], members.refs[member]
        if vm.kind != "vm" or host is None:
            return ""
        stays = topology.stays(members.sources[member], topology.base(vm))
        if not stays or stays[-1].host == host:
            return _how_long_gone(self.scene, members.sources[member], vm)
        if all(one.host != host for one in stays):
            return ""
        return f"at the end on {topology.entity(stays[-1].host).name}"


def _how_long_gone(scene: Scene, source: int, vm: EntityRef) -> str:
    """What a capture alone knows of a VM that left: for how long none of its columns has had a sample."""
    gone_s = gone_for_s(scene.table, scene.topology, source, vm)
    return f"gone for the last {format_duration(gone_s)}" if gone_s else ""


def _told(event: Event) -> str:
    """What an event says, without its last stop, and how long it lasted, from a second on."""
    seconds, told = (event.until - event.at) / 1000, told_text(event).rstrip(" .")
    return f"{told} ({format_duration(seconds)})" if seconds >= 1 else told
