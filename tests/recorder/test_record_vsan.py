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


STORE = "vsanDatastore-cluster-01"
HOSTS = ("esx0001.lab", "esx0002.lab")

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
        (*WRONG, "vsan.dedup_hot_block", "vsan.slow_disk"), "not found"
    )


def test_each_problem_of_disk_groups_is_found(vcenter: TestVCenter, judge: Judge) -> None:
    vcenter.fault("vsan", cluster="cluster-01", hybrid=True)
    for changes in WRONG.values():
        for entity, label, number in changes:
            vcenter.fault("vsan", cluster="cluster-01", entity=entity, label=label, constant=number)
    found, checks = judge(vcenter)
    by_problem = {problem: [one for one in found if one.problem == problem] for problem in WRONG}
    assert {one.problem for one in found} == set(WRONG)
    assert {problem: [one.entity_name for one in several] for problem, several in by_problem.items()} == {
        "vsan.congestion": [*HOSTS, STORE],
        "vsan.cache_miss": [STORE],
        "vsan.network": [*HOSTS, STORE],
        "vsan.resync": ["cluster-01"],
    }
    first = {problem: several[0] for problem, several in by_problem.items()}
    assert {problem: one.causes[0].verdict for problem, one in first.items()} == {
        "vsan.congestion": "likely",
        "vsan.cache_miss": "likely",
        "vsan.network": "likely",
        "vsan.resync": "possible",  # a full write buffer and lost packets are there, too
    }
    assert first["vsan.congestion"].causes[0].cause == "write_buffer_full"
    conclusion = first["vsan.congestion"].conclusion
    assert conclusion.startswith("vSAN on esx0001.lab was congested by 120 of 255")
    assert "write buffer free at the least: 12 %" in conclusion
    assert "300 MB/s" in first["vsan.resync"].conclusion
    assert "0.40 %" in first["vsan.network"].conclusion
    assert checks["vsan.dedup_hot_block"].verdict == "not found"


def test_the_express_architecture_is_judged_by_its_own_numbers(vcenter: TestVCenter, judge: Judge) -> None:
    for entity, label, number in (("host-domclient:*", "writeCongestion", 90), ("vsan-esa*", "no label", 0)):
        vcenter.fault("vsan", cluster="cluster-01", esa=True, entity=entity, label=label, constant=number)
    found, checks = judge(vcenter)
    assert [(one.problem, one.entity_name) for one in found] == [
        ("vsan.congestion", name) for name in (*HOSTS, STORE)
    ]
    assert {one.severity for one in found} == {"warning"}
    assert {one.causes[0].cause for one in found} == {"express_held_back"}
    assert checks["vsan.dedup_hot_block"].verdict == "not found"
    assert checks["vsan.cache_miss"].verdict == "insufficient data"
    assert checks["vsan.cache_miss"].reason.endswith("the vSAN performance service has it")


def test_the_kind_of_congestion_is_its_cause(vcenter: TestVCenter, judge: Judge) -> None:
    vcenter.fault("vsan", cluster="cluster-01", entity="disk-group:*", label="logCongestion", constant=150)
    found, _ = judge(vcenter)
    assert [one.entity_name for one in found] == [*HOSTS, STORE]
    for congestion in found:
        assert congestion.causes[0].cause == "log_congestion"
        verdicts = {one.cause: one.verdict for one in congestion.causes}
        assert [cause for cause, verdict in verdicts.items() if verdict != "ruled out"] == ["log_congestion"]
        assert verdicts["log_congestion"] == "likely"


def a_disk(server: TestVCenter, kind: str) -> str:
    """The id of a disk that the service knows."""
    now_ms = round(server.now() * 1000)
    with VSphere(parse_address(server.address), lambda: PASSWORD, thumbprint=server.thumbprint) as vsphere:
        queries = ClusterQueries(VsanApi(vsphere), "domain-c9")
        return queries.ask(kind, ["latencyDevRead"], (now_ms - 900_000, now_ms), list)[0].id


SLOW = {"latencyDevRead": 60_000, "latencyDevDAvg": 60_000, "latencyDevWrite": 400}


def test_one_disk_that_reads_most_and_is_slower_than_its_siblings_is_found(
    vcenter: TestVCenter, judge: Judge
) -> None:
    vcenter.fault("vsan", cluster="cluster-01")
    slow = f"capacity-disk:{a_disk(vcenter, 'capacity-disk')}"
    for label, number in {**SLOW, "iopsDevRead": 5_000}.items():
        vcenter.fault("vsan", cluster="cluster-01", entity=slow, label=label, constant=number)
    (disk, store), _ = judge(vcenter)
    assert {disk.problem, store.problem} == {"vsan.dedup_hot_block"}
    assert disk.entity_name.startswith("vSAN capacity disk ")
    assert store.entity_name == STORE


def test_one_disk_of_the_express_architecture_that_is_slow_for_no_more_load_is_found(
    vcenter: TestVCenter, judge: Judge
) -> None:
    vcenter.fault("vsan", cluster="cluster-01", esa=True)
    slow = f"vsan-esa-disk-scsifw:{a_disk(vcenter, 'vsan-esa-disk-scsifw')}"
    for label, number in SLOW.items():
        vcenter.fault("vsan", cluster="cluster-01", entity=slow, label=label, constant=number)
    found, checks = judge(vcenter)
    assert found[0].problem == "vsan.slow_disk"
    assert found[0].entity_name.startswith("vSAN disk ")
    assert checks["vsan.dedup_hot_block"].found == 0


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
