"""A plan of a test: everything that will happen, as values that an admin reads and edits as a TOML file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

import msgspec

from resources.guided_tests import GuardsOfTest, InputValue, Length, Role, StepKind, Waits
from sessions.journal import ChangedObject, Setting

FORMAT = 1
MAX_WORKERS = 1000
MAX_PHASES = 2000
_DAY_S = 86_400

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=7 * _DAY_S)]
Bytes = Annotated[int, msgspec.Meta(ge=0, le=1 << 50)]
Number = Annotated[int, msgspec.Meta(ge=-(1 << 53), le=1 << 53)]
Real = Annotated[float, msgspec.Meta(ge=-1e18, le=1e18)]


class PlannedDisk(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A disk of a worker that the test uses.

    One that was given has the path, UUID and size that it must have; one that the run makes has its size and
    the id of its ``datastore``, and gets path and UUID when it was made.
    """

    name: Name
    size_bytes: Bytes
    path: str = ""
    uuid: str = ""
    datastore: str = ""

    @property
    def is_made(self) -> bool:
        """True if the run makes this disk, and removes it again."""
        return bool(self.datastore)


class PlannedWorker(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A worker, by its name; ``vm`` is the server's id of its VM. ``shares`` are those that it is due by."""

    name: Name
    disks: tuple[PlannedDisk, ...]
    role: Role = ""
    vm: str = ""
    host: str = ""
    shares: Annotated[float, msgspec.Meta(ge=0, le=1e9)] = 0.0
    guest: str = "linux"


class PlannedObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An object that the plan changes or watches, as its server knows it; changes refer to its ``id``."""

    source: str
    kind: str
    id: Name
    name: str

    @property
    def changed(self) -> ChangedObject:
        """The object as the journal names it."""
        return ChangedObject(self.source, self.kind, self.id, self.name)


class PlannedChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The value that a setting of an object has during a phase; without a value it is not set."""

    object: Name
    setting: Name
    value: bool | Number | Real | str | None = None


class PlannedWork(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What some workers do in a phase: a job of resources/fio with its inputs.

    ``disks`` are the names of those that they use, all if empty. With ``on_s`` they work so long, pause
    for ``off_s``, and so on to the end of the phase.
    """

    workers: tuple[Name, ...]
    job: Name
    inputs: Mapping[str, Number] = {}
    disks: tuple[Name, ...] = ()
    on_s: Seconds = 0.0
    off_s: Seconds = 0.0


class PlannedPhase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A phase. ``name`` is unique in the plan; phases of one ``step`` are judged together.

    ``setting`` is the value of what a sweep varies. Settings that an earlier phase changed and this one
    does not name are put back before it begins.
    """

    name: Name
    step: Name
    title: str
    kind: StepKind = "measure"
    label: str = ""
    warm_up_s: Seconds = 0.0
    steady_s: Seconds = 0.0
    measure_s: Seconds = 0.0
    settle_s: Seconds = 0.0
    setting: Real | None = None
    wait: Waits = ""
    ask: str = ""
    changes: tuple[PlannedChange, ...] = ()
    work: tuple[PlannedWork, ...] = ()
    facts: tuple[str, ...] = ()


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A test that can be run: ``order`` names the phases in the order in which they are run.

    A phase that stands in it several times is repeated. ``chosen`` are the ids of the objects that were
    chosen, by what they are for (``datastore``, ``cluster``). ``changes`` are settings that hold for the
    whole run.
    """

    test: Name
    environment: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=MAX_WORKERS)]
    length: Length
    seed: Annotated[int, msgspec.Meta(ge=1, le=1 << 31)]
    order: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=MAX_PHASES)]
    workers: Annotated[tuple[PlannedWorker, ...], msgspec.Meta(max_length=MAX_WORKERS)]
    phases: Annotated[tuple[PlannedPhase, ...], msgspec.Meta(min_length=1, max_length=MAX_PHASES)]
    format: int = FORMAT
    guest_user: str = ""
    inputs: Mapping[str, InputValue] = {}
    chosen: Mapping[str, str] = {}
    objects: tuple[PlannedObject, ...] = ()
    changes: tuple[PlannedChange, ...] = ()
    guards: GuardsOfTest = GuardsOfTest()

    def phase(self, name: str) -> PlannedPhase:
        """Return the phase of that name."""
        return next(one for one in self.phases if one.name == name)

    def worker(self, name: str) -> PlannedWorker:
        """Return the worker of that name."""
        return next(one for one in self.workers if one.name == name)

    def object(self, of: str) -> PlannedObject:
        """Return the object with that id."""
        return next(one for one in self.objects if one.id == of)

    def steps(self) -> Iterator[tuple[PlannedPhase, int]]:
        """Yield the phases in the order in which they are run, with the number of the repetition, from 1."""
        seen: dict[str, int] = {}
        for name in self.order:
            seen[name] = seen.get(name, 0) + 1
            yield self.phase(name), seen[name]


def planned_value(change: PlannedChange) -> Setting:
    """Return the value of a change as settings have it: numbers as floats."""
    value = change.value
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def run_name(phase: str, number: int) -> str:
    """Return the name that a run gives to a repetition of a phase: ``weighted, round 2``."""
    return f"{phase}, round {number}" if number > 1 else phase
