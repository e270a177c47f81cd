"""Decodes what vSAN's performance service answers: for each entity lists of times and of values as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from connections.vsphere.soap import text_of
from connections.vsphere.vsan import Element
from sessions.model import FloatArray, IntArray

_FIRST_YEAR = 2000
"""The service has answered with samples of year 1 (telegraf issue 13609); vSAN is younger than this."""

_NO_COLUMN = re.compile(r"no such column:\s*([A-Za-z0-9_.]{1,100})")


@dataclass(frozen=True, slots=True)
class EntitySamples:
    """The samples of one entity. ``id`` is its UUID, for an uplink followed by ``|vmnic0``.

    ``times`` (n,): ms since 1970. ``values``: by label the numbers as the service gave them, (n,), NaN where
    there is none.
    """

    type: str
    id: str
    times: IntArray
    values: Mapping[str, FloatArray]

    @property
    def uuid(self) -> str:
        """The UUID of the host, disk, disk group or cluster."""
        return self.id.split("|")[0]


def decode(entities: Iterable[Element]) -> Iterator[EntitySamples]:
    """Yield the samples of a reply to VsanPerfQueryPerf; entities without any samples are left out."""
    for one in entities:
        kind, _, number = text_of(one, "entityRefId").partition(":")
        stamps = [_instant(text) for text in _listed(text_of(one, "sampleInfo"))]
        rows = [row for row, at in enumerate(stamps) if at]
        if not rows or not number:
            continue
        values: dict[str, FloatArray] = {}
        for series in one.findall("{*}value"):
            numbers = [_number(text) for text in _listed(text_of(series, "values"))]
            if len(numbers) == len(stamps):  # else nobody knows which value is of which time
                values[text_of(series, "metricId", "label")] = np.array(numbers, np.float64)[rows]
        times = np.array([stamps[row] for row in rows], np.int64)
        yield EntitySamples(kind, number, times, {label: taken for label, taken in values.items() if label})


def missing_label(fault: str) -> str:
    """Return the label that hosts older than their vCenter lack, as a fault names it; empty for none."""
    found = _NO_COLUMN.search(fault)
    return found[1] if found else ""


def _listed(text: str) -> list[str]:
    return text.split(",") if text else []


def _instant(text: str) -> int:
    """The time (ms), UTC; 0 for what is no time."""
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        return 0
    if at.year < _FIRST_YEAR:
        return 0
    return round(at.replace(tzinfo=at.tzinfo or UTC).timestamp() * 1000)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return np.nan
    return value if 0 <= value < np.inf else np.nan
