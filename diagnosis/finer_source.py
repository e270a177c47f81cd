"""Which source a finding is told from where several have samples of its entity: the finer that shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from diagnosis.topology import Topology
from resources.units import format_duration
from sessions.model import EntityRef, Source

_KINDS = {"vcenter": "vCenter", "esxi": "ESXi"}
"""Kinds of sources whose id is not how it is written."""
_UNJUDGED = frozenset({"fio"})


def written(kind: str) -> str:
    """Return a kind of source as texts write it."""
    return _KINDS.get(kind, kind)


@dataclass(frozen=True, slots=True)
class SourcesOf:
    """The sources of a session, by id, and how far their samples are usually apart (ms)."""

    topology: Topology
    sources: Mapping[int, Source]
    step_ms: Callable[[int], float]

    def step_s(self, number: int) -> int:
        """Return how far a source's samples are usually apart, in whole seconds."""
        return round(self.step_ms(number) / 1000)

    def note(self, entity: EntityRef, told_by: Sequence[int]) -> tuple[str, ...]:
        """Return a sentence on which source a finding is from; ``told_by`` are all that show it, it first.

        Empty where one kind of source alone has samples of the entity: then there was no choice.
        """
        seen = {number for number, _ in self.topology.views(entity)}
        kinds = {written(self.sources[one].spec.kind) for one in seen if one in self.sources} - _UNJUDGED
        if len(kinds) < 2:
            return ()
        told = list(dict.fromkeys(self._label(one) for one in told_by))
        others = [label for label in told[1:] if label.split(" at ")[0] != told[0].split(" at ")[0]]
        also = f" {' and '.join(others)} {'show' if len(others) > 1 else 'shows'} it, too." if others else ""
        return (f"Judged from {told[0]}.{also}",)

    def _label(self, number: int) -> str:
        return f"{written(self.sources[number].spec.kind)} at {format_duration(self.step_s(number))}"
