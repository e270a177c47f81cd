"""What an environment offers for a test, and what was chosen of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from resources.foreign_text import shown
from resources.guided_tests import GuidedTest, InputValue, Length
from resources.units import format_bytes
from wizards.flows.about import About
from wizards.flows.plan import Plan
from wizards.flows.planning import KINDS, Choice
from wizards.flows.surroundings import Surroundings, WorkerSeen
from workloads.environment import TestObject


@dataclass(frozen=True, slots=True)
class WorkerOffer:
    """A worker that can be chosen: its name, what it is (host, disk), and why it can't take part, if it
    can't.
    """

    name: str
    about: str
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """What an environment has for a test: objects by what they are for, and workers whose guests answered.

    ``candidates`` are VMs of a vCenter whose guests can be entered to make workers of them.
    """

    objects: tuple[tuple[str, tuple[str, ...]], ...]
    workers: tuple[WorkerOffer, ...]
    lengths: tuple[Length, ...]
    candidates: tuple[WorkerOffer, ...] = ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen: objects by what they are for, workers, the critical one, length and inputs."""

    objects: tuple[tuple[str, str], ...]
    workers: tuple[str, ...]
    critical: str
    length: Length
    inputs: tuple[tuple[str, InputValue], ...]


def offer_of(test: GuidedTest, around: Surroundings) -> Offer:
    """Return what an environment has for a test."""
    objects = tuple(
        (name, tuple(one.object.name for one in around.of_kind(KINDS[name]))) for name in test.objects
    )
    lengths: tuple[Length, ...] = ("lab",) if around.kind == "lab" else ("quick", "full")
    workers = tuple(offer_worker(one, around) for one in around.workers)
    candidates = candidates_of(around) if around.kind == "vcenter" else ()
    return Offer(objects, workers, lengths, candidates)


def lengths_of(test: GuidedTest, offer: Offer) -> list[tuple[Length, str]]:
    """Return the lengths that a test can have here, with what each means in words: ``Full, 3 rounds``."""
    words: dict[Length, str] = {"quick": "Quick", "full": "Full", "lab": "The lab's minute"}
    found = []
    for length in offer.lengths:
        rounds = test.lengths[length].rounds
        found.append((length, f"{words[length]}, {rounds} round{'s' if rounds > 1 else ''}"))
    return found


def problem_of(test: GuidedTest, chosen: Chosen) -> str:
    """Return why there can be no plan of a choice, empty if nothing is lacking."""
    if not chosen.workers:
        return f"No worker is chosen: tick at least {test.workers_least}."
    names = [name for _what, name in chosen.objects]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        return f"{shown(twice, 60)} is chosen twice: there is nothing to compare it with."
    return ""


def why_not_text(name: str, why: str) -> str:
    """Return why a worker can't take part, with its name once: most reasons begin with it."""
    return shown(why, 400) if shown(name, 60) in why else f"{shown(name, 60)}: {shown(why, 400)}"


def choice_of(test: GuidedTest, chosen: Chosen) -> Choice:
    """Return what was chosen as planning takes it."""
    return Choice(
        test.id,
        chosen.length,
        dict(chosen.inputs),
        dict(chosen.objects),
        chosen.workers,
        chosen.critical if "critical" in test.roles else "",
    )


def first_choice(test: GuidedTest, around: Surroundings, offer: Offer, about: About | None = None) -> Chosen:
    """Return what is chosen to begin with: as many workers as usual, from as many hosts as there are, or
    from the host with the most of them where the test is about one host. What the test is to be ``about``
    is among it.
    """
    named = named_in(around, about)
    able = [one for one in around.workers if one.facts is not None]
    able.sort(key=lambda one: one.name not in named)  # those that were named come first
    by_host: dict[str, list[str]] = {}
    for one in able:
        host = around.host_of(one)
        by_host.setdefault(host.object.id if host is not None else "", []).append(one.name)
    if test.one_host:
        by_host = dict(sorted(by_host.items(), key=lambda item: -len(item[1]))[:1])
    spread = [name for names in zip_longest(*by_host.values()) for name in names if name is not None]
    chosen = set(spread[: test.workers_usual]) if test.workers_usual else set(spread)
    workers = tuple(one.name for one in around.workers if one.name in chosen)
    critical = next((name for name in workers if name in named), workers[0] if workers else "")
    objects = tuple(
        (what, next(name for name in names if name in named))
        for what, names in offer.objects
        if not what.endswith(" b") and any(name in named for name in names)
    )
    return Chosen(objects, workers, critical, offer.lengths[0], ())


def named_in(around: Surroundings, about: About | None) -> tuple[str, ...]:
    """Return the names of the environment's objects that a test is to be about: the object itself, the VMs of
    a host, the datastore on a device.
    """
    if about is None:
        return ()
    found = []
    for one in around.objects:
        parent = around.object(one.parent) if one.parent else None
        is_there = parent is not None and about.kind == "host" and parent.object.name == about.name
        if (
            one.object.name == about.name
            or about.name in str(one.facts.get("device") or "").split()
            or is_there
        ):
            found.append(one.object.name)
    return tuple(found)


def objects_of(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Return the names of the objects that a plan is about, by what they are for."""
    names = {one.id: one.name for one in plan.objects}
    return tuple((what.replace("_", " "), names[id_]) for what, id_ in plan.chosen.items() if id_ in names)


def candidates_of(around: Surroundings) -> tuple[WorkerOffer, ...]:
    """Return the VMs of a vCenter as workers that could be chosen, by name; what can't be has the reason."""
    hosts = {one.object.id: one.object.name for one in around.of_kind("HostSystem")}
    vms = sorted(around.of_kind("VirtualMachine"), key=lambda one: one.object.name.casefold())
    return tuple(WorkerOffer(one.object.name, hosts.get(one.parent, ""), _why_no_worker(one)) for one in vms)


def _why_no_worker(vm: TestObject) -> str:
    if vm.facts.get("powered_on") is False:
        return "It is powered off."
    if vm.facts.get("tools_running") is False:
        return "VMware Tools do not run in it."
    if vm.facts.get("guest_family") == "windows":
        return "Load is launched only in Linux guests through VMware Tools."
    return ""


def offer_worker(one: WorkerSeen, around: Surroundings) -> WorkerOffer:
    """Return a worker whose guest was asked."""
    host = around.host_of(one)
    if one.facts is None:
        return WorkerOffer(one.name, one.why, one.why or "It does not answer.")
    usable = one.usable_disks()
    disk = format_bytes(usable[0][1].size_bytes) if usable else "a disk is made for it"
    where = host.object.name if host is not None else ""
    return WorkerOffer(one.name, " · ".join(text for text in (where, disk) if text))
