"""Where VMs were by hand and by DRS, as two matrices of a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from resources.foreign_text import shown
from resources.study_numbers import Studies
from resources.units import format_value
from viewmodels.host_domains import shared_domain, without
from wizards.flows.measured import Measured
from wizards.flows.result_sheet import HostRow, PlacedVm, PlacementView

_SHORT = 6


def placements_of(measured: Measured, studies: Studies, case: str = "") -> Iterator[PlacementView]:
    """Yield the placement by hand and the one by DRS; of several cases the one that is named, else the most
    unequal.
    """
    names = [step.removeprefix("hand ") for step in measured.placements if step.startswith("hand ")]
    known = [name for name in names if f"drs {name}" in measured.placements]
    if not known:
        return
    demands = _demands(measured, studies)
    cores = measured.inputs.get("host_cores", studies.drs.host_cores.value)

    def imbalance(placed: Mapping[str, str]) -> float:
        used = _used(measured, placed, demands)
        mean = sum(used.values()) / len(used)
        return float((sum((one - mean) ** 2 for one in used.values()) / len(used)) ** 0.5)

    chosen = (
        case if case in known else max(known, key=lambda one: imbalance(measured.placements[f"hand {one}"]))
    )
    before, after = measured.placements[f"hand {chosen}"], measured.placements[f"drs {chosen}"]
    domain = shared_domain(_used(measured, before, demands))
    moved = {vm for vm, host in after.items() if before.get(vm) != host}
    for title, note, placed in (
        (f"{chosen}: placed by hand", "DRS manual, before", before),
        (f"{chosen}: placed by DRS", f"after {len(moved)} vMotions", after),
    ):
        spread = imbalance(placed)
        used = _used(measured, placed, demands)
        shown_moves = moved if placed is after else set()
        hosts = tuple(
            HostRow(without(domain, host), _vms(placed, host, demands, shown_moves), used[host] / cores * 100)
            for host in sorted(used)
        )
        step = f"{'drs' if placed is after else 'hand'} {chosen}"
        heavy = [one.iops("heavy") for one in measured.of_step(step)]
        words = f"Heavy VMs: {format_value(sum(heavy) / len(heavy), '/s')}." if heavy else ""
        yield PlacementView(title, note, f"imbalance {spread:.2f}", spread < 0.5, hosts, words)


def _demands(measured: Measured, studies: Studies) -> dict[str, float]:
    heavy = measured.inputs.get("heavy_cores", studies.drs.heavy_cores.value)
    light = measured.inputs.get("light_cores", studies.drs.light_cores.value)
    roles = {one.worker: one.role for each in measured.rounds for one in each.workers}
    vms = {vm for placed in measured.placements.values() for vm in placed}
    return {vm: light if roles.get(vm) == "light" else heavy for vm in vms}


def _used(measured: Measured, placed: Mapping[str, str], demands: Mapping[str, float]) -> dict[str, float]:
    hosts = {host for each in measured.placements.values() for host in each.values()}
    return {host: sum(demands[vm] for vm, on in placed.items() if on == host) for host in hosts}


def _vms(
    placed: Mapping[str, str], host: str, demands: Mapping[str, float], moved: set[str]
) -> tuple[PlacedVm, ...]:
    most = max(demands.values(), default=0.0)
    mine = sorted((vm for vm, on in placed.items() if on == host), key=lambda vm: (-demands[vm], vm))
    return tuple(PlacedVm(shown(vm), demands[vm] >= most, vm in moved) for vm in mine)
