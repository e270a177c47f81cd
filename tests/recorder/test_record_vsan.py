"""A vCenter with vSAN, recorded by the whole process: its performance service is there, and is judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from collectors.vsphere.vsan.queries import ClusterQueries
from connections.vsphere.address import parse_address
from connections.vsphere.session import VSphere
from connections.vsphere.vsan import VsanApi
from diagnosis import diagnose_session
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from sessions.findings import Finding
from sessions.store import SessionReader
from sessions.verdicts import CheckReach
from tests.recorder.conftest import Record
from tests.recorder.running import Event
from tests.recorder.vcenters import record_vcenter
from tests.vcenter.conftest import start_vcenter, vcenter
from tests.vcenter.running import PASSWORD, TestVCenter

__all__ = ["start_vcenter", "vcenter"]

StartVCenter = Callable[..., TestVCenter]
Judge = Callable[[TestVCenter], tuple[list[Finding], dict[str, CheckReach]]]


def has_vsan(event: Event) -> bool:
    """Whether it is a status in which the performance service has samples."""
    return event["event"] == "status" and any(
        source["name"].endswith(" vSAN") and source["last_ms"] for source in event["sources"]
    )


@pytest.fixture
def judge(record: Record, session_path: Path) -> Judge:
    """Record what a server has of the last hour, and judge it: vSAN's findings, and its checks."""

    def run(server: TestVCenter) -> tuple[list[Finding], dict[str, CheckReach]]:
        recorder = record_vcenter(record, session_path, server)
        recorder.wait_for(has_vsan)
        recorder.say(do="stop")
        assert recorder.end()["code"] == 0
        assert recorder.stderr() == ""
        with SessionReader.open(session_path) as reader:
            found = diagnose_session(reader, load_problems(), load_catalogue())
        of_vsan = [note for note in found.notes if "vSAN" in note]
        assert all(note.endswith("the vSAN performance service has it.") for note in of_vsan)
        checks = {one.problem: one for one in found.verdict.checks if one.problem.startswith("vsan.")}
        return [one for one in found.findings if one.problem.startswith("vsan.")], checks

    return run


WRONG: dict[str, tuple[tuple[str, str, float], ...]] = {
    "vsan.congestion": (("disk-group:*", "ssdCongestion", 120), ("disk-group:*", "wbFreePct", 12)),
    "vsan.cache_miss": (("disk-group:*", "rcHitRate", 40),),
    "vsan.network": (("vsan-host-net:*", "rxPacketsLossRate", 4),),
    "vsan.resync": (
        ("cluster-domcompmgr:*", "throughputRecWrite", 300 << 20),
        ("host-domclient:*", "latencyAvgRead", 30_000),  # it is felt
    ),
}
"""What makes each problem: entity, label, and the number as the service gives it."""


def test_a_healthy_vsan_is_judged_and_nothing_is_found(vcenter: TestVCenter, judge: Judge) -> None:
    vcenter.fault("vsan", cluster="cluster-01", hybrid=True)
    found, checks = judge(vcenter)
    assert found == []
    assert {name: one.verdict for name, one in checks.items()} == dict.fromkeys(
        (*WRONG, "vsan.dedup_hot_block"), "not found"
    )


def test_each_problem_of_disk_groups_is_found(vcenter: TestVCenter, judge: Judge) -> None:
    vcenter.fault("vsan", cluster="cluster-01", hybrid=True)
    for changes in WRONG.values():
        for entity, label, number in changes:
            vcenter.fault("vsan", cluster="cluster-01", entity=entity, label=label, constant=number)
    found, checks = judge(vcenter)
    by_problem = {one.problem: one for one in found}
    assert set(by_problem) == set(WRONG)
    assert {one.entity_name for one in found} == {"vsanDatastore-cluster-01"}
    assert {one.causes[0].verdict for one in found} == {"likely"}
    assert by_problem["vsan.congestion"].causes[0].cause == "write_buffer_full"
    conclusion = by_problem["vsan.congestion"].conclusion
    assert conclusion.startswith("vSAN of vsanDatastore-cluster-01 was congested by 120 of 255")
    assert "write buffer free: 12 %" in conclusion
    assert "300 MB/s" in by_problem["vsan.resync"].conclusion
    assert "0.40 %" in by_problem["vsan.network"].conclusion
    assert checks["vsan.dedup_hot_block"].verdict == "not found"


def test_the_express_architecture_is_judged_by_its_own_numbers(vcenter: TestVCenter, judge: Judge) -> None:
    for entity, label, number in (("host-domclient:*", "writeCongestion", 90), ("vsan-esa*", "no label", 0)):
        vcenter.fault("vsan", cluster="cluster-01", esa=True, entity=entity, label=label, constant=number)
    found, checks = judge(vcenter)
    (congestion,) = found
    assert (congestion.problem, congestion.severity) == ("vsan.congestion", "warning")
    assert {one.verdict for one in congestion.causes} == {"unknown"}
    assert checks["vsan.dedup_hot_block"].verdict == "not found"
    assert checks["vsan.cache_miss"].verdict == "insufficient data"
    assert checks["vsan.cache_miss"].reason.endswith("the vSAN performance service has it")


def test_the_kind_of_congestion_is_its_cause(vcenter: TestVCenter, judge: Judge) -> None:
    vcenter.fault("vsan", cluster="cluster-01", entity="disk-group:*", label="logCongestion", constant=150)
    (congestion,), _ = judge(vcenter)
    assert {one.cause: one.verdict for one in congestion.causes} == {
        "write_buffer_full": "ruled out",
        "log_congestion": "likely",
        "iops_congestion": "ruled out",
        "components_congestion": "ruled out",
        "memory_congestion": "ruled out",
    }
    assert congestion.causes[0].cause == "log_congestion"


def a_disk(server: TestVCenter, kind: str) -> str:
    """The id of a disk that the service knows."""
    now_ms = round(server.now() * 1000)
    with VSphere(parse_address(server.address), lambda: PASSWORD, thumbprint=server.thumbprint) as vsphere:
        queries = ClusterQueries(VsanApi(vsphere), "domain-c9")
        return queries.ask(kind, ["latencyDevRead"], (now_ms - 900_000, now_ms), list)[0].id


HOT = ("vsan.dedup_hot_block", "vsanDatastore-cluster-01")


@pytest.mark.parametrize(("kind", "esa"), [("capacity-disk", False), ("vsan-esa-disk-scsifw", True)])
def test_one_disk_that_reads_most_and_is_slower_than_its_siblings_is_found(
    vcenter: TestVCenter, judge: Judge, kind: str, esa: bool
) -> None:
    vcenter.fault("vsan", cluster="cluster-01", esa=esa)
    slow = f"{kind}:{a_disk(vcenter, kind)}"
    numbers = {
        "latencyDevRead": 60_000,
        "latencyDevDAvg": 60_000,
        "latencyDevWrite": 400,
        "iopsDevRead": 5_000,
    }
    for label, number in numbers.items():
        vcenter.fault("vsan", cluster="cluster-01", entity=slow, label=label, constant=number)
    found, _ = judge(vcenter)
    assert [(one.problem, one.entity_name) for one in found] == [HOT]


def test_a_service_that_is_off_leaves_nothing_judged(
    vcenter: TestVCenter, record: Record, session_path: Path
) -> None:
    vcenter.fault("vsan", cluster="cluster-01", performance=False)
    recorder = record_vcenter(record, session_path, vcenter)
    told = recorder.wait_for(lambda event: "is off in cluster-01" in str(event))
    assert "Switch it on" in str(told)
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    with SessionReader.open(session_path) as reader:
        found = diagnose_session(reader, load_problems(), load_catalogue())
    check = next(one for one in found.verdict.checks if one.problem == "vsan.congestion")
    assert (check.verdict, check.judged) == ("not applicable", 0)
    assert check.reason.endswith("what tells is the vSAN performance service.")
