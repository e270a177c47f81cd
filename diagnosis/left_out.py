"""What is said of samples that can't be true: how many of which counters judging left out, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnosis.possible_samples import LeftOut, PossibleSamples
from diagnosis.silent_hosts import Silence
from diagnosis.topology import Topology
from resources.catalogue import Catalogue
from resources.foreign_text import shown
from resources.units import format_count, format_value

_NAMED = 3
_LONGEST_NAME = 60
_PARTS = ("vcpu", "vdisk", "port", "world")


def left_out_texts(possible: PossibleSamples, catalogue: Catalogue, topology: Topology) -> Mapping[int, str]:
    """Return for each source of which samples were left out how many and why, as parts of a sentence."""
    parts: dict[int, list[str]] = {}
    for silence in possible.silences:
        parts.setdefault(silence.source, []).append(_silence_text(silence, possible.silences, topology))
    wild: dict[int, list[LeftOut]] = {}
    for one in possible.left_out():
        wild.setdefault(one.series.source, []).append(one)
    for source, some in wild.items():
        parts.setdefault(source, []).append(_wild_text(some, catalogue, topology))
    return {source: "; ".join(dict.fromkeys(texts)) for source, texts in parts.items()}


def _silence_text(silence: Silence, silences: Sequence[Silence], topology: Topology) -> str:
    is_lone = sum(one.source == silence.source for one in silences) == 1
    host = "it" if is_lone else shown(topology.entity(silence.host).name, _LONGEST_NAME)
    why = f"{silence.why}, which is so of no running host"
    if silence.is_all:
        return f"insufficient data: nothing in {host} ever counted: {why}"
    return f"zeros of {host} were left out: {why}" if not is_lone else f"zeros were left out: {why}"


def _wild_text(some: Sequence[LeftOut], catalogue: Catalogue, topology: Topology) -> str:
    """Return how many samples of how many counters were left out: "37 values of 2 counters can't be true and
    were left out: CPU ready of web01 (1,000,000 %)".
    """
    values, counters = sum(one.samples for one in some), len({one.series.counter for one in some})
    of = f"{format_count(values)} {'value' if values == 1 else 'values'}"
    of += f" of {format_count(counters)} {'counter' if counters == 1 else 'counters'}"
    named = ", ".join(_named(one, catalogue, topology) for one in some[:_NAMED])
    more = f" and {format_count(len(some) - _NAMED)} more" if len(some) > _NAMED else ""
    was = "was" if values == 1 else "were"
    return f"{of} can't be true and {was} left out: {named}{more}"


def _named(one: LeftOut, catalogue: Catalogue, topology: Topology) -> str:
    spec, known = one.series.spec, catalogue.get(one.series.counter)
    what = f"{known.label} ({known.short})" if known is not None and known.short else one.series.counter
    instance = f" {shown(spec.instance, _LONGEST_NAME)}" if spec.instance else ""
    above = topology.entity(spec.entity).parent if spec.entity.kind in _PARTS else None
    names = " of ".join(
        shown(topology.shown_name(ref), _LONGEST_NAME) for ref in (spec.entity, above) if ref is not None
    )
    return f"{what}{instance} of {names} ({format_value(one.worst, spec.unit)})"
