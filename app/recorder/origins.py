"""From the words of the command line to collectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from collectors.feed import Collector
from collectors.lab.live import LabCollector, parse_lab_address
from resources.failures import UsageError


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options say about all sources."""

    speed: float = 1.0


def collector_of(source: str, wishes: Wishes) -> Collector:
    """The collector of a source. Raises UsageError for a word that names none, NotFoundError …"""
    scheme = source.partition(":")[0].lower()
    if scheme not in _SCHEMES:
        raise UsageError(
            "A source begins with vcenter://, esxi:// or lab:.",
            advice="For instance vcenter://administrator@vsphere.local@vc01.lab, or lab:demo.",
        )
    return _SCHEMES[scheme](source, wishes)


def _lab(source: str, wishes: Wishes) -> Collector:
    return LabCollector(parse_lab_address(source), speed=wishes.speed)


_SCHEMES: dict[str, Callable[[str, Wishes], Collector]] = {"lab": _lab}


def require_distinct(names: Sequence[str]) -> None:
    """Raise UsageError where a source is named twice."""
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise UsageError(f"{min(twice)} is named twice.")
