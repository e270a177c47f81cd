"""Captures of real hosts, judged as an expert who reads their numbers would (``real_captures.toml``)."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from collectors.esxtop.importing import import_captures
from diagnosis import Diagnosis, diagnose_session
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from sessions.store import SessionReader
from tests.diagnosis.expert.judging import FOLDER, Reading, claims
from tests.vcenter_lab.vcenter_session import vcenter_session

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


class Capture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of real numbers, what an expert reads in it, and what the product says otherwise today."""

    file: str
    what: str
    reading: Reading
    wrong_today: dict[str, str] = {}


@cache
def captures() -> dict[str, Capture]:
    document = tomllib.loads((FOLDER / "real_captures.toml").read_text(encoding="utf-8"))
    return {one.file: one for one in msgspec.convert(document["capture"], list[Capture])}


@pytest.fixture(params=captures(), scope="module")
def read_and_diagnosed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Capture, Diagnosis]:
    """One capture, with the expert's reading and the product's diagnosis."""
    one = captures()[request.param]
    path = DATA / one.file
    if not path.exists():
        pytest.skip(f"no real captures in {DATA}")
    if path.suffix == ".json":
        session = vcenter_session(as_document(path), load_catalogue())
        return one, diagnose_session(session, load_problems(), load_catalogue())
    out = tmp_path_factory.mktemp("real") / "real.hscope"
    import_captures([path], out, workers=0)
    with SessionReader.open(out) as reader:
        return one, diagnose_session(reader, load_problems(), load_catalogue())


def test_an_expert_reads_a_real_capture_alike(read_and_diagnosed: tuple[Capture, Diagnosis]) -> None:
    """All claims hold, but those that are listed as wrong today; and each of those is still wrong."""
    one, diagnosis = read_and_diagnosed
    wrong = {claim.key: claim for claim in claims(one.reading, diagnosis) if not claim.is_right}
    surprises = [f"{key}: {claim.text}; instead: {claim.instead}" for key, claim in wrong.items()
                 if key not in one.wrong_today]  # fmt: skip
    mended = [f"{key} is right now: take it off wrong_today" for key in one.wrong_today if key not in wrong]
    assert not surprises + mended, "\n".join(surprises + mended)


def as_document(path: Path) -> dict[str, Any]:
    """The canned series of a vCenter 6.5 as a document of an inventory of one host and one VM."""
    catalogue = json.loads((path.parent / "vcsim_vpx_perfCounter.json").read_text(encoding="utf-8"))
    called = {str(one["key"]): f"{one['group']}.{one['name']}.{one['rollup']}" for one in catalogue}
    data = json.loads(path.read_text(encoding="utf-8"))["data"]
    owners = {"VirtualMachine": "vm:vm01", "HostSystem": "host:esx01"}
    series = [
        {"object": what, "counter": called[number], "instance": "", "values": values}
        for kind, what in owners.items()
        for number, values in data[kind].items()
    ]
    return {
        "interval_s": 20, "start_ms": 1_500_000_000_000, "ticks": 100,
        "clusters": [{"name": "cluster", "drs": True}], "pools": [], "datastores": [], "events": [],
        "hosts": [{
            "name": "esx01", "cluster": "cluster", "cores": 4, "threads": 8, "mhz": 2850, "memory_mb": 65_536,
            "numa_nodes": 1, "power_policy": "static", "nics": [], "devices": [], "adapters": [],
        }],
        "vms": [{
            "name": "vm01", "uuid": "vm01", "host": "esx01", "vcpus": 2, "memory_mb": 10_240, "pool": None,
            "cpu_limit_mhz": None, "cpu_reservation_mhz": 0, "cpu_shares": 2000, "cpu_affinity": [],
            "mem_limit_mb": None, "mem_reservation_mb": 0, "mem_shares": 102_400, "tools": "running",
            "snapshots": 0, "disks": [], "nics": [],
        }],
        "series": series,
    }  # fmt: skip
