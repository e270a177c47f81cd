"""Lab scenarios, read from TOML: what is injected where and when, and what an expert would conclude."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal

import msgspec

from resources.failures import NotFoundError
from resources.toml_files import RESOURCES, checked, knowledge_error, knowledge_files, read_toml
from sessions.model import Kind

LoadLevel = Literal["low", "normal", "high"]
ScenarioKind = Literal["problem", "lookalike", "healthy", "demo", "test"]
RoleKind = Literal[
    "vm", "host", "device", "array", "datastore", "nic", "pool", "cluster", "vsan_disk", "vcenter"
]  # fmt: skip
View = Literal["esxtop", "vcenter"]
Range = tuple[float, float]

STAGES = ("stage", "second", "third", "fourth")
"""Host roles that every scenario has without casting them: the lab's hosts in a seeded order."""
CLUSTER_ROLE = "cluster"
"""The role of the whole cluster, which every scenario has as well."""
VCENTER_ROLE = "vcenter"
"""The role of the vCenter itself, which every scenario has for its truth."""


class Role(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part in the scenario: which entities the seed may choose, and how they are configured.

    ``kind`` vm: ``count`` VMs on host role ``on``; every other field left out keeps what the seed gave the
    VM. ``disk_on`` is the device or datastore role that its disks lie on, ``uplink`` the vmnic of its port,
    ``cpu_shares`` shares per vCPU (normal is 1000), ``node`` its home NUMA node, ``pcpus`` how many PCPUs
    it is pinned to (0: not pinned), ``swapped``/``hot`` the share of its memory that is swapped out at the
    start, and how much of that it will want back; ``balloon`` the share that is ballooned at the start;
    ``compressible`` how much of its memory compresses well; ``snapshots`` how many its disks have.
    ``moved_from`` is an earlier role of VMs: these are the same VMs on host ``on``, to which they come while
    those leave theirs (``vm.away``).
    ``kind`` device: a LUN of ``array``; ``kind`` nic: ``uplink`` of host ``on``; ``kind`` array, datastore,
    pool: the one named in ``array`` or ``pool``; ``kind`` vsan_disk: the first capacity disk of host ``on``.
    """

    kind: RoleKind
    on: str = "stage"
    count: tuple[int, int] = (1, 1)
    extra: bool = False
    workload: str = ""
    vcpus: tuple[int, ...] = ()
    mem_gb: tuple[int, ...] = ()
    cpu: Range | None = None
    cpu_shares: int | None = None
    cpu_limit: Range | None = None
    cpu_reservation: Range | None = None
    mem_limit: Range | None = None
    mem_reservation: Range | None = None
    touched: Range | None = None
    active: Range | None = None
    tools: bool | None = None
    pool: str = ""
    node: int | None = None
    pcpus: int = 0
    disk_on: str = ""
    ring: int | None = None
    snapshots: int = 0
    uplink: tuple[int, ...] = ()
    swapped: Range | None = None
    hot: Range | None = None
    compressible: float | None = None
    balloon: Range | None = None
    array: Literal["hybrid", "flash"] = "hybrid"
    moved_from: str = ""


class Inject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One cause put into the lab: a parameter of the physics that changes for some role, over time.

    The parameter goes to ``to`` (an absolute level) or to ``times`` its usual value. The injection starts
    ``at`` seconds, takes ``ramp`` seconds to full strength, and ``lasts`` so many seconds (absent: to the
    end). With ``every`` it recurs at that interval, for ``lasts`` seconds each time. ``along`` names an
    earlier injection: ``at`` then counts from the start of that one. ``until`` names an earlier one at whose
    start this one ends. Ranges are drawn by the seed. ``which`` selects vCPUs of a VM: all, or the first or
    last only.
    """

    parameter: str
    on: str
    to: Range | None = None
    times: Range | None = None
    at: Range = (0.0, 0.0)
    along: int | None = None
    until: int | None = None
    ramp: Range = (0.0, 0.0)
    lasts: Range | None = None
    every: Range | None = None
    which: Literal["all", "first", "last"] = "all"


class Expect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A problem that must be found on each entity of a role. ``inject`` is the injection whose times it has.

    ``delay`` is how many seconds after that injection's start the symptom begins to show. ``severity`` info
    means worth knowing, but harmless at present. ``cause`` is the first cause; several are separated by a
    bar, and without one any will do. ``instead`` are problems that say the same of the entity.
    ``named`` is what a pool or a device is called: by its VMs or its LUN, or by the pool or datastore
    itself. ``views`` are the sources that show the problem.
    """

    problem: str
    on: str
    cause: str = ""
    inject: int = 0
    delay: float = 0.0
    severity: Literal["info", "warning"] = "warning"
    instead: tuple[str, ...] = ()
    named: Literal["members", "pool", "datastore"] = "members"
    views: tuple[View, ...] = ("esxtop", "vcenter")


class Allow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finding that may be reported as well: a consequence of what was injected.

    ``on`` is a role; a host role stands for everything on that host; ``*`` is any entity.
    """

    problem: str
    on: str = "*"


class Tell(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An event of the vCenter on each entity of a role: ``kind`` as recorded (vmotion, snapshot …).

    It begins and ends with injection ``inject``; ``lasts`` is false for an event of a moment, which is the
    end of the injection with ``at_end``. In ``text`` ``{name}`` stands for the entity, ``{host}`` for the
    host of a VM and ``{to}`` for the host that it moves to.
    """

    kind: str
    on: str
    text: str
    inject: int = 0
    lasts: bool = True
    at_end: bool = False


class Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fact that the vCenter knows of each entity of a role, from the start or from an injection on."""

    name: str
    on: str
    value: float | str | bool
    inject: int | None = None


class Site(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The hardware that a scenario requires; the seed draws the rest.

    ``threads`` is how many hyper-threads a core has. ``headroom`` is host memory over the memory that its VMs
    may use (below 1: overcommitted); it applies to the stage host only, as does ``crowd``, the number of
    additional small VMs. ``depth`` is the LUN queue depth, ``balloon_most`` is Mem.CtlMaxPercent as a
    fraction. ``hosts`` is their number, ``per_host`` how many VMs each has (0: by its cores), ``workloads``
    which roles the VMs may have (all if empty). ``storage`` is what the VMs' disks lie on: arrays of disks
    and of flash, NVMe alone, NFS alone, or vSAN: of the original architecture with disks or with flash for
    capacity, or of the express architecture. ``tiering`` is the hosts' NVMe memory over their DRAM (0: none);
    ``headroom`` is then of both together.
    """

    cores: tuple[int, ...] = (8, 10, 12)
    threads: int = 2
    headroom: Range = (1.3, 1.7)
    crowd: tuple[int, int] = (0, 0)
    uplink_mbps: tuple[int, ...] = (10_000,)
    depth: tuple[int, ...] = (64,)
    host_cache: bool = False
    balloon_most: float = 0.65
    policy: Literal["any", "high", "balanced"] = "any"
    hosts: int = 4
    per_host: int = 0
    workloads: tuple[str, ...] = ()
    storage: Literal["arrays", "nvme", "nfs", "vsan-hybrid", "vsan-flash", "vsan-express"] = "arrays"
    tiering: float = 0.0


class Workers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Equal VMs that do the load of tests, instead of most of the usual VMs.

    ``placement`` has a text for each host, with a letter for each of its VMs: H for those that get heavy CPU
    load in a test of DRS, L for light load. ``name`` is what their names begin with, ``background`` the
    number of other, quiet VMs on each host, ``spare_disks`` how many disks can be added to each.
    """

    placement: tuple[str, str, str, str]
    name: str = "sql"
    vcpus: int = 4
    mem_gb: int = 5
    background: int = 2
    spare_disks: int = 0


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One scenario. ``expert`` is what an expert would conclude from the counters, and why.

    ``not_in_vcenter`` says why vCenter's counters don't show the problem, if so. ``written_from`` is what its
    author had read: problem cards, or only the expert's text (then it tells how cards fare on what they
    were not made for).
    """

    id: str
    title: str
    kind: ScenarioKind
    minutes: tuple[int, int]
    load: tuple[LoadLevel, ...]
    expert: str
    problem: str = ""
    seconds: int = 0
    not_in_vcenter: str = ""
    site: Site = Site()
    workers: Workers | None = None
    cast: Mapping[str, Role] = {}
    inject: tuple[Inject, ...] = ()
    truth: tuple[Expect, ...] = ()
    also: tuple[Allow, ...] = ()
    tells: tuple[Tell, ...] = ()
    knows: tuple[Known, ...] = ()
    written_from: Literal["cards", "text"] = "cards"


Scenarios = Mapping[str, Scenario]
"""All scenarios by id, in the order of their ids."""


class Workload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The load of VMs of a role; ``resources/lab/site/workloads.toml`` gives the units."""

    name: str
    weight: int
    vcpus: tuple[int, ...]
    mem_gb: tuple[int, ...]
    cpu: float
    busy: float
    iops: float
    io_kb: float
    read_share: float
    outstanding: float
    tx: float
    rx: float
    packet: float
    touched: Range
    active: float


class Load(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A load level: host CPU utilisation to scale to, and the scale of I/O and network."""

    cpu: Range
    rate: float


class Workloads(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole of ``workloads.toml``."""

    load: Mapping[LoadLevel, Load]
    role: tuple[Workload, ...]


@cache
def load_workloads() -> Workloads:
    """Load the workloads of the lab's VMs. Raises KnowledgeError."""
    path = RESOURCES / "lab" / "site" / "workloads.toml"
    return checked(read_toml(path), Workloads, path)


@cache
def load_scenarios() -> Scenarios:
    """Load all scenarios of ``resources/lab``.

    Raises KnowledgeError that names the file and what is wrong.
    """
    return {scenario.id: scenario for scenario in _read_all()}


def find_scenario(scenarios: Scenarios, wanted: str) -> Scenario:
    """Return the scenario with an id. Raises NotFoundError that names the nearest ids."""
    if wanted in scenarios:
        return scenarios[wanted]
    close = [name for name in scenarios if wanted.casefold() in name.casefold()] or list(scenarios)
    raise NotFoundError(
        f"The lab has no scenario {wanted!r}.", advice=f"It has, for instance, {', '.join(close[:6])}."
    )


def _read_all() -> Iterator[Scenario]:
    for path in knowledge_files("lab")[0]:
        scenario = checked(read_toml(path), Scenario, path)
        faults = [*_faults(scenario)]
        if path.stem != scenario.id:
            faults.append(f"the id {scenario.id!r} is not the file's name")
        if faults:
            raise knowledge_error(path, "", "; ".join(faults))
        yield scenario


def _faults(scenario: Scenario) -> Iterator[str]:
    """What the types can't see: references to roles and injections."""
    known = {*scenario.cast, *STAGES[: scenario.site.hosts], CLUSTER_ROLE, VCENTER_ROLE}
    yield from _faults_of_cast(scenario, known)
    yield from _faults_of_injections(scenario, known)
    if scenario.workers is not None and not re.fullmatch(r"[HL]+(,[HL]+){3}", _placed(scenario.workers)):
        yield "the placement of its workers is not one text of H and L for each of four hosts"
    for expect in scenario.truth:
        if expect.on not in known:
            yield f"role {expect.on!r} of {expect.problem} is not cast"
        if scenario.inject and expect.inject >= len(scenario.inject):
            yield f"injection {expect.inject} of {expect.problem} is not there"
    yield from _faults_of_tales(scenario, known)
    for allow in scenario.also:
        if allow.on not in {*known, "*"}:
            yield f"role {allow.on!r} of {allow.problem} is not cast"


def _faults_of_tales(scenario: Scenario, known: set[str]) -> Iterator[str]:
    tales: tuple[Tell | Known, ...] = (*scenario.tells, *scenario.knows)
    for one in tales:
        if one.on not in known:
            yield f"role {one.on!r} of what vCenter says is not cast"
        if one.inject is not None and one.inject >= max(len(scenario.inject), 1):
            yield f"injection {one.inject} of what vCenter says is not there"


def _placed(workers: Workers) -> str:
    return ",".join(workers.placement)


def _faults_of_cast(scenario: Scenario, known: set[str]) -> Iterator[str]:
    for name, role in scenario.cast.items():
        if role.on not in STAGES:
            yield f"role {name} stands on {role.on!r}, which is not a host role"
        if role.disk_on and role.disk_on not in known:
            yield f"role {name} has its disks on {role.disk_on!r}, which is not cast"
        if role.moved_from and role.moved_from not in scenario.cast:
            yield f"role {name} is moved from {role.moved_from!r}, which is not cast"


def _faults_of_injections(scenario: Scenario, known: set[str]) -> Iterator[str]:
    for number, inject in enumerate(scenario.inject):
        if inject.on not in known:
            yield f"role {inject.on!r} of parameter {inject.parameter} is not cast"
        if inject.along is not None and inject.along >= number:
            which = f"{inject.along}, which does not come before it"
            yield f"parameter {inject.parameter} goes along with {which}"
        if inject.until is not None and inject.until >= number:
            which = f"{inject.until}, which does not come before it"
            yield f"parameter {inject.parameter} ends with {which}"
        if (inject.to is None) == (inject.times is None):
            yield f"parameter {inject.parameter} has neither or both of `to` and `times`"


ENTITY_KIND: Mapping[RoleKind, Kind] = {
    "vm": "vm", "host": "host", "device": "device", "array": "device",
    "datastore": "datastore", "nic": "nic", "pool": "vm", "cluster": "cluster", "vsan_disk": "vsan",
    "vcenter": "vcenter",
}  # fmt: skip
"""What kind of entity a truth on a role names; an array stands for its LUNs, a pool for its VMs."""
