"""The ladder of one block: can the storage read one 4 KB block only one I/O after the other?

All duplicates of all VMs end up in such blocks; the study measured 0.0945 ms for each I/O of a single one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, nan

from diagnosis.statistics.curves import SerialService, serial_service
from diagnosis.statistics.ratio import mean_of_rounds
from resources.study_numbers import DedupStudy, Studies
from resources.units import format_value
from sessions.journal import Figure
from wizards.flows.measured import Measured
from wizards.flows.verdicts.phrases import figure

STEP = "one block"


@dataclass(frozen=True, slots=True)
class Ladder:
    """The latency of one block by outstanding I/Os of all workers, the server that explains it, and the
    penalty.

    ``penalty`` is one block's latency to that of the whole disk at ``depth`` outstanding I/Os a disk;
    NaN if it was not measured.
    """

    latency: dict[float, float]
    server: SerialService | None
    penalty: float
    depth: float


def ladder(measured: Measured, studies: Studies) -> Ladder | None:
    """Return the ladder; None if one block was not measured."""
    block = _latencies(measured, STEP, studies)
    if len(block) < 2:
        return None
    whole = _latencies(measured, "depth", studies)
    shared = [depth for depth in block if depth in whole]
    wanted = studies.dedup.penalty_depth.value
    depth = min(shared, key=lambda one: abs(one - wanted), default=nan)
    penalty = block[depth] / whole[depth] if shared else nan
    server = serial_service(list(block), list(block.values()), studies.dedup.serial_misfit_percent.value)
    return Ladder(block, server, penalty, depth)


def figures(found: Ladder) -> list[Figure]:
    """Return the ladder's numbers."""
    rungs = [
        figure("latency of one block", f"depth {depth:g}", ms, "ms") for depth, ms in found.latency.items()
    ]
    server = found.server
    if server is not None:
        rungs.append(figure("service time of one block", "all", server.service_ms, "ms", server.points))
        rungs.append(figure("ceiling of one block", "all", server.ceiling_iops, "/s", server.points))
    if isfinite(found.penalty):
        rungs.append(figure("one block to whole disk", f"depth {found.depth:g}", found.penalty, "ratio"))
    return rungs


def note(found: Ladder, study: DedupStudy) -> str:
    """Return what the ladder shows, in a sentence."""
    server = found.server
    if server is None:
        return "One block is served in parallel: no serial server behind it."
    service, most = format_value(server.service_ms, "ms"), format_value(server.ceiling_iops, "/s")
    in_study = format_value(study.serial_ceiling_iops.value, "/s")
    text = f"One block is served serially: {service} an I/O, at most {most} (study: {in_study})"
    if isfinite(found.penalty):
        text += f"; {format_value(found.penalty, 'ratio')} times the whole disk's latency"
    return f"{text}."


def _latencies(measured: Measured, word: str, studies: Studies) -> dict[float, float]:
    by_depth: dict[float, list[float]] = {}
    for one in measured.rounds:
        if one.step.rpartition(" ")[0] == word and one.latency_ms() > 0:
            by_depth.setdefault(one.setting, []).append(one.latency_ms())
    sure = studies.judging.confidence.value
    return {depth: mean_of_rounds(values, sure)[0] for depth, values in sorted(by_depth.items())}
