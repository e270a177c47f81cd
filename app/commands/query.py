"""``query``: the samples of some entities and counters, as a table, CSV or JSON."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table
from rich.text import Text

from app.commands.options import AsJson, From, SessionPath, To, window_of
from app.consoles import results
from resources.failures import NotFoundError
from resources.units import format_value
from sessions.model import EntityRef, FloatArray, IntArray, Series, SeriesStats
from sessions.store import SessionReader
from sessions.times import TimeRange, iso

BATCH = 256  # series decoded at a time: bounded memory at any session size


def query(
    session: SessionPath,
    entity: Annotated[
        str,
        typer.Option(metavar="GLOB", help="Names to show, as in 'SQL*'; kind:name narrows, as in 'vm:SQL*'."),
    ] = "*",
    counter: Annotated[str, typer.Option(metavar="GLOB", help="Counter keys, as in 'cpu.*'.")] = "*",
    instance: Annotated[str, typer.Option(metavar="GLOB", help="Instances, as in 'naa.*'.")] = "*",
    start: From = "",
    end: To = "",
    as_csv: Annotated[bool, typer.Option("--csv", help="Print one line a sample.")] = False,
    as_json: AsJson = False,
) -> None:
    """Samples of some entities and counters.

    Without --csv or --json: one line a series with its lowest, mean and highest value.
    """
    with SessionReader.open(session) as reader:
        names = {ref: found.name for ref, found in reader.entities().items()}
        chosen = choose(reader, names, entity, counter, instance)
        window = window_of(reader, start, end)
        if as_json:
            write_json(reader, chosen, names, window)
        elif as_csv:
            write_csv(reader, chosen, names, window)
        else:
            show(reader, chosen, names, window)


def choose(
    reader: SessionReader, names: dict[EntityRef, str], entity: str, counter: str, instance: str
) -> list[Series]:
    """The series that the globs name. Raises NotFoundError, saying which glob found nothing."""
    kind, colon, name = entity.partition(":")
    kinds = {ref.kind for ref in names}
    wanted_kind, wanted_name = (kind, name) if colon and kind in kinds else ("", entity)
    refs = {
        ref
        for ref, shown in names.items()
        if (not wanted_kind or ref.kind == wanted_kind) and matches(shown, wanted_name)
    }
    if not refs:
        raise NotFoundError(
            f"No entity is called {entity!r}.",
            advice="'hyperscope query S.hscope' lists all; names match as globs.",
        )
    of_entity = [series for series in reader.series() if series.entity in refs]
    chosen = [
        series
        for series in of_entity
        if matches(series.counter, counter) and matches(series.spec.instance, instance)
    ]
    if not chosen:
        known = ", ".join(sorted({series.counter for series in of_entity})[:6])
        raise NotFoundError(
            f"No counter {counter!r} (instance {instance!r}) of {entity!r}.", advice=f"There are: {known} …"
        )
    return chosen


def matches(text: str, glob: str) -> bool:
    """Whether the text is the glob's own text, or fits it; letter case does not count."""
    return text == glob or fnmatchcase(text.lower(), glob.lower())


Samples = tuple[Series, IntArray, FloatArray]


def samples(reader: SessionReader, chosen: list[Series], window: TimeRange | None) -> Iterator[Samples]:
    """Each series with the times and values of its samples; absent ones are left out."""
    for begin in range(0, len(chosen), BATCH):
        batch = {series.id: series for series in chosen[begin : begin + BATCH]}
        for frame in reader.read(np.array(list(batch), dtype=np.int64), window):
            for column, number in enumerate(frame.ids):
                values = frame.values[:, column]
                present = ~np.isnan(values)
                yield batch[int(number)], frame.times[present], values[present]


def write_json(
    reader: SessionReader, chosen: list[Series], names: dict[EntityRef, str], window: TimeRange | None
) -> None:
    """The document of the contract, a series at a time."""
    sources = {source.id: source.spec.name for source in reader.sources()}
    sys.stdout.write('{"series":[')
    for number, (series, times, values) in enumerate(samples(reader, chosen, window)):
        document: dict[str, Any] = {
            "entity": {"kind": series.entity.kind, "name": names[series.entity]},
            "counter": series.counter,
            "unit": series.spec.unit,
            "instance": series.spec.instance,
            "source": sources[series.source],
            "t": [iso(t) for t in times.tolist()],
            "v": values.tolist(),
        }
        sys.stdout.write("," if number else "")
        json.dump(document, sys.stdout, ensure_ascii=False, allow_nan=False)
    sys.stdout.write("]}\n")


def write_csv(
    reader: SessionReader, chosen: list[Series], names: dict[EntityRef, str], window: TimeRange | None
) -> None:
    """One line a sample."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(("time", "kind", "entity", "counter", "instance", "unit", "value"))
    for series, times, values in samples(reader, chosen, window):
        spec = series.spec
        fixed = (spec.entity.kind, names[spec.entity], spec.counter, spec.instance, spec.unit)
        out.writerows((iso(t), *fixed, v) for t, v in zip(times.tolist(), values.tolist(), strict=True))


def show(
    reader: SessionReader, chosen: list[Series], names: dict[EntityRef, str], window: TimeRange | None
) -> None:
    """One line a series, from chunk statistics where they suffice."""
    stats = reader.stats(np.array([series.id for series in chosen], dtype=np.int64), window)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("kind", "entity", "counter", "instance"):
        table.add_column(title, overflow="fold")
    for title in ("samples", "lowest", "mean", "highest"):
        table.add_column(title, justify="right", no_wrap=True)
    for row, series in enumerate(chosen):
        table.add_row(*(Text(cell) for cell in line(series, names[series.entity], stats, row)))
    results().print(table)


def line(series: Series, name: str, stats: SeriesStats, row: int) -> tuple[str, ...]:
    """The cells of one series."""
    unit = series.spec.unit
    return (
        series.entity.kind,
        name,
        series.counter,
        series.spec.instance,
        str(int(stats.count[row])),
        *(format_value(float(of[row]), unit) for of in (stats.minimum, stats.mean, stats.maximum)),
    )
