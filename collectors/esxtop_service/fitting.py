"""Which layout a reply without CounterInfo has: the one whose counts of fields and identities fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from collectors.esxtop_service.checks import check
from collectors.esxtop_service.counter_info import CounterInfo, read_counter_info
from collectors.esxtop_service.reply import decode
from resources.esxtop_records import EsxtopRecords, KnownLayout, load_esxtop_layouts, load_esxtop_records
from resources.failures import BadInputError, DisconnectedError
from resources.units import format_count

_VALUES = "==COUNTER-VALUE=="
_NEEDED = "Server"
_MOST_LINES = 200_000


@dataclass(frozen=True, slots=True)
class FittingLayout:
    """The layout of a reply: ``info`` has the types of records that fit, ``name`` is the release that has
    them. ``left_out`` says of each other type why.
    """

    name: str
    info: CounterInfo
    left_out: tuple[str, ...]


def fitting_layout(
    text: str, layouts: Sequence[KnownLayout] | None = None, known: EsxtopRecords | None = None
) -> FittingLayout:
    """Find the layout of a reply to FetchStats. Raises BadInputError where none fits."""
    counts = _field_counts(text)
    known = known or load_esxtop_records()
    reasons: list[str] = []
    for layout in layouts or load_esxtop_layouts():
        fitting = _fitted(layout, counts)
        why = _misfit(text, fitting, counts, known)
        if not why:
            return fitting
        reasons.append(f"{layout.name}: {why}")
    raise BadInputError(
        "No known layout of the esxtop service’s records fits this reply.",
        meaning=f"Without CounterInfo its numbers have no names. {' '.join(reasons)}",
        advice="Save what CounterInfo answers beside the samples: it may stand in a row before them.",
    )


def _field_counts(text: str) -> dict[str, int]:
    """The usual number of fields of each type of record: a name with bars has more."""
    found: dict[str, Counter[int]] = {}
    for line in text.partition(_VALUES)[2].splitlines()[:_MOST_LINES]:
        name = line[1:].partition("|")[0]
        if line.startswith("|") and name:
            found.setdefault(name, Counter())[line.count("|") - 2] += 1
    return {name: counter.most_common(1)[0][0] for name, counter in found.items()}


def _fitted(layout: KnownLayout, counts: Mapping[str, int]) -> FittingLayout:
    info = read_counter_info(layout.counter_info)
    fitting = [one for one in info.types.values() if counts.get(one.name, -1) == len(one.fields)]
    left_out = [
        f"{name} has {format_count(counts[name])} fields, "
        f"in {layout.name} {format_count(len(info.types[name].fields))}"
        for name in counts
        if name in info.types and len(info.types[name].fields) != counts[name]
    ]
    left_out += [f"{name} is not in {layout.name}" for name in counts if name not in info.types]
    return FittingLayout(layout.name, CounterInfo.of(fitting), tuple(left_out))


def _misfit(text: str, fitting: FittingLayout, counts: Mapping[str, int], known: EsxtopRecords) -> str:
    """Why a layout is not the reply's; empty if it fits."""
    if _NEEDED not in fitting.info.types:
        return (
            f"its record {_NEEDED} has other fields."
            if _NEEDED in counts
            else f"there is no record {_NEEDED}."
        )
    try:
        reply = decode(text, fitting.info, known)
    except DisconnectedError as error:
        return error.happened.partition(". ")[2] or error.happened
    checks = check(reply, known)
    broken = next((one for one in checks if one.broken > known.limits.broken_part * one.records), None)
    if broken is not None:
        return broken.sentence()
    return "" if checks else "there is nothing by which to check it."
