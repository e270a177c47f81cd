"""Exports a scenario as a vCenter would show it: the inventory, and 20 s samples of
vCenter's own counters.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from lab.esxtop_export import whole_files
from lab.lab import Lab
from lab.physics import TICK_S
from lab.recording import Progress
from lab.vcenter_extras import Extras
from lab.vcenter_inventory import Json, LowestLimits, inventory
from lab.vcenter_series import INTERVAL_S, Line, Sampler, plan_series
from resources.catalogue import Catalogue, load_catalogue
from resources.failures import CancelledError
from resources.stopping import StopSignal
from sessions.model import FloatArray

FORMAT = 1
_TICKS = round(INTERVAL_S / TICK_S)


def vcenter_document(
    lab: Lab,
    *,
    duration_s: float | None = None,
    catalogue: Catalogue | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancel: StopSignal | None = None,
) -> Json:
    """Run the lab and return the document that ``export_vcenter`` writes.

    ``series`` hold integers, one for each ``interval_s``; −1 is absent. A limit that was set during the run
    is listed as if it had always been there, with an event at the time when it was set. Raises
    CancelledError.
    """
    total = lab.duration_s if duration_s is None else duration_s
    extras = Extras(lab)
    lines = plan_series(lab, extras, catalogue or load_catalogue())
    sampler, limits = Sampler(lab, extras, lines), LowestLimits(lab.parameters)
    samples: list[FloatArray] = []
    for number in range(max(1, int(total / INTERVAL_S)) * _TICKS):
        if cancel is not None and cancel.is_set():
            raise CancelledError("The export of the lab was stopped.", meaning="No file was written.")
        if lab.step():
            sampler.take()
        limits.update(number // _TICKS)
        if number % _TICKS == _TICKS - 1:
            samples.append(sampler.sample())
        if progress is not None:
            progress(Progress((number + 1) * TICK_S, total, len(samples) * len(lines)))
    return {
        "format": FORMAT, "scenario": lab.scenario.id, "seed": lab.seed, "interval_s": INTERVAL_S,
        "ticks": len(samples), "start_ms": lab.start_ms,
        **inventory(lab, limits), "series": _series(lines, np.stack(samples)),
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


def _series(lines: Sequence[Line], samples: FloatArray) -> list[Json]:
    values = samples.astype(np.int64).T.tolist()
    return [
        {"object": line.object, "counter": line.counter, "instance": line.instance, "values": row}
        for line, row in zip(lines, values, strict=True)
    ]
