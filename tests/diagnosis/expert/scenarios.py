"""Scenarios as an expert tells them (``cases/*.toml``): a site, what goes wrong, how it is to be read."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal

import msgspec
import numpy as np

from collectors.esxtop_names import columns_by_host, parse_path
from diagnosis import Diagnosis, diagnose_session
from lab.samples import HostSamples
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from sessions.model import SourceSpec
from tests.diagnosis.expert.esxtop_view import columns
from tests.diagnosis.expert.judging import FOLDER, Claim, Reading, claims
from tests.diagnosis.expert.site import Site
from tests.diagnosis.expert.vcenter_view import INTERVAL_S, document
from tests.diagnosis.expert.vsan_view import VsanTold, vsan_document
from tests.sessions.memory_session import MemorySession
from tests.vcenter_lab.vcenter_session import vcenter_session

START_MS = 1_790_000_000_000
View = Literal["esxtop", "plain", "vcenter", "both"]


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a scenario changes: levels or properties of the objects that ``on`` names."""

    on: str
    set: dict[str, Any]


class Happening(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An event of a vCenter: ``kind`` as recorded (vmotion, snapshot, reconfigure …)."""

    at_s: float
    kind: str
    on: str
    text: str
    lasted_s: float | None = None


class KnownFact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that a vCenter says of an object: a fact of sessions.model, by name, and until when (s)."""

    object: str
    name: str
    value: float | str | bool
    from_s: float = 0.0
    until_s: float | None = None


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One scenario. ``views`` are the sources that show it; ``only`` replaces the reading for one of them.

    ``without`` are object classes that the capture lacks; ``vsan`` is what vSAN's service tells beside it.
    """

    id: str
    what: str
    reading: Reading
    site: str = "fc"
    views: tuple[View, ...] = ("esxtop",)
    interval_s: float = 5.0
    vcenter_interval_s: int = INTERVAL_S
    minutes: float = 15.0
    add: dict[str, list[dict[str, Any]]] = {}
    shape: dict[str, Any] = {}
    change: tuple[Change, ...] = ()
    happens: tuple[Happening, ...] = ()
    facts: tuple[KnownFact, ...] = ()
    without: tuple[str, ...] = ()
    only: dict[str, Reading] = {}
    vsan: VsanTold | None = None
    family: str = ""


@cache
def scenarios() -> Mapping[str, Scenario]:
    """All scenarios by id."""
    found: dict[str, Scenario] = {}
    for path in sorted((FOLDER / "cases").glob("*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        for one in msgspec.convert(document["scenario"], list[Scenario]):
            if one.id in found:
                raise ValueError(f"two scenarios {one.id}")
            found[one.id] = msgspec.structs.replace(one, family=path.stem)
    return found


@cache
def sites() -> Mapping[str, dict[str, Any]]:
    """The shapes of sites by name."""
    document: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "sites.toml").read_text(encoding="utf-8"))
    return document


def site_of(scenario: Scenario, interval_s: float, seed: int = 1) -> Site:
    """The scenario's site with everything that it changes, sampled at an interval."""
    shape = {**sites()[scenario.site], **scenario.shape}
    for kind, more in scenario.add.items():
        shape[kind] = [*shape.get(kind, ()), *more]
    seconds = np.arange(0.0, scenario.minutes * 60, interval_s)
    site = Site(shape, seconds, seed)
    for one in scenario.change:
        site.change(one.on, one.set)
    return site


def session_of(scenario: Scenario, view: View, seed: int = 1) -> MemorySession:
    """The session that a recording of the scenario gives."""
    if view == "vcenter":
        return vcenter_session(_document(scenario, seed), load_catalogue())
    session = MemorySession()
    if view == "both":
        vcenter_session(_document(scenario, seed), load_catalogue(), session)
    interval = scenario.interval_s
    site = site_of(scenario, interval, seed)
    for host in site.of("host"):
        made = columns(site, host, plain=view == "plain", without=scenario.without)
        (layout,) = columns_by_host([parse_path(name) for name, _ in made], load_catalogue())
        rows = np.stack([values for _, values in made], axis=1)
        is_there = site.level(host, "connected") > 0
        times = START_MS + np.round(site.seconds * 1000).astype(np.int64)[is_there]
        samples = HostSamples(layout, round(interval * 1000))
        values = samples.take(times, rows[is_there])
        session.add_source(
            SourceSpec("esxtop", host.name, interval), times, layout.specs, values,
            entities=layout.entities, facts=samples.facts(), gaps=samples.gaps(0),
        )  # fmt: skip
    return session


def _document(scenario: Scenario, seed: int) -> dict[str, Any]:
    site = site_of(scenario, scenario.vcenter_interval_s, seed)
    told = document(site, START_MS)
    told["facts"] += [msgspec.to_builtins(one) for one in scenario.facts]
    told["happened"] += [
        {"at_s": one.at_s, "lasted_s": one.lasted_s, "kind": one.kind, "object": one.on, "text": one.text}
        for one in scenario.happens
    ]
    if scenario.vsan is not None:
        told["vsan"] = vsan_document(scenario.vsan, [one.name for one in site.of("host")], START_MS)
    return told


def diagnosed(scenario: Scenario, view: View, seed: int = 1) -> Diagnosis:
    """What the product says of the scenario."""
    return diagnose_session(session_of(scenario, view, seed), load_problems(), load_catalogue())


def views() -> Iterator[tuple[str, View]]:
    """Every scenario with each source that shows it."""
    for name, one in scenarios().items():
        for view in one.views:
            yield name, view


def judged(name: str, view: View, seed: int = 1) -> list[Claim]:
    """The claims of a scenario, held against what the product says."""
    one = scenarios()[name]
    return list(claims(one.only.get(view, one.reading), diagnosed(one, view, seed)))
