"""What devices share that are slow or fail over one way: an adapter, or one port of the array behind it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from string import Formatter

import msgspec

_PLACES = {"part", "host", "number", "devices", "worst", "best", "paths"}


class Way(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How findings of devices that share a bad way become one, of what they share.

    Where the ``cause`` of a device's finding is likely, its paths are those of the signal ``signal``; those
    are bad whose mean over the finding is at least the threshold ``limit`` and ``part`` of the worst. What
    the paths share is bad if all paths of the host through it are, by the signal ``around``: a whole adapter,
    else one target of it.

    The sentences may have the places ``part`` (vmhba3, vmhba3:C0:T1), ``host``, ``number`` and ``devices``,
    ``worst`` and ``best`` (the numbers over it, and over the other ways) and ``paths``. ``adapter`` are the
    steps for an adapter, ``target`` for one of its targets, ``either`` where the adapter has but one;
    ``networked`` are the steps for any of these where all that is bad is of adapters that the pattern
    ``networked_adapters`` matches whole: software adapters, which have no cable of their own.
    """

    cause: str
    signal: str
    around: str
    limit: str
    part: str
    conclusion: str
    on_hosts: str
    adapter: list[str]
    target: list[str]
    either: list[str]
    networked: list[str] = []
    networked_adapters: str = ""

    @property
    def steps(self) -> list[str]:
        """The steps of all kinds of ways."""
        return [*self.adapter, *self.target, *self.either, *self.networked]

    def steps_for(self, kind: str, parts: Iterable[str]) -> list[str]:
        """The steps for a bad way of a kind (adapter, target, either) and for what is bad of it, by name."""
        adapters = [part.partition(":")[0] for part in parts]
        if self.networked and all(re.fullmatch(self.networked_adapters, one) for one in adapters):
            return self.networked
        return {"adapter": self.adapter, "target": self.target, "either": self.either}[kind]

    def check(
        self,
        signals: Collection[str],
        thresholds: Collection[str],
        causes: Collection[str],
        refuse: Callable[[str, str], Exception],
    ) -> None:
        """Raise what ``refuse`` makes of the first thing that is wrong."""
        for name, known in (
            (self.signal, signals), (self.around, signals), (self.limit, thresholds),
            (self.part, thresholds), (self.cause, causes),
        ):  # fmt: skip
            if name not in known:
                raise refuse("way", f"there is no {name!r}")
        for text in (self.conclusion, self.on_hosts, *self.steps):
            places = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
            if unknown := places - _PLACES:
                raise refuse("way", f"there is no place {min(unknown)!r}")
