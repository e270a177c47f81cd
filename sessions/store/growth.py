"""What a growing session has gained between two looks at it: new instants, or samples written anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sessions.model import SourceSpec
from sessions.store.samples import Samples
from sessions.store.segments import Segment
from sessions.store.sources import UNFINISHED


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source at one look: its last instant (ms, None without samples) and its number of stored samples."""

    spec: SourceSpec
    state: str
    end: int | None = None
    samples: int = 0

    @property
    def is_growing(self) -> bool:
        """True while somebody records or imports it."""
        return self.state in UNFINISHED


@dataclass(frozen=True, slots=True)
class Growth:
    """A session at one look, and how it differs from the look before.

    ``rewritten`` are the sources of which samples up to the earlier end may differ: late ones came, or a
    block holds old and new ones. Of all other sources every new sample is after the earlier end, and the
    earlier ones are the same, whether compacted meanwhile or not.
    """

    newest: int = 0
    entities: int = 0
    series: int = 0
    sources: Mapping[int, SourceState] = field(default_factory=dict)
    rewritten: frozenset[int] = frozenset()


def growth_of(samples: Samples, specs: Mapping[int, tuple[SourceSpec, str]], before: Growth | None) -> Growth:
    """Compare the session's index with an earlier look at it."""
    segments: dict[int, list[Segment]] = {number: [] for number in specs}
    for segment in samples.segments:
        segments[segment.layout.source].append(segment)
    states = {
        number: SourceState(
            spec,
            state,
            max((one.end for one in segments[number]), default=None),
            sum(one.samples for one in segments[number]),
        )
        for number, (spec, state) in specs.items()
    }
    rewritten = frozenset(
        number
        for number in states
        if before is not None and _is_rewritten(segments[number], before.sources.get(number), before.newest)
    )
    inventory = samples.inventory
    newest = max((one.id for one in samples.segments), default=0)
    return Growth(newest, len(inventory.entities), inventory.count, states, rewritten)


def _is_rewritten(segments: list[Segment], before: SourceState | None, newest: int) -> bool:
    """Whether samples up to the earlier end may differ: compaction alone keeps the number of samples."""
    if before is None or before.end is None:
        return False
    later = sum(one.samples for one in segments if one.start > before.end)
    straddles = any(one.id > newest and one.start <= before.end < one.end for one in segments)
    return straddles or sum(one.samples for one in segments) - later != before.samples
