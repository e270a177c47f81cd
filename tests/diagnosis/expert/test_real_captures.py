"""Captures of real hosts, judged as an expert who reads their numbers would (``real_captures.toml``)."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from collectors.esxtop.importing import import_captures
from collectors.esxtop_service.importing import import_dumps
from collectors.esxtop_service.recognising import is_dump
from diagnosis import Diagnosis, diagnose_session
from diagnosis.statistics.curves import knee
from resources.catalogue import load_catalogue
from resources.failures import NotACaptureError
from resources.problem_cards import load_problems
from sessions.store import SessionReader
from tests.diagnosis.expert.judging import FOLDER, Reading, claims
from tests.vcenter_lab.vcenter_session import vcenter_session

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


"""The claim that a file can be opened at all, in ``wrong_today`` of one that the product refuses."""


class Capture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of real numbers, what an expert reads in it, and what the product says otherwise today."""

    file: str
    what: str
    reading: Reading
    wrong_today: dict[str, str] = {}


class NoRecording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that holds no samples of a host; ``says`` are patterns of the sentence that refuses it."""

    file: str
    what: str
    says: tuple[str, ...]


class Ramp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Steps of a load test as an expert reads them: up to which step its limit holds, and the knee, if any.

    ``knee`` is the number of VMs from which on more of them bring less than ``gain_percent`` a doubling more
    I/Os; 0 for none.
    """

    file: str
    what: str
    limit_ms: float
    holds_to: int
    breaks_at: int
    gain_percent: float
    knee: int


@cache
def captures() -> dict[str, Capture]:
    return {one.file: one for one in msgspec.convert(_told()["capture"], list[Capture])}


def _told() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "real_captures.toml").read_text(encoding="utf-8"))


def _path(file: str) -> Path:
    path = DATA / file
    if not path.exists():
        pytest.skip(f"no real captures in {DATA}")
    return path


@pytest.fixture(params=captures(), scope="module")
def read_and_diagnosed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Capture, Diagnosis]:
    """One capture, with the expert's reading and the product's diagnosis."""
    one = captures()[request.param]
    path = _path(one.file)
    if path.suffix == ".json":
        session = vcenter_session(as_document(path), load_catalogue())
        return one, diagnose_session(session, load_problems(), load_catalogue())
    out = tmp_path_factory.mktemp("real") / "real.hscope"
    if is_dump(path):
        import_dumps([path], out)
    else:
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


@pytest.mark.parametrize(
    "one", msgspec.convert(_told()["no_recording"], list[NoRecording]), ids=lambda one: one.file
)
def test_what_is_no_recording_is_refused_in_words(one: NoRecording, tmp_path: Path) -> None:
    """One sentence says what the file is not, and what to try; nothing is written."""
    out = tmp_path / "real.hscope"
    with pytest.raises(NotACaptureError) as refused:
        import_captures([_path(one.file)], out, workers=0)
    missing = [pattern for pattern in one.says if not re.search(pattern, str(refused.value))]
    assert not missing, str(refused.value)
    assert not out.exists()


@pytest.mark.parametrize("one", msgspec.convert(_told()["ramp"], list[Ramp]), ids=lambda one: one.file)
def test_a_real_ramp_is_read_as_an_expert_does(one: Ramp) -> None:
    """Where its latency breaks the limit is not where its rate stops rising."""
    with _path(one.file).open(encoding="utf-8", newline="") as lines:
        steps = sorted(csv.DictReader(lines), key=lambda step: int(step["vm_count"]))
    vms = [int(step["vm_count"]) for step in steps]
    fits = [float(step["max_p99_ms"]) <= one.limit_ms for step in steps]
    assert (vms[fits.index(False) - 1], vms[fits.index(False)]) == (one.holds_to, one.breaks_at)
    rates = [float(step["total_read_iops"]) + float(step["total_write_iops"]) for step in steps]
    found = knee(vms, rates, one.gain_percent)
    assert (0 if found is None else found.setting) == one.knee


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
            "power": "on", "snapshots": 0, "disks": [], "nics": [],
        }],
        "series": series,
    }  # fmt: skip
