"""Loads how settings of a vCenter are changed: limits of values and waits, and what its refusals mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml

ACTING_FILE = RESOURCES / "vcenter" / "acting.toml"


class Waits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long tasks may take, in seconds; the file says what each is for. ``clock_rounds`` and
    ``host_clocks`` are numbers of questions and of hosts.
    """

    reconfigure_s: float
    relocate_s: float
    power_s: float
    shutdown_s: float
    first_poll_s: float
    max_poll_s: float
    in_doubt_s: float
    cancel_s: float
    clock_s: float
    clock_rounds: int
    host_clocks: int


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the inventory is read for the checks; the file says what each number is for. ``ignored`` are
    patterns of names of VMs.
    """

    page: int
    detailed_vms: int
    loaded_vms: int
    entities: int
    sample_s: float
    ignored: tuple[str, ...]


class GuestCalls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How guest operations are called; the file says what each number is for.

    ``busy``: types of faults, and ``busy_texts``: parts of the text of any fault, that mean "try again".
    """

    first_poll_s: float
    max_poll_s: float
    exchange_s: float
    ready_s: float
    begin_s: float
    transfer_s: float
    clock_rounds: int
    clock_tick_ms: float
    busy: tuple[str, ...]
    busy_texts: tuple[str, ...]


class Values(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lowest and the highest value that the API takes, of each setting that is a number."""

    iorm_threshold_ms: tuple[int, int]
    disk_shares: tuple[int, int]
    disk_iops_limit: tuple[int, int]
    drs_rate: tuple[int, int]


class Refusal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What faults of these types mean, and what to try."""

    types: tuple[str, ...]
    meaning: str
    advice: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    waits: Waits
    inventory: Reading
    guests: GuestCalls
    values: Values
    share_levels: dict[str, int]
    fault: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class Acting:
    """The checked content of acting.toml. ``share_levels``: the level's name by its number of shares;
    ``normal_shares``: those of a disk that was never given any.
    """

    waits: Waits
    inventory: Reading
    guests: GuestCalls
    values: Values
    share_levels: Mapping[int, str]
    normal_shares: int
    refusals: Mapping[str, Refusal]


@cache
def load_acting(path: Path = ACTING_FILE) -> Acting:
    """Load and check acting.toml. Raises KnowledgeError."""
    file = checked(read_toml(path), _File, path)
    refusals: dict[str, Refusal] = {}
    for refusal in file.fault:
        for type_name in refusal.types:
            if type_name in refusals:
                raise knowledge_error(path, type_name, "is there twice")
            refusals[type_name] = refusal
    levels = {shares: level for level, shares in file.share_levels.items()}
    normal = file.share_levels.get("normal")
    if normal is None:
        raise knowledge_error(path, "share_levels", "normal is missing")
    return Acting(file.waits, file.inventory, file.guests, file.values, levels, normal, refusals)
