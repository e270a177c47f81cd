"""Fills a card's sentences with an entity's numbers and with the names of who is behind them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from diagnosis import statistics
from diagnosis.arrays import BoolArray
from diagnosis.compiled import Place, Template
from diagnosis.evaluate import evaluate
from diagnosis.signals import Scene
from diagnosis.topology import Members
from resources.units import format_value
from sessions.model import FloatArray, IntArray

_TOP = 3


@dataclass(frozen=True, slots=True)
class Speaker:
    """Writes sentences about the rows of a scene over their windows (rows, times)."""

    scene: Scene
    windows: BoolArray
    cache: dict[str, tuple[Members, FloatArray]]

    def text(self, template: Template, row: int) -> str:
        """The sentence for one row."""
        parts = [template.literals[0]]
        for place, literal in zip(template.places, template.literals[1:], strict=True):
            parts += [self._fill(place, row), literal]
        return "".join(parts)

    def who(self, signal: str, row: int) -> str:
        """The member with the highest mean in the windows: a vCPU, a port, another host; "" for none."""
        members, means = self._means(signal)
        order = self._order(members, means, row)
        return self._name(members, int(order[0])) if order.size else ""

    def _fill(self, place: Place, row: int) -> str:
        if place.kind == "text":
            return self._entity(row) if place.name == "entity" else self._host(row)
        if place.kind == "who":
            return self.who(place.name, row) or "none of them"
        if place.kind == "top":
            return self._top(place.name, place.unit, row)
        assert place.node
        value = np.broadcast_to(
            evaluate(place.node, self.scene.sheet(self.windows)), (len(self.scene.rows), 1)
        )
        return format_value(float(value[row, 0]), place.unit)

    def _entity(self, row: int) -> str:
        return self.scene.topology.entity(self.scene.rows[row]).name

    def _host(self, row: int) -> str:
        host = self.scene.topology.host(self.scene.source, self.scene.rows[row])
        return self.scene.topology.entity(host).name if host else "the host"

    def _top(self, signal: str, unit: str, row: int) -> str:
        members, means = self._means(signal)
        order = self._order(members, means, row)[:_TOP]
        named = [f"{self._name(members, int(m))} ({format_value(float(means[m, 0]), unit)})" for m in order]
        return ", ".join(named) or "none of them"

    def _order(self, members: Members, means: FloatArray, row: int) -> IntArray:
        own = np.flatnonzero((members.row == row) & ~np.isnan(means[:, 0]))
        ordered: IntArray = own[np.argsort(-means[own, 0], kind="stable")]
        return ordered

    def _means(self, signal: str) -> tuple[Members, FloatArray]:
        if signal not in self.cache:
            members = self.scene.members(signal)
            values = self.scene.member_values(signal)
            self.cache[signal] = (members, statistics.mean(values, self.windows[members.row]))
        return self.cache[signal]

    def _name(self, members: Members, member: int) -> str:
        if members.sources[member] != self.scene.source:
            hosts = self.scene.topology.rows(members.sources[member], "host")
            return self.scene.topology.entity(hosts[0]).name if len(hosts) == 1 else "another source"
        ref = members.refs[member]
        if members.instances[member] and ref == self.scene.rows[int(members.row[member])]:
            return members.instances[member]
        entity = self.scene.topology.entity(ref)
        if ref.kind == "port" and entity.parent is not None and entity.parent.kind == "vm":
            return self.scene.topology.entity(entity.parent).name  # nobody knows a VM by its port's number
        return entity.name
