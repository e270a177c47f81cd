"""Whether what a rule read was there for a part of the time only, as where a capture changes its columns."""

from __future__ import annotations

import numpy as np

from diagnosis.judged_rows import JudgedRows, KnownSamples
from diagnosis.signals import Scene
from sessions.distinct import distinct
from sessions.model import IntArray


def is_brief(scene: Scene, rows: JudgedRows, known: KnownSamples, enough: float) -> bool:
    """Return True if even the judged row with the most samples has less than the part ``enough`` of those
    that were to be had.

    A host is there as long as its source. Of what comes and goes its own time counts, but not a shorter one
    than that of others of its kind: where these have samples of other counters for longer, the columns of
    this rule ended, or had not begun. Samples that come and go, as of a latency that only I/O has, did not.
    """
    if rows.part >= enough:
        return False
    if all(ref.kind == "host" for ref in rows.refs):
        return True
    if rows.fullest < 0:
        return True
    return rows.samples < enough * (_longest_there(scene, rows, known) - 1) and _in_one_piece(
        scene, rows, enough
    )


def _longest_there(scene: Scene, rows: JudgedRows, known: KnownSamples) -> int:
    """Return the number of samples of the fullest series of all rows."""
    series = scene.topology.series
    found = [one for ref in rows.refs for one in series.of_entity(scene.source, ref)]
    return int(known.of(np.array(found, np.int64))[0].max(initial=0))


def _in_one_piece(scene: Scene, rows: JudgedRows, enough: float) -> bool:
    """Return True if the samples of the fullest row follow each other."""
    ids = _series_of(scene, rows.fullest)
    present = (~np.isnan(scene.table.rows(scene.source, ids))).any(axis=0)
    there = np.flatnonzero(present)
    return bool(there.size and there.size >= enough * (there[-1] - there[0] + 1))


def _series_of(scene: Scene, row: int) -> IntArray:
    """Return the series that the rule reads of a row."""
    found = []
    for name in scene.compiled.detecting():
        if scene.compiled.signals[name].counters:
            members = scene.members(name)
            mine = np.flatnonzero(members.row == members.unit[row])
            found += [ids[mine] for ids in members.ids.values()]
    every = distinct(np.concatenate(found)) if found else np.zeros(0, np.int64)
    return every[every >= 0]
