"""Imports tables of Get-Stat into a new session, as a recording of that vCenter would have it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from collectors.powercli_tables import is_inventory
from collectors.vsphere.get_stat.dividing import divided
from collectors.vsphere.get_stat.gathering import Of, SourceParts, gathered, holes, intervals
from collectors.vsphere.get_stat.objects import Objects, read_inventory, server_in
from collectors.vsphere.get_stat.samples import StatFile, read_samples
from collectors.vsphere.get_stat.series import SeriesFinder
from collectors.vsphere.get_stat.stamps import Order
from collectors.vsphere.get_stat.storing import Samples, store
from collectors.vsphere.get_stat.timing import timed
from resources.catalogue import Catalogue, load_catalogue
from resources.failures import BadInputError, CancelledError
from resources.foreign_text import shown
from resources.get_stat_forms import load_get_stat_forms
from resources.stopping import StopSignal
from resources.units import format_count
from sessions.clock import Clock
from sessions.model import Entity, EntityRef, SourceSpec
from sessions.store import SessionWriter
from sessions.times import TimeRange

_MAX_NAMED = 3
_TELL_EVERY_S = 0.1
_UNNAMED = "Get-Stat"
_LONGEST_TEXT = 200
Progress = Callable[[int, int], None]
"""Gets the bytes that are done, and all of them."""


@dataclass(frozen=True, slots=True)
class StatOptions:
    """``clock``: whose times of day the files have. ``dates``: the order of day, month and year in a file
    that does not decide it.
    """

    clock: Clock
    dates: Order | None = None


@dataclass(frozen=True, slots=True)
class StatReport:
    """What an import made of tables of Get-Stat; ``start`` and ``end`` in ms since 1970."""

    out: Path
    files: tuple[str, ...]
    objects: int
    series: int
    samples: int
    intervals_s: tuple[int, ...]
    start: int
    end: int
    notes: tuple[str, ...]
    bytes_read: int
    seconds: float

    def to_json(self) -> dict[str, object]:
        """Return the report as plain values for JSON."""
        return {**asdict(self), "out": str(self.out)}


def import_get_stat(
    files: Sequence[Path],
    out: Path,
    options: StatOptions,
    *,
    progress: Progress | None = None,
    cancel: StopSignal | None = None,
    catalogue: Catalogue | None = None,
) -> StatReport:
    """Import tables of Get-Stat, and of Get-VM and the like beside them, into the new session ``out``.

    Everything is read before anything is written; whatever is raised, no session is left behind. A sample of
    one series and instant is stored once, whichever files have it.

    Raises NotFoundError, AccessDeniedError, BadInputError for a file that can't be read, UsageError where
    ``options.dates`` has to tell the order of dates, CancelledError, and what SessionWriter.create raises.
    """
    begun = time.monotonic()
    work = _Import(out, options, catalogue or load_catalogue(), progress, cancel)
    with _collection_paused():
        return work.run(files, begun)


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Without garbage collection, which takes as long as reading rows: each is a list of its own."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Import:
    def __init__(
        self,
        out: Path,
        options: StatOptions,
        catalogue: Catalogue,
        progress: Progress | None,
        cancel: StopSignal | None,
    ) -> None:
        self._out, self._options, self._catalogue = out, options, catalogue
        self._forms = load_get_stat_forms()
        self._progress, self._cancel = progress, cancel
        self._total = self._done = 0
        self._told_at = 0.0
        self._notes: dict[str, None] = {}

    def run(self, paths: Sequence[Path], begun: float) -> StatReport:
        """Read all files, then write the session."""
        self._total = sum(path.stat().st_size for path in paths if path.is_file())
        files, objects = self._read(paths)
        finder = SeriesFinder(self._catalogue, self._forms, objects)
        found = timed(files, self._options.dates, self._options.clock)
        self._notes |= {one.note: None for one in found if one.note}
        found = [divided(one, self._forms) for one in found]
        intervals_s = [intervals(one, self._forms) for one in found]
        for file, lengths in zip(files, intervals_s, strict=True):
            self._note_intervals(file, lengths)
        sources = gathered(found, finder, intervals_s)
        self._note_objects(finder, objects)
        if not sources:
            raise BadInputError(
                f"{shown(files[0].path.name)} has no sample that can be stored.",
                advice="Export counters of VMs, hosts, clusters or datastores.",
            )
        ordered = {of: self._ordered(parts) for of, parts in sources.items()}
        ends = [(int(samples.times.min()), int(samples.times.max())) for samples in ordered.values()]
        span = TimeRange(min(start for start, _ in ends), max(end for _, end in ends))
        self._write(paths, sources, ordered, objects, [*finder.unlisted.values()], span)
        return StatReport(
            self._out,
            tuple(path.name for path in paths),
            len(list(objects)),
            sum(len(parts.specs) for parts in sources.values()),
            sum(samples.times.size for samples in ordered.values()),
            tuple(sorted({interval_s for _, interval_s in sources})),
            span.start,
            span.end,
            tuple(self._notes),
            self._total,
            time.monotonic() - begun,
        )

    def _read(self, paths: Sequence[Path]) -> tuple[list[StatFile], Objects]:
        tables, files = [], []
        for path in paths:
            if is_inventory(path):
                tables.append(read_inventory(path))
            else:
                files.append(_named(read_samples(path, self._forms, self._tell)))
                self._note_losses(files[-1])
            self._done += path.stat().st_size
        if not files:
            raise BadInputError(
                f"{shown(paths[0].name)} has no samples, only the inventory.",
                advice="Import what Get-Stat returned with it.",
            )
        objects = Objects(self._catalogue, server_in(tables) or _UNNAMED)
        objects.add_inventory(tables)
        return files, objects

    def _ordered(self, parts: SourceParts) -> Samples:
        self._tell(0)
        samples, differing = parts.ordered()
        if differing:
            self._note(
                f"{format_count(differing)} samples are there twice with different values: of each the later "
                "one in the files was kept. Objects of one name without EntityId look like that."
            )
        return samples

    def _write(
        self,
        paths: Sequence[Path],
        sources: Mapping[Of, SourceParts],
        ordered: Mapping[Of, Samples],
        objects: Objects,
        parts_of_objects: Iterable[Entity],
        span: TimeRange,
    ) -> None:
        with ExitStack() as on_failure:
            writer = SessionWriter.create(self._out, title=_title(paths), durable=False, bulk=True)
            on_failure.callback(writer.discard)
            writer.add_entities(_parents_first([*objects.entities(), *parts_of_objects]))
            writer.add_facts(list(objects.facts(span.start)))
            for of, parts in sources.items():
                self._write_source(writer, parts, ordered[of], paths)
            self._tell(0)
            writer.close()
            on_failure.pop_all()
        if self._progress is not None:
            self._progress(self._total, self._total)

    def _write_source(
        self, writer: SessionWriter, parts: SourceParts, samples: Samples, paths: Sequence[Path]
    ) -> None:
        _, interval_s = parts.of
        zone = self._options.clock.zone_name(int(samples.times[-1]))
        about = (
            ("files", ", ".join(path.name for path in paths[:_MAX_NAMED])[:_LONGEST_TEXT]),
            ("read from", "Get-Stat of PowerCLI"),
            ("times in the files", zone),
        )
        source = writer.add_source(SourceSpec("vcenter", parts.name, float(interval_s), attributes=about))
        writer.update_source(source, state="importing")
        store(writer, source, parts.specs, parts.owners, samples, lambda: self._tell(0))
        writer.add_gaps(holes(source, interval_s, np.unique(samples.times)))

    def _tell(self, position: int) -> None:
        """Report progress a few times a second, and stop when asked to."""
        if self._cancel is not None and self._cancel.is_set():
            raise CancelledError("The import was stopped.", meaning="No session was written.")
        if self._progress is not None and time.monotonic() - self._told_at >= _TELL_EVERY_S:
            self._told_at = time.monotonic()
            self._progress(min(self._done + position, self._total), self._total)

    def _note(self, text: str) -> None:
        self._notes[text] = None

    def _note_intervals(self, file: StatFile, lengths: Sequence[int]) -> None:
        told = {self._forms.columns.get(name) for name in file.table.columns}
        if "interval" not in told and len(set(lengths)) > 1:
            steps = ", ".join(f"{one} s" for one in sorted(set(lengths)))
            self._note(
                f"{shown(file.path.name)} has no column IntervalSecs: each series was taken by its own steps "
                f"({steps})."
            )

    def _note_losses(self, file: StatFile) -> None:
        name = shown(file.path.name)
        if file.broken:
            self._note(f"{name} breaks off: {shown(file.broken)}. What came before was imported.")
        losses = (
            (file.unreadable, "more or fewer cells than the header"),
            (file.no_time, "no time"),
            (file.not_numbers, "a value that is no number"),
        )
        for count, what in losses:
            if count:
                rows = "1 row with" if count == 1 else f"{format_count(count)} rows with"
                self._note(f"{name}: {rows} {what} left out.")

    def _note_objects(self, finder: SeriesFinder, objects: Objects) -> None:
        for kind, series in finder.strange.items():
            self._note(f"{format_count(series)} series of {shown(kind)} left out: no session has those.")
        for name, kind in list(objects.guessed.items())[:_MAX_NAMED]:
            self._note(f"{shown(name)} was taken for a {kind}, by its counters: the files have no EntityId.")
        for counter, vms in finder.unjudged.items():
            self._note(
                f"{shown(counter)} of {_some(sorted(vms))} is kept in ms and not judged: no file tells how "
                "many vCPUs they have. Import `Get-VM | Export-Csv vms.csv` with it."
            )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return ", ".join(shown(name, 60) for name in names[:_MAX_NAMED]) + more


def _title(paths: Sequence[Path]) -> str:
    return f"Get-Stat: {_some([path.name for path in paths])}"


def _named(file: StatFile) -> StatFile:
    """The file, whose name is that of its object where it has neither Entity nor EntityId."""
    keys = [key if key.entity or key.entity_id else key._replace(entity=file.path.stem) for key in file.keys]
    return replace(file, keys=keys)


def _parents_first(entities: Iterable[Entity]) -> list[Entity]:
    """Entities, each once, with the one above each before it."""
    found: dict[EntityRef, Entity] = {}
    for one in entities:
        found.setdefault(one.ref, one)
    done: dict[EntityRef, Entity] = {}

    def add(one: Entity) -> None:
        if one.ref not in done:
            if one.parent is not None:
                add(found[one.parent])
            done[one.ref] = one

    for one in found.values():
        add(one)
    return list(done.values())
