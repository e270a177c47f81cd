"""Judges a test by its name: the table of all verdict functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from resources.failures import NotFoundError
from resources.foreign_text import shown
from resources.study_numbers import Studies
from wizards.flows.measured import Measured
from wizards.flows.verdict import MAX_NOTES, Verdict
from wizards.flows.verdicts import (
    cache_pair,
    dedup_prep,
    drs_balance,
    host_shares,
    io_sweep,
    iops_limit,
    sioc_shares,
    storage_ab,
    vm_density,
)
from wizards.flows.verdicts.phrases import counted

_MAX_LOST = 2
"""How many lost workers are named before they are counted."""

VERDICTS: Mapping[str, Callable[[Measured, Studies], Verdict]] = {
    "dedup-prep": dedup_prep.judge,
    "sioc-shares": sioc_shares.judge,
    "iops-limit": iops_limit.judge,
    "host-shares": host_shares.judge,
    "drs-balance": drs_balance.judge,
    "io-sweep": io_sweep.judge,
    "cache-pair": cache_pair.judge,
    "vm-density": vm_density.judge,
    "storage-ab": storage_ab.judge,
}


def judge(test: str, measured: Measured, studies: Studies) -> Verdict:
    """Return the verdict of a test, with the workers that were lost among its notes.

    Raises NotFoundError for a test that nobody can judge.
    """
    if test not in VERDICTS:
        raise NotFoundError(f"There is no verdict for a test {shown(test)}.")
    found = VERDICTS[test](measured, studies)
    lost = [one.sentence() for one in measured.lost[:_MAX_LOST]]
    if (more := len(measured.lost) - len(lost)) > 0:
        lost.append(f"{counted(more, 'more worker')} {'was' if more == 1 else 'were'} lost.")
    return replace(found, notes=(*lost, *found.notes)[:MAX_NOTES])
