"""What must hold among a reply's numbers, whatever the host does: checks of whether it was read rightly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from collectors.esxtop_service.reply import Records, Reply
from resources.esxtop_records import EsxtopRecords, Identity, load_esxtop_records
from resources.units import format_count
from sessions.model import FloatArray


@dataclass(frozen=True, slots=True)
class Check:
    """An identity looked up in a reply.

    ``records`` that it is about, ``broken`` of them where it does not hold; ``worst`` is how far off
    the worst is, in units of the fields.
    """

    identity: Identity
    records: int
    broken: int
    worst: float

    @property
    def holds(self) -> bool:
        """True if it holds for all records that it is about."""
        return self.broken == 0

    def sentence(self) -> str:
        """Return one sentence for people."""
        name = self.identity.name[0].upper() + self.identity.name[1:]
        if self.holds:
            return f"{name}: holds for all {format_count(self.records)} of {self.identity.record}."
        return (
            f"{name}: does not hold for {format_count(self.broken)} of {format_count(self.records)} "
            f"of {self.identity.record}; {self.worst:g} off at worst."
        )


def check(reply: Reply, known: EsxtopRecords | None = None) -> tuple[Check, ...]:
    """Look up all identities whose fields the reply has."""
    known = known or load_esxtop_records()
    found = (_check(reply, identity, known) for identity in known.identity)
    return tuple(one for one in found if one is not None)


def _check(reply: Reply, identity: Identity, known: EsxtopRecords) -> Check | None:
    if identity.record not in reply or not len(reply[identity.record]):
        return None
    records = reply[identity.record]
    left = _sum(reply, records, identity.left, known)
    if left is None:
        return None
    if identity.relation == "alike in a core":
        return _alike(reply, identity, left)
    right = _sum(reply, records, identity.right, known)
    if right is None:
        return None
    concerned = np.ones(len(records), dtype=np.bool_)
    if identity.only:
        if identity.only not in records:
            return None
        concerned = records.counts(identity.only) != 0
    off = left - right if identity.relation == "equal" else np.minimum(left - right, 0.0)
    allowed = np.maximum(identity.absolute, identity.relative * np.abs(right))
    return _result(identity, np.abs(off)[concerned], allowed[concerned])


def _result(identity: Identity, off: FloatArray, allowed: FloatArray) -> Check:
    # NaN is a number that is none: it breaks whatever it is part of.
    broken = int(np.count_nonzero(~(off <= allowed)))
    worst = float(np.max(np.nan_to_num(off, nan=np.inf), initial=0.0))
    return Check(identity, len(off), broken, worst)


def _sum(reply: Reply, records: Records, fields: Sequence[str], known: EsxtopRecords) -> FloatArray | None:
    total = np.zeros(len(records))
    for name in fields:
        child, dot, field = name.partition(".")
        if dot:
            if child not in reply or field not in reply[child]:
                return None
            children = reply[child]
            mine = children.parent >= 0
            if known.parent_of(child) != records.type.name:
                return None
            total += np.bincount(children.parent[mine], children.numbers(field)[mine], minlength=len(records))
        elif name in records:
            total += records.numbers(name)
        else:
            return None
    return total


def _alike(reply: Reply, identity: Identity, values: FloatArray) -> Check | None:
    """Whether all threads of a core have the same value; threads of a core follow one another."""
    if "PCPU" not in reply or not {"NumOfLCPUs", "NumOfCores"} <= {f.name for f in reply["PCPU"].type.fields}:
        return None
    package = reply["PCPU"]
    cores = float(package.numbers("NumOfCores").sum())
    threads = len(values) / cores if cores else 0.0
    if threads < 2 or not threads.is_integer():
        return None
    by_core = values.reshape(-1, int(threads))
    off = by_core.max(axis=1) - by_core.min(axis=1)
    return _result(identity, off, np.full(len(off), identity.absolute))
