"""The columns of a screen of the esxtop view: those that it shows, and those that can be added."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from resources.catalogue import Catalogue
from resources.units import format_value
from resources.views import LimitsByCounter, Screen
from viewmodels.cited_sources import cited
from viewmodels.entity_limits import limit_words
from viewmodels.esxtop_table import FieldChoice, RowLimits, TableColumn
from viewmodels.snapshot import Snapshot


def field_choices(screen: Screen, shown: Sequence[str], catalogue: Catalogue) -> Sequence[FieldChoice]:
    """Return all columns that a screen can have: those that it shows first, in their order.

    ``shown`` are the counters of the chosen columns; if empty, the screen's standard ones.
    """
    chosen = shown or screen.standard
    return [
        FieldChoice(
            key,
            f"{known.short or known.label}   {known.label} ({known.unit})",
            known.meaning,
            key in chosen,
        )
        for key in dict.fromkeys((*chosen, *screen.standard, *screen.more))
        if (known := catalogue.get(key)) is not None
    ]


def tails_of(screen: Screen, snapshot: Snapshot, catalogue: Catalogue) -> Mapping[str, Sequence[str]]:
    """Return the numbered states of each numbered counter in this session: C0, C1 … for ``power.cstate``."""
    if not screen.each:
        return {}
    numbered = {key for key in screen.standard if _is_numbered(catalogue, key)}
    found: dict[str, set[str]] = {}
    for ref in snapshot.entities:
        if ref.kind in screen.kinds:
            for one in snapshot.series_of.get(ref, ()):
                if one.counter in numbered:
                    found.setdefault(one.counter, set()).add(split_instance(one.spec.instance)[1])
    return {key: sorted(tails, key=lambda tail: (len(tail), tail)) for key, tails in found.items()}


def columns_of(
    counters: Sequence[str],
    kind: str,
    catalogue: Catalogue,
    limits: LimitsByCounter,
    tails: Mapping[str, Sequence[str]] = MappingProxyType({}),
    deciding: Collection[str] = (),
) -> list[TableColumn]:
    """Return the columns for these counters, with the limits that apply to entities of ``kind``.

    ``deciding`` are counters whose columns should be in sight beside the names.

    A counter with ``tails`` (numbered states such as C0, C1) gets a column for each of them.
    """
    found: list[TableColumn] = []
    for key in counters:
        known = catalogue.get(key)
        if known is None:
            continue
        bounds = limits.of(key, kind)
        tip = [f"{known.label}, in {known.unit}", known.meaning]
        if bounds is not None:
            tip.append(f"Limit {format_value(bounds.warning.value, known.unit)} ({bounds.warning.source})")
        if bounds is not None and bounds.critical is not None:
            value = format_value(bounds.critical.value, known.unit)
            tip.append(f"Critical above {value} ({bounds.critical.source})")
        if bounds is not None and bounds.least is not None:
            load = catalogue.get(bounds.load)
            name = (load.short or load.label) if load is not None else bounds.load
            tip.append(f"Judged from {bounds.least.value:g} {name} on ({bounds.least.source})")
        found += [
            TableColumn(
                key,
                f"{known.unit}{tail}" if tail else known.short or known.label,
                known.unit,
                "\n".join(tip),
                bounds.warning.value if bounds else np.nan,
                bounds.critical.value if bounds and bounds.critical else np.nan,
                frozenset(of for (counter, of), same in limits.items() if counter == key and same == bounds),
                tail,
                deciding=key in deciding,
                per="per vCPU" if any(one.per for one in known.esxtop) else "",
                load=bounds.load if bounds else "",
                least=bounds.least.value if bounds and bounds.least else np.nan,
            )
            for tail in tails.get(key, ("",))
        ]
    return found


def with_class_limits(column: TableColumn, limits: RowLimits) -> TableColumn:
    """Return the column with the limits of classes that its rows have in its tooltip."""
    told = [f"Limit of {limit_words(one, column.unit)}" for one in limits.known if one.because]
    return replace(column, tooltip="\n".join([column.tooltip, *told]))


def meaning_of(
    column: TableColumn, catalogue: Catalogue, sources: Mapping[str, str]
) -> tuple[str, Sequence[str]]:
    """Return what a column means: a title, and paragraphs with meaning, unit, limits and their sources.

    ``sources`` are the sources of limits by tag.
    """
    known = catalogue.get(column.counter)
    if known is None:
        return column.title, [column.tooltip]
    limits = [
        line for line in column.tooltip.splitlines() if line.startswith(("Limit", "Critical", "Judged"))
    ]
    return f"{column.title}: {known.label}", [
        known.meaning,
        f"In {known.unit}, {column.per}." if column.per else f"In {known.unit}.",
        *filter(None, ("\n".join(limits), "\n".join(cited(limits, sources)))),
        f"The counter {known.key}. How we know: {known.source or 'from its name'}.",
    ]


def _is_numbered(catalogue: Catalogue, key: str) -> bool:
    known = catalogue.get(key)
    return known is not None and any(spelling.tail for spelling in known.esxtop)


def split_instance(instance: str) -> tuple[str, str]:
    """Split an instance into name and numbered state: ``PCPU 3 C0`` becomes ``PCPU 3`` and ``C0``."""
    name, _, tail = instance.rpartition(" ")
    return name, tail
