"""Exports a scenario as a vCenter would show it: the inventory, and samples of vCenter's own counters, of
20 s or rolled up.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from lab.esxtop_export import whole_files
from lab.lab import Lab
from lab.recording import Progress
from lab.seen import TOGETHER, Seen
from lab.vcenter_extras import Extras
from lab.vcenter_inventory import Json, LowestLimits, TierReads, inventory
from lab.vcenter_series import INTERVAL_S, Line, Sampler, as_one, is_archived, plan_series
from lab.vcenter_vsan import VsanService
from resources.catalogue import Catalogue, load_catalogue
from resources.failures import CancelledError
from resources.stopping import StopSignal
from sessions.model import FloatArray, IntArray

FORMAT = 1


def vcenter_document(
    lab: Lab,
    *,
    duration_s: float | None = None,
    catalogue: Catalogue | None = None,
    interval_s: int = INTERVAL_S,
    level: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancel: StopSignal | None = None,
) -> Json:
    """Run the lab and return the document that ``export_vcenter`` writes.

    ``interval_s`` other than 20 gives the rollups that a vCenter keeps, ``level`` leaves only the counters
    that it keeps at this statistics level (1 to 4; None: all that it samples in real time).
    A cluster with vSAN has what its performance service tells under ``vsan``.
    ``series`` hold integers, one for each ``interval_s``; −1 is absent. A limit that was set during the run
    is listed as if it had always been there, with an event at the time when it was set; one that is taken
    away again is a fact with its times. Raises
    CancelledError.
    """
    total = lab.duration_s if duration_s is None else duration_s
    view = VcenterView(lab, total, catalogue=catalogue, interval_s=interval_s, level=level)
    for begin in range(0, view.ticks, TOGETHER):
        if cancel is not None and cancel.is_set():
            raise CancelledError("The export of the lab was stopped.", meaning="No file was written.")
        seen = lab.steps(min(TOGETHER, view.ticks - begin))
        view.take(seen)
        if progress is not None:
            progress(Progress((begin + len(seen)) * lab.tick_s, total, view.values))
    return view.document()


class VcenterView:
    """Watches a lab that somebody else lets run, tick by tick, as its vCenter; see ``vcenter_document`` for
    the parameters. ``ticks`` is how many of them it wants.
    """

    def __init__(
        self,
        lab: Lab,
        seconds: float,
        *,
        catalogue: Catalogue | None = None,
        interval_s: int = INTERVAL_S,
        level: int | None = None,
    ) -> None:
        self._lab, self._interval_s = lab, interval_s
        extras = Extras(lab)
        known = catalogue or load_catalogue()
        lines = plan_series(lab, extras, known, interval_s)
        if level is not None:
            lines = [line for line in lines if is_archived(line, known, level)]
        self._lines = lines
        self._every = round(interval_s / lab.tick_s)
        self.ticks = max(1, int(seconds / interval_s)) * self._every
        self._number = 0
        self._sampler, self._limits = Sampler(lab, extras, lines), LowestLimits(lab.parameters)
        self._tiers = TierReads(lab)
        self._vsan = VsanService(lab) if lab.vsan is not None else None
        self._samples: list[FloatArray] = []

    @property
    def values(self) -> int:
        """How many values were sampled so far."""
        return len(self._samples) * len(self._lines)

    def take(self, seen: Seen) -> None:
        """Look at the ticks that the lab has just gone on by."""
        first, every = self._number, self._every
        ends = [at for at in range(len(seen)) if (first + at) % every == every - 1]
        self._samples += self._sampler.take(seen, ends)
        if self._vsan is not None:
            self._vsan.take(seen)
        self._limits.update(seen.parameters, [(first + at) // every for at in range(len(seen))])
        for at in ends:
            self._tiers.take(seen.memory.tier_read[at], (first + at + 1) * self._lab.tick_s)
        self._number += len(seen)

    def document(self, *, as_lists: bool = True) -> Json:
        """Return what was seen, and the inventory as it is now; ``as_lists`` False leaves the values of
        series in arrays, of which no JSON can be made.
        """
        lab = self._lab
        lines, samples = as_one(self._lines, np.stack(self._samples))
        whole = samples.astype(np.int64).T
        return {
            "format": FORMAT, "scenario": lab.scenario.id, "seed": lab.seed, "interval_s": self._interval_s,
            "ticks": len(self._samples), "start_ms": lab.start_ms,
            **inventory(lab, self._limits, self._tiers.facts),
            "series": _series(lines, whole, as_lists=as_lists),
            **({"vsan": self._vsan.document()} if self._vsan is not None else {}),
        }  # fmt: skip


def export_vcenter(
    lab: Lab,
    out: Path,
    *,
    duration_s: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancel: StopSignal | None = None,
) -> Path:
    """Write the document as gzipped JSON for the test vCenter; return the file.

    ``out`` appears only when it is complete. Raises AlreadyExistsError, NotFoundError (no such folder),
    AccessDeniedError, DiskFullError, CancelledError.
    """
    with whole_files([out]) as (stream,):
        document = vcenter_document(lab, duration_s=duration_s, progress=progress, cancel=cancel)
        with gzip.GzipFile(fileobj=stream, mode="wb", filename="", mtime=0) as packed:
            packed.write(json.dumps(document, separators=(",", ":")).encode())
    return out


def read_vcenter(file: Path) -> Json:
    """Read a file that ``export_vcenter`` wrote."""
    document: Json = json.loads(gzip.decompress(file.read_bytes()))
    return document


def _series(lines: Sequence[Line], values: IntArray, *, as_lists: bool) -> list[Json]:
    return [
        {"object": line.object, "counter": line.counter, "instance": line.instance, "values": row}
        for line, row in zip(lines, values.tolist() if as_lists else values, strict=True)
    ]
