"""Makes a plan: a test's description, what an environment has, and what somebody chose of it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace as with_fields

from resources.failures import UsageError
from resources.foreign_text import shown
from resources.guided_tests import (
    GuardsOfTest,
    GuidedTest,
    InputValue,
    Length,
    LengthOfTest,
    Role,
    StepChange,
    StepWork,
    Target,
    TestStep,
)
from sessions.journal import Setting
from wizards.flows.inputs import input_values
from wizards.flows.placements import placement_changes
from wizards.flows.plan import (
    Plan,
    PlannedChange,
    PlannedDisk,
    PlannedObject,
    PlannedPhase,
    PlannedWork,
    PlannedWorker,
)
from wizards.flows.surroundings import Surroundings, WorkerSeen
from workloads.environment import TestObject


@dataclass(frozen=True, slots=True)
class Choice:
    """What somebody chose; what is left out is chosen here.

    ``workers`` are names, all that answer if empty; ``critical`` is the name of the critical worker.
    ``objects`` are names or ids by what they are for (``datastore``, ``cluster``). ``make_disks`` says
    that each worker gets a disk of that many bytes, made by the run; None: only where a worker has none
    that can be used.
    """

    test: str
    length: Length = "full"
    inputs: Mapping[str, InputValue] = field(default_factory=dict)
    objects: Mapping[str, str] = field(default_factory=dict)
    workers: Sequence[str] = ()
    critical: str = ""
    make_disks: int | None = None
    seed: int = 1


def make_plan(test: GuidedTest, around: Surroundings, choice: Choice) -> Plan:
    """Return the plan of a test in an environment.

    Raises UsageError if the test can't be run there, or something that was chosen is not there.
    """
    if around.kind not in test.environments:
        raise UsageError(
            f"{test.title} can't be run in {shown(around.address[0])}.",
            advice=f"It needs {test.environments_text}.",
        )
    length = test.lengths[choice.length]
    values = input_values(test, length, choice.inputs)
    chosen = _chosen_objects(test, around, choice)
    workers = _workers(test, around, choice, chosen)
    maker = _Maker(test, length, values, chosen, workers, around)
    phases = tuple(maker.phases())
    named = {one.object for phase in phases for one in phase.changes} | {one.vm for one in workers if one.vm}
    wanted = {*named, *(one.object.id for one in chosen.values()), *_hosts(around, chosen)}
    objects = tuple(_planned(one) for one in around.objects if one.object.id in wanted)
    return Plan(
        test=test.id,
        environment=around.address,
        length=choice.length,
        seed=choice.seed,
        order=tuple(_order(test, length.rounds, phases, maker.repeated, choice.seed)),
        workers=workers,
        phases=phases,
        inputs=dict(values),
        chosen={name.replace(" ", "_"): one.object.id for name, one in chosen.items()},
        objects=objects,
        guards=_guards(test, around),
    )


KINDS = {"datastore": "Datastore", "datastore b": "Datastore", "cluster": "ClusterComputeResource"}
"""The kinds of the objects that are chosen, by what they are for."""


def _chosen_objects(test: GuidedTest, around: Surroundings, choice: Choice) -> dict[str, TestObject]:
    """Return the objects that the test is about: those that were named, else those with the most workers."""
    found: dict[str, TestObject] = {}
    if around.kind == "ssh":
        return found
    for name in test.objects:
        candidates = [one for one in around.of_kind(KINDS[name]) if one not in found.values()]
        wanted = choice.objects.get(name, choice.objects.get(name.replace(" ", "_"), ""))
        if test.datastore_types and not wanted and name != "cluster":
            candidates = [one for one in candidates if one.facts.get("type") in test.datastore_types]
        if wanted:
            candidates = [one for one in candidates if wanted in (one.object.name, one.object.id)]
        if not candidates:
            what = name.removesuffix(" b")
            raise UsageError(
                f"There is no {what} {shown(wanted)} here."
                if wanted
                else f"There is no {what} to choose here.",
                advice="Name one that the environment has.",
            )
        found[name] = max(candidates, key=lambda one: _workers_near(one, around))
    return found


def _workers_near(one: TestObject, around: Surroundings) -> int:
    """Count the workers that have a usable disk on a datastore, or a host in a cluster."""
    if one.object.kind == "Datastore":
        return sum(bool(worker.usable_disks(one.object.id)) for worker in around.workers)
    hosts = [around.host_of(worker) for worker in around.workers]
    return sum(host is not None and host.parent == one.object.id for host in hosts)


def _workers(
    test: GuidedTest, around: Surroundings, choice: Choice, chosen: Mapping[str, TestObject]
) -> tuple[PlannedWorker, ...]:
    seen = list(_seen_workers(around, choice, chosen))
    if test.one_host and not choice.workers:
        seen = _of_one_host(seen)
    most = test.workers_usual
    if most and around.kind != "ssh" and not choice.workers:  # each guest over ssh was named
        seen = seen[: max(most, test.workers_least)]
    if not seen:
        raise UsageError(
            "No worker answers there.", advice="Power on or mark VMs as workers, and install fio in them."
        )
    roles = _roles(test, seen, choice.critical)
    disk_gb = test.lengths[choice.length].disk_gb
    planned = [_worker(one, around, choice, chosen, disk_gb) for one in seen]
    return tuple(
        PlannedWorker(one.name, one.disks, roles[number], one.vm, one.host, one.shares, one.guest)
        for number, one in enumerate(planned)
    )


def _of_one_host(seen: Sequence[WorkerSeen]) -> list[WorkerSeen]:
    """Return the workers of the host that has most of them."""
    parents = [one.vm.parent if one.vm is not None else "" for one in seen]
    host = max(parents, key=parents.count, default="")
    return [one for one, parent in zip(seen, parents, strict=True) if parent == host]


def _seen_workers(
    around: Surroundings, choice: Choice, chosen: Mapping[str, TestObject]
) -> Iterator[WorkerSeen]:
    for name in choice.workers:
        if around.worker(name) is None:
            raise UsageError(
                f"There is no worker {shown(name)} here.", advice="Name one that 'test plan' lists."
            )
    store = chosen.get("datastore")
    for one in around.workers:
        if choice.workers and one.name not in choice.workers:
            continue
        # A worker that was not named takes part only where nothing has to be made for it.
        is_near = store is None or choice.make_disks is not None or one.usable_disks(store.object.id)
        if choice.workers or (one.facts is not None and (is_near or not any_near(around, store))):
            yield one


def any_near(around: Surroundings, store: TestObject | None) -> bool:
    """Return True if any worker has a usable disk on the datastore."""
    return store is not None and any(one.usable_disks(store.object.id) for one in around.workers)


def _roles(test: GuidedTest, seen: Sequence[WorkerSeen], critical: str) -> list[Role]:
    names = [one.name for one in seen]
    if critical and critical not in names:
        raise UsageError(f"{shown(critical)} is none of the workers.")
    if "critical" in test.roles:
        first = critical or names[0]
        return ["critical" if name == first else "competing" for name in names]
    if "heavy" in test.roles:
        profiles = [one.vm.facts.get("profile") if one.vm is not None else None for one in seen]
        if {"heavy", "light"} <= set(profiles):
            return ["heavy" if one == "heavy" else "light" for one in profiles]
        half = (len(names) + 1) // 2
        return ["heavy" if number < half else "light" for number in range(len(names))]
    return [""] * len(names)


def _worker(
    seen: WorkerSeen,
    around: Surroundings,
    choice: Choice,
    chosen: Mapping[str, TestObject],
    disk_gb: int,
) -> PlannedWorker:
    vm, host = seen.vm, around.host_of(seen)
    disks: list[PlannedDisk] = []
    for name in ("datastore", "datastore b"):
        store = chosen.get(name)
        if store is not None or name == "datastore":
            disks.append(_disk(seen, store, choice, "ab"[len(disks)], disk_gb))
    guest = seen.facts.guest if seen.facts is not None else "linux"
    return PlannedWorker(
        seen.name,
        tuple(disks),
        vm=vm.object.id if vm is not None else "",
        host=host.object.name if host is not None else "",
        guest=guest,
    )


def _disk(
    seen: WorkerSeen, store: TestObject | None, choice: Choice, letter: str, disk_gb: int
) -> PlannedDisk:
    usable = seen.usable_disks(store.object.id if store is not None else "")
    if usable and choice.make_disks is None:
        name, identity = usable[0]
        return PlannedDisk(name, identity.size_bytes, identity.path, identity.uuid)
    if seen.vm is None or store is None:
        why = seen.why or "No disk of it is empty, unused and has a serial number."
        raise UsageError(f"{shown(seen.name)} has no disk that a test may use.", meaning=why)
    size = choice.make_disks or disk_gb << 30
    return PlannedDisk(f"test-{letter}", size, datastore=store.object.id)


def _guards(test: GuidedTest, around: Surroundings) -> GuardsOfTest:
    """Return the test's guards; in the lab nobody is there who could be hurt by latency."""
    return with_fields(test.guards, bystander_ms=0.0) if around.kind == "lab" else test.guards


def _hosts(around: Surroundings, chosen: Mapping[str, TestObject]) -> set[str]:
    """Return the ids of the hosts of workers, and of those of a cluster that was chosen."""
    found = {worker.vm.parent for worker in around.workers if worker.vm is not None}
    cluster = chosen.get("cluster")
    if cluster is not None:
        found |= {one.object.id for one in around.of_kind("HostSystem") if one.parent == cluster.object.id}
    return found


def _planned(one: TestObject) -> PlannedObject:
    return PlannedObject(one.object.source, one.object.kind, one.object.id, one.object.name)


@dataclass
class _Maker:
    """Turns the steps of a test into phases of a plan; ``repeated`` are the names of those in rounds."""

    test: GuidedTest
    length: LengthOfTest
    values: Mapping[str, InputValue]
    chosen: Mapping[str, TestObject]
    workers: Sequence[PlannedWorker]
    around: Surroundings
    repeated: list[str] = field(default_factory=list)

    def phases(self) -> Iterator[PlannedPhase]:
        """Yield the phases in the order of their steps, each with a name of its own."""
        for step in self.test.step:
            if step.is_wanted(self.values) and (not step.only_in or self.around.kind in step.only_in):
                for phase in self._of_step(step):
                    if step.in_rounds:
                        self.repeated.append(phase.name)
                    yield phase

    def _of_step(self, step: TestStep) -> Iterator[PlannedPhase]:
        if step.each == "worker":
            for worker in self.workers:
                yield self._phase(step, [worker], worker.name, name=f"{step.step} {worker.name}")
        elif step.each == "worker count":
            for count in range(1, len(self.workers) + 1):
                yield self._phase(step, self.workers[:count], count)
        elif step.each:
            listed = self.values[step.each]
            for value in listed if isinstance(listed, tuple) else (listed,):
                yield self._phase(step, self.workers, value)
        else:
            yield self._phase(step, self.workers, "")

    def _phase(
        self, step: TestStep, workers: Sequence[PlannedWorker], value: object, name: str = ""
    ) -> PlannedPhase:
        word = step.step.replace("{value}", str(value))
        measures, length = step.kind == "measure", self.length
        return PlannedPhase(
            name=name or word,
            step=word,
            title=step.title.replace("{value}", str(value)),
            kind=step.kind,
            label=step.label.replace("{value}", str(value)),
            warm_up_s=float(length.warm_up_s) if measures else 0.0,
            steady_s=float(length.steady_s) if measures else 0.0,
            measure_s=step.seconds or (length.measure_s * step.longer if step.kind != "fill" else 0.0),
            settle_s=float(length.settle_s),
            setting=float(value) if isinstance(value, int | float) else None,
            wait=step.wait,
            ask=step.ask,
            changes=tuple(self._changes(step.changes, workers, value)),
            work=tuple(self._work(step.work, workers, value)),
            facts=step.facts,
        )

    def _changes(
        self, changes: Iterable[StepChange], workers: Sequence[PlannedWorker], value: object
    ) -> Iterator[PlannedChange]:
        for change in changes:
            if change.only_in and self.around.kind not in change.only_in:
                continue
            if change.setting == "host":
                yield from placement_changes(str(value), workers, self.around)
                continue
            wanted = self._filled(change.value, value)
            for target, disk in self._targets(change.of, workers):
                per_disk = change.setting.startswith("disk.")
                for one in disk if per_disk else [""]:
                    yield PlannedChange(
                        target, f"{change.setting}:{one}" if per_disk else change.setting, wanted
                    )

    def _targets(self, of: Target, workers: Sequence[PlannedWorker]) -> Iterator[tuple[str, list[str]]]:
        if of in self.chosen:
            yield self.chosen[of].object.id, []
            return
        for worker in workers:
            if of in ("workers", worker.role) and worker.vm:
                yield worker.vm, [disk.name for disk in worker.disks]

    def _work(
        self, works: Iterable[StepWork], workers: Sequence[PlannedWorker], value: object
    ) -> Iterator[PlannedWork]:
        for work in works:
            names = tuple(one.name for one in workers if not work.roles or one.role in work.roles)
            inputs = {name: _whole(self._filled(given, value)) for name, given in work.inputs.items()}
            on, off = (_whole(self._filled(one, value)) for one in (work.on_s, work.off_s))
            disks = () if not work.disk else self._disks_named("ab".index(work.disk))
            if names:
                yield PlannedWork(names, work.job, inputs, disks, float(on), float(off))

    def _disks_named(self, number: int) -> tuple[str, ...]:
        """Return the names that the workers' first or second disks have."""
        return tuple(dict.fromkeys(one.disks[number].name for one in self.workers if len(one.disks) > number))

    def _filled(self, template: Setting, value: object) -> Setting:
        """Return a value with ``{input}`` replaced by the input, and ``{value}`` by the repetition's
        value."""
        if not (isinstance(template, str) and template.startswith("{")):
            return template
        name = template.strip("{}")
        found = value if name == "value" else self.values[name]
        return found if isinstance(found, bool | int | float | str) else None


def _whole(value: Setting) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{shown(str(value))} is no number.")
    return int(value)


def _order(
    test: GuidedTest, rounds: int, phases: Sequence[PlannedPhase], repeated: Sequence[str], seed: int
) -> Iterator[str]:
    """Yield the phases' names in their order; those of rounds follow one another as the test says."""
    in_rounds, is_done = set(repeated), False
    for phase in phases:
        if phase.name not in in_rounds:
            yield phase.name
        elif not is_done:
            is_done = True
            yield from _rounds(test, rounds, list(repeated), random.Random(seed))  # noqa: S311 - an order, no secret


def _rounds(test: GuidedTest, rounds: int, names: list[str], chance: random.Random) -> Iterator[str]:
    if test.order == "case by case":
        values = [name.rpartition(" ")[2] for name in names]
        names = sorted(names, key=lambda name: values.index(name.rpartition(" ")[2]))
    for number in range(rounds):
        if test.order == "shuffled":
            shuffled = list(names)
            chance.shuffle(shuffled)
            yield from shuffled
            yield shuffled[0]  # the first again: what drifted meanwhile shows
        else:
            back = test.order == "there and back" and number % 2 == 1
            yield from reversed(names) if back else names
