"""A session summarised for the start page: its worst finding, its size, and a sparkline of its load."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from resources.units import format_bytes, format_count
from sessions.findings import Finding
from sessions.model import FloatArray, Overview, Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from sessions.verdict_wording import clear_text
from sessions.verdicts import Verdict
from viewmodels.inventory_tree import host_and_vm_counts
from viewmodels.possible_samples import limits_of, possible_parts
from viewmodels.snapshot import Snapshot
from viewmodels.work import UnwatchedWork, Work

ALL_CLEAR = "No problem found"
"""How the summary of a session without a problem begins."""

_INSTANTS = 48


def sparkline(
    reader: SessionReader, series: Sequence[Series], span: TimeRange, work: Work | None = None
) -> tuple[float, ...]:
    """Read the mean of some series over a session at 48 instants, each value from 0 to 1 of the highest.

    What no host can have counts for nothing.
    """
    work = work or UnwatchedWork()
    curves: list[Overview] = []
    for one in series:
        work.check()
        overview = reader.overview(one.id, span, _INSTANTS)
        curves.append(possible_parts(overview, limits_of(one.counter, one.spec.unit)))
    return spark_of(curves, span)


def spark_of(curves: Sequence[Overview], span: TimeRange) -> tuple[float, ...]:
    """Return the mean of the curves at 48 instants, scaled so that the highest is 1; empty without a value.

    This is a thumbnail: gaps are interpolated in it.
    """
    at = np.linspace(span.start, span.end, _INSTANTS)
    rows = [_at(curve, at) for curve in curves]
    known = [row for row in rows if row is not None]
    if not known:
        return ()
    means = np.mean(known, axis=0)
    top = float(means.max())
    return tuple(round(float(value) / top, 3) for value in means) if top > 0 else ()


def _at(curve: Overview, at: FloatArray) -> FloatArray | None:
    present = np.isfinite(curve.mean)
    if not present.any():
        return None
    middle = (curve.start[present] + curve.end[present]) / 2
    values: FloatArray = np.interp(at, middle, curve.mean[present])
    return values


def session_summary(findings: Sequence[Finding], snapshot: Snapshot, verdict: Verdict) -> str:
    """Return one sentence: the worst problem and how many more there are, or that none was found."""
    roots = [finding for finding in findings if finding.consequence_of is None] or list(findings)
    problems = [finding for finding in roots if finding.severity != "info"]
    if not problems:
        return f"{clear_text(verdict)} · {session_size(snapshot)}"
    first = f"{problems[0].title}: {problems[0].entity_name}"
    more = f" and {format_count(len(problems) - 1)} more" if len(problems) > 1 else ""
    return f"{first}{more}"


def session_size(snapshot: Snapshot) -> str:
    """Return how large a session is: ``3 hosts · 41 VMs · 12 MB``."""
    counts = host_and_vm_counts([ref.kind for ref in snapshot.entities])
    parts = [text for count, text in counts if count]
    return " · ".join([*parts, format_bytes(snapshot.bytes)])
