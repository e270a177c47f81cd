"""Which storage paths lead to which device: as the inventory or the order of a capture's columns tells, or
worked out from the commands that both count.

A capture of esxtop names a path by adapter, target and LUN number, and a device by its own name. Where its
columns were sorted nothing in it says which belong together. But every command of a device goes over one of
its paths, so that the paths of one LUN number that together count what a device counts, sample by sample,
are its paths. A local disk is LUN 0, too: paths of an adapter that has one LUN number only are left out where
that fits better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import combinations

import numpy as np

from diagnosis.arrays import BoolArray
from diagnosis.samples import SampleTable
from diagnosis.topology import Topology
from sessions.model import EntityRef, FloatArray, SampleSource
from sessions.times import TimeRange

SAMPLES = 24
"""How many samples of the beginning are compared: with these the paths of a device are known."""
_Adapter = tuple[EntityRef | None, str]
_COMMANDS = "disk.commands"
_TOLD = "path.device"
_CLOSE = 0.03
"""How far counts of both may differ: a sample is printed with a few digits."""
_BUSY = 20.0
"""Commands a second from which a sample tells devices apart."""
_FEWEST = 6
_MOST_LEFT_OUT = 4
"""Adapters of one LUN number that a group of paths is looked at without, at most."""


def link_paths(source: SampleSource, topology: Topology, table: SampleTable) -> bool:
    """Tell the topology which paths lead to which device; returns True if later samples can't change that."""
    is_final = True
    told = topology.texts(_TOLD)
    for number in topology.sources:
        if any(path in told for path in topology.rows(number, "path")):
            _link_told(topology, number, told)
            continue
        groups = _by_lun(topology, number)
        axis = table.axis(number)
        if not groups or not axis.size:
            continue
        is_final = is_final and axis.size >= SAMPLES
        window = TimeRange(int(axis[0]), int(axis[min(SAMPLES, axis.size) - 1]))
        devices = topology.rows(number, "device")
        counts = _counts(
            source,
            topology,
            number,
            [*devices, *(one for choices in groups.values() for one in choices[0])],
            window,
        )
        for device, paths in _matches(devices, groups, counts):
            topology.add_below(number, device, paths)
    return is_final


def _link_told(topology: Topology, number: int, told: Mapping[EntityRef, str | float | bool]) -> None:
    """Link the paths of which the inventory or the capture tells the device."""
    places = {
        (topology.host(number, ref), topology.entity(ref).name): ref
        for ref in topology.rows(number, "device")
    }
    for path in topology.rows(number, "path"):
        device = places.get((topology.host(number, path), str(told.get(path, ""))))
        if device is not None:
            topology.add_below(number, device, [path])


def _by_lun(topology: Topology, source: int) -> dict[tuple[EntityRef | None, str], list[list[EntityRef]]]:
    """Which paths of a source may be one LUN's, by host and LUN number: all of the number, then fewer."""
    groups: dict[tuple[EntityRef | None, str], list[EntityRef]] = {}
    numbers: dict[_Adapter, set[str]] = {}
    for path in topology.rows(source, "path"):
        _, colon, lun = topology.entity(path).name.rpartition(":L")
        if colon:
            groups.setdefault((topology.host(source, path), lun), []).append(path)
            numbers.setdefault(_adapter(topology, source, path), set()).add(lun)
    lone = {adapter for adapter, luns in numbers.items() if len(luns) == 1}
    return {
        key: list(_choices({path: _adapter(topology, source, path) for path in paths}, lone))
        for key, paths in groups.items()
        if len(paths) > 1
    }


def _adapter(topology: Topology, source: int, path: EntityRef) -> _Adapter:
    return topology.host(source, path), topology.entity(path).name.partition(":")[0]


def _choices(paths: Mapping[EntityRef, _Adapter], lone: Set[_Adapter]) -> Iterator[list[EntityRef]]:
    """Yield all paths, then those that are left without one or more adapters of one LUN number."""
    may_go = sorted({adapter for adapter in paths.values() if adapter in lone}, key=lambda one: one[1])
    for number in range(len(may_go[:_MOST_LEFT_OUT]) + 1):
        for gone in combinations(may_go[:_MOST_LEFT_OUT], number):
            left = [path for path, adapter in paths.items() if adapter not in gone]
            if len(left) > 1:
                yield left


def _counts(
    source: SampleSource, topology: Topology, number: int, refs: Sequence[EntityRef], window: TimeRange
) -> dict[EntityRef, FloatArray]:
    """The commands of each entity at the instants of the window."""
    table = topology.series.of_counter(number, _COMMANDS)
    ids = {table[ref][""]: ref for ref in refs if ref in table and "" in table[ref]}
    found: dict[EntityRef, FloatArray] = {}
    if ids:
        for frame in source.read(np.array(sorted(ids), dtype=np.int64), window):
            for column, one in enumerate(frame.ids.tolist()):
                found[ids[one]] = frame.values[:, column]
    return found


def _matches(
    devices: Sequence[EntityRef],
    groups: Mapping[tuple[EntityRef | None, str], list[list[EntityRef]]],
    counts: Mapping[EntityRef, FloatArray],
) -> Iterator[tuple[EntityRef, list[EntityRef]]]:
    counted = [one for one in devices if one in counts]
    if not counted:
        return
    own = np.array([counts[one] for one in counted])
    for several in groups.values():
        for paths in several:
            if any(path not in counts for path in paths):
                break
            alike = np.flatnonzero(_is_same(own, np.sum([counts[path] for path in paths], axis=0)))
            if alike.size == 1:
                yield counted[int(alike[0])], paths
                break


def _is_same(devices: FloatArray, together: FloatArray) -> BoolArray:
    """Which of the devices, one a row, count at every instant what is counted ``together``; shape (rows,)."""
    with np.errstate(invalid="ignore"):
        busy = devices >= _BUSY
        close = np.abs(devices - together) <= _CLOSE * devices
    alike: BoolArray = (busy.sum(axis=1) >= _FEWEST) & (close | ~busy).all(axis=1)
    return alike
