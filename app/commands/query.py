"""``query``: prints samples of some entities and counters as a table, CSV or JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Any

import numpy as np
import typer
from rich.cells import cell_len

from app.commands.options import AsJson, From, SessionPath, Times, To, clock_of, window_of
from app.terminal import json_text
from resources.failures import NotFoundError
from resources.foreign_text import shown, visible
from resources.units import format_value
from sessions.clock import UTC_ZONE, Clock
from sessions.current_records import with_current_names
from sessions.export.columns import RepeatedTexts
from sessions.export.csv_table import CsvRows
from sessions.frames import small_frames
from sessions.model import EntityRef, FloatArray, IntArray, Series, SeriesStats, Source
from sessions.store import SessionReader
from sessions.times import TimeRange, iso
from viewmodels.joined_sources import disagreements, sentence
from viewmodels.shared_devices import part_measured

BATCH = 1024  # series of the table at a time
MAX_WIDTH, NUMBER_WIDTH = 48, 12
MAX_COMPARED = 100
"""So many pairs of series that two sources have are compared: each is read as a whole."""


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
    times: Times = UTC_ZONE,
    as_csv: Annotated[
        bool,
        typer.Option("--csv", help="Print one line a sample; formulas in names are defused as by export."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print the samples of some entities and counters.

    Without --csv or --json: one line for each series with its lowest, mean and highest value; where several
    sources have the same, each is named, and how far apart they are over the time that they share.
    """
    with SessionReader.open(session) as reader:
        entities = with_current_names(reader.entities(), reader.facts())
        names = {ref: found.name for ref, found in entities.items()}
        chosen = choose(reader, names, entity, counter, instance)
        clock = clock_of(reader, times)
        window = window_of(reader, start, end, clock)
        if as_json:
            write_json(reader, chosen, names, window)
        elif as_csv:
            write_csv(reader, chosen, names, window, clock)
        else:
            write_table(reader, chosen, names, window)


def choose(
    reader: SessionReader, names: dict[EntityRef, str], entity: str, counter: str, instance: str
) -> list[Series]:
    """Return the series that match the globs. Raises NotFoundError, saying which glob matched nothing.

    ``names`` are the display names of all entities; ``entity`` may be ``kind:glob``.
    """
    refs = matching_entities(names, entity)
    of_entity = [series for series in reader.series() if series.entity in refs]
    if not of_entity:
        raise NotFoundError(
            f"Nothing was measured of {entity!r}.",
            meaning="It is in the inventory, and was perhaps powered off or disconnected all the time.",
        )
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


def matching_entities(names: dict[EntityRef, str], entity: str) -> set[EntityRef]:
    """Return the entities whose display name matches a glob, which may be ``kind:glob``.

    Raises NotFoundError if there is none.
    """
    refs = entities_called(names, entity)
    if not refs:
        raise NotFoundError(
            f"No entity is called {entity!r}.",
            advice="'hyperscope query S.hscope' lists all; names match as globs.",
        )
    return refs


def entities_called(names: Mapping[EntityRef, str], entity: str) -> set[EntityRef]:
    """Return the entities whose display name matches a glob, which may be ``kind:glob``; perhaps none."""
    kind, colon, name = entity.partition(":")
    kinds = {ref.kind for ref in names}
    wanted_kind, wanted_name = (kind, name) if colon and kind in kinds else ("", entity)
    return {
        ref
        for ref, shown in names.items()
        if (not wanted_kind or ref.kind == wanted_kind) and matches(shown, wanted_name)
    }


def matches(text: str, glob: str) -> bool:
    """Return True if the glob matches ``text`` or is equal to it, without regard to case."""
    return text == glob or fnmatchcase(text.lower(), glob.lower())


Samples = tuple[Series, IntArray, FloatArray]


def samples(reader: SessionReader, chosen: list[Series], window: TimeRange | None) -> Iterator[Samples]:
    """Yield each series with the times (ms) and values of its present samples."""
    for frame, series in small_frames(reader, chosen, window, whole=True):
        for column, one in enumerate(series):
            values = frame.values[:, column]
            present = ~np.isnan(values)
            yield one, frame.times[present], values[present]


def write_json(
    reader: SessionReader, chosen: list[Series], names: dict[EntityRef, str], window: TimeRange | None
) -> None:
    """Write the JSON document to stdout, one series at a time."""
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
        sys.stdout.write(json_text(document))
    sys.stdout.write("]}\n")


def write_csv(
    reader: SessionReader,
    chosen: list[Series],
    names: dict[EntityRef, str],
    window: TimeRange | None,
    clock: Clock,
) -> None:
    """Write one CSV line for each sample to stdout; on a terminal, names are made safe to show."""
    out = CsvRows(sys.stdout, ("time", "kind", "entity", "counter", "instance", "unit", "value"))
    text = visible if sys.stdout.isatty() else str
    for series, times, values in samples(reader, chosen, window):
        spec = series.spec
        fixed = (spec.entity.kind, names[spec.entity], spec.counter, spec.instance, spec.unit)
        counts = np.array([times.size])
        columns = [RepeatedTexts([text(cell)], counts) for cell in fixed]
        out.write([[clock.iso(t) for t in times.tolist()], *columns, values])


TITLES = ("kind", "entity", "counter", "instance", "samples", "lowest", "mean", "highest")
NAMES = 4  # of these, the first columns; the others are numbers, to the right


def write_table(
    reader: SessionReader, chosen: list[Series], names: dict[EntityRef, str], window: TimeRange | None
) -> None:
    """Write one line of statistics for each series to stdout, as soon as it is computed; then how far the
    sources differ where several have the same series.
    """
    sources = {source.id: shown(source_name(source)) for source in reader.sources()}
    several = len({series.source for series in chosen}) > 1
    rows = [[shown(cell) for cell in name_cells(series, names)] for series in chosen]
    for series, names_of in zip(chosen, rows, strict=True) if several else ():
        names_of[-1] = f"{names_of[-1]} [{sources[series.source]}]".lstrip()
    widths = [
        min(MAX_WIDTH, max(map(cell_len, column))) for column in zip(TITLES[:NAMES], *rows, strict=True)
    ]
    widths += [NUMBER_WIDTH] * (len(TITLES) - NAMES)
    sys.stdout.write(table_line(TITLES, widths))
    for begin in range(0, len(chosen), BATCH):
        batch = chosen[begin : begin + BATCH]
        stats = reader.stats(np.array([series.id for series in batch], dtype=np.int64), window)
        for row, series in enumerate(batch):
            cells = (*rows[begin + row], *number_cells(stats, row, series.spec.unit))
            sys.stdout.write(table_line(cells, widths))
    if not several:
        return
    part_of = part_measured(reader.entities(), {source.id: source.spec.name for source in reader.sources()})
    for one in disagreements(reader, chosen, window, MAX_COMPARED, part_of):
        sys.stdout.write(f"{shown(sentence(one, names[one.entity], sources), 1000)}\n")


def source_name(source: Source) -> str:
    """Return what a source is called beside others: two of them may be of one host."""
    return f"{source.spec.kind} {source.spec.name}"


def name_cells(series: Series, names: dict[EntityRef, str]) -> tuple[str, ...]:
    """Return kind, entity, counter and instance of a series."""
    return series.entity.kind, names[series.entity], series.counter, series.spec.instance


def number_cells(stats: SeriesStats, row: int, unit: str) -> tuple[str, ...]:
    """Return number of samples, lowest, mean and highest value of the series in ``row`` of ``stats``."""
    numbers = (stats.minimum, stats.mean, stats.maximum)
    return str(int(stats.count[row])), *(format_value(float(of[row]), shown(unit)) for of in numbers)


def table_line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return one line of the table: names aligned left, numbers right; a cell that is too wide shifts the
    rest.
    """
    pairs = zip(cells, widths, strict=True)
    spaces = [(cell, " " * (width - cell_len(cell))) for cell, width in pairs]
    left = [cell + space for cell, space in spaces[:NAMES]]
    right = [space + cell for cell, space in spaces[NAMES:]]
    return "  ".join((*left, *right)).rstrip() + "\n"
