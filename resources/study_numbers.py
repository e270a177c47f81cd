"""The studies' reference numbers and the limits by which tests are judged (resources/studies/*.toml).

Each number has a unit and a source. An admin's folder replaces single numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from resources.toml_files import checked, knowledge_error, knowledge_files, read_toml, shipped_once
from resources.typed_data import ready

__all__ = [
    "CacheStudy",
    "DedupStudy",
    "DrsStudy",
    "Judging",
    "Number",
    "OwnWorkload",
    "Placement",
    "Rule",
    "SiocStudy",
    "StorageStudy",
    "Studies",
    "SweepStudy",
    "load_studies",
]


class Number(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number with its unit (of resources.units) and where it comes from."""

    value: float
    unit: str
    source: str


class Judging(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What every test is judged by; the file says what each number means."""

    steady_window_s: Number
    steady_block_s: Number
    steady_drift_percent: Number
    steady_variation_percent: Number
    steady_confidence: Number
    confidence: Number
    floor_confidence: Number
    power: Number
    rounds_for_verdict: Number
    rounds_at_most: Number
    runtime_share: Number
    depth_reached_share: Number
    cpu_percent: Number
    little_percent: Number
    knee_gain_percent: Number


class DedupCounters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of a capacity disk's read latency (ms), the better one first."""

    capacity_latency: tuple[str, ...]


class DedupStudy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """W1: deduplication."""

    tolerance_points: Number
    same_seed_points: Number
    one_block_percent: Number
    decayed_share: Number
    misaligned_share: Number
    misaligned_points: Number
    old_fio: Number
    hot_disk_factor: Number
    serial_misfit_percent: Number
    penalty_depth: Number
    serial_ceiling_iops: Number
    counters: DedupCounters


class SiocCounters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of the counters that prove that SIOC acted, the better one first."""

    active: tuple[str, ...]
    normalised_latency: tuple[str, ...]
    queue_depth: tuple[str, ...]


class SiocStudy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """W2 and W2b: shares and limits."""

    ratio_least: Number
    ratio_most: Number
    active_percent: Number
    threshold_ms: Number
    redistribution_s: Number
    redistribution_share: Number
    idle_share: Number
    burst_least_s: Number
    gain_study_percent: Number
    limit_least: Number
    limit_most: Number
    limit_binding: Number
    cost_unit_bytes: Number
    flat_percent: Number
    hosts_least: Number
    counters: SiocCounters


class Placement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A placement of the study: what runs on each host, as ``3H1L`` (three heavy VMs and a light one)."""

    name: str
    hosts: tuple[str, ...]


class DrsStudy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """W3: balancing."""

    gain_least_percent: Number
    gain_most_percent: Number
    heavy_cores: Number
    light_cores: Number
    host_cores: Number
    order_tolerance_percent: Number
    worth_percent: Number
    moves_least: Number
    record_least_s: Number
    record_moves_percent: Number
    placement: tuple[Placement, ...]


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A best practice: ``text`` holds if ``fact`` is above ``above`` or below ``below``."""

    id: str
    fact: str
    text: str
    source: str
    above: float | None = None
    below: float | None = None

    def speaks(self, facts: Mapping[str, float]) -> bool:
        """Return True if the fact is known and beyond the limit."""
        fact = facts.get(self.fact)
        if fact is None:
            return False
        return (self.above is not None and fact > self.above) or (
            self.below is not None and fact < self.below
        )


class SweepStudy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """W5: sweeps, and the study's best practices."""

    variation_percent: Number
    drift_percent: Number
    rule: tuple[Rule, ...]


class CacheStudy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """W8: cache and VM density."""

    read_part: Number
    iops_factor: Number
    latency_factor: Number
    read_factor: Number
    write_factor: Number
    vm_iops: Number
    at_cap_share: Number
    density_study: Number
    hit_percent: Number


class StorageStudy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """W9: one storage against another."""

    margin_percent: Number
    level: Number
    percentile: Number


class OwnWorkload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a recorded workload becomes a job, and how near it came."""

    near: Number
    far: Number
    sequential_blocks: Number
    local_blocks: Number
    split_percent: Number
    commands_least: Number


class Studies(msgspec.Struct, frozen=True):
    """All of them, one for each file."""

    judging: Judging
    dedup: DedupStudy
    sioc: SiocStudy
    drs: DrsStudy
    sweep: SweepStudy
    cache: CacheStudy
    storage: StorageStudy
    workload: OwnWorkload


@shipped_once
def load_studies(extra_dirs: Sequence[Path] = ()) -> Studies:
    """Load the numbers; a number of the same name in ``studies/*.toml`` of ``extra_dirs`` replaces ours.

    Raises KnowledgeError for a number that is missing, unknown, or has no source.
    """
    read: dict[str, dict[str, object]] = {}
    last: dict[str, Path] = {}
    for place in knowledge_files("studies", extra_dirs):
        for path in place:
            read.setdefault(path.stem, {}).update(read_toml(path))
            last[path.stem] = path
    names = {field.name: field.type for field in msgspec.structs.fields(Studies)}
    for unknown in read.keys() - names.keys():
        raise knowledge_error(last[unknown], "", f"there is no study {unknown}")
    parts = {name: checked(read[name], kind, last[name]) for name, kind in names.items()}
    for name, part in parts.items():
        for entry in msgspec.structs.fields(type(part)):
            number = getattr(part, entry.name)
            if isinstance(number, Number) and not number.source:
                raise knowledge_error(last[name], entry.name, "it has no source")
    return msgspec.convert(parts, ready(Studies))
