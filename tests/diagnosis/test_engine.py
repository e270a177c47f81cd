"""The engine as a whole: its document, what it says of what it lacked, cancel, several time bases."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from collectors.esxtop.importing import import_captures
from diagnosis import Diagnosis, diagnose_session, findings_json
from diagnosis.ranking import Whereabouts, link, overlap
from resources.failures import CancelledError
from resources.problem_consequences import Consequence
from sessions.findings import CauseVerdict, Finding
from sessions.model import EntityRef
from sessions.store import SessionReader
from sessions.times import TimeRange
from sessions.verdicts import NOT_JUDGED
from tests.diagnosis.recordings import (
    START,
    Recording,
    catalogue,
    diagnosed,
    during,
    findings,
    problems,
    session,
)
from tests.sessions.memory_session import MemorySession

NOWHERE = Whereabouts(lambda _: ())
CAPTURE = Path(__file__).parents[3] / "shared" / "data" / "esxtop-batch-default.csv"


def limited() -> Recording:
    recording = Recording(seconds=600)
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
    recording.vm(
        "web01",
        {
            "cpu.max_limited": during(200, 495, 4.0),
            "cpu.ready": during(200, 495, 4.5, 0.5),
            "cpu.alloc_max": 3_000.0,
            "cpu.run": 60.0,
        },
    )
    return recording


def evidence(
    counter: str, statistic: str, value: float, threshold: float | None, unit: str
) -> dict[str, object]:
    return {
        "counter": counter,
        "instance": "",
        "statistic": statistic,
        "value": value,
        "threshold": threshold,
        "unit": unit,
        "what": "",
    }


def test_the_document_to_the_digit() -> None:
    document = findings_json(diagnosed(limited()))
    assert document["window"] == ["2026-09-21T14:13:20Z", "2026-09-21T14:23:15Z"]
    assert document["findings"] == [
        {
            "problem": "cpu.limit",
            "severity": "critical",
            "entity": {"kind": "vm", "name": "web01"},
            "windows": [["2026-09-21T14:16:40Z", "2026-09-21T14:21:35Z"]],
            "share": 0.5,
            "evidence": [
                evidence("cpu.max_limited", "mean", 4.0, 0.1, "%"),
                evidence("cpu.max_limited", "p95", 4.0, 1.0, "%"),
                evidence("cpu.alloc_max", "usual", 3000.0, None, "MHz"),
                evidence("cpu.run", "mean", 60.0, None, "%"),
                evidence("cpu.pcpu_util", "mean", 40.0, None, "%"),
            ],
            "causes": [
                {
                    "cause": "vm_limit",
                    "verdict": "likely",
                    "because": "Its limit was 3 GHz.",
                    "title": "The VM has a limit of its own",
                },
                {
                    "cause": "pool_limit",
                    "verdict": "ruled out",
                    "because": "The VM's own limit explains it (3 GHz).",
                    "title": "Its resource pool has a limit",
                },
            ],
            "remedies": [
                "Set the CPU limit of web01 to unlimited; check its template and its clones for the same.",
                "Where it must not take too much, use shares.",
            ],
            "title": "Held back by a CPU limit",
            "conclusion": "web01 was held back by a CPU limit for 4 % of the time on its worst vCPU; "
            "esx01 was 40 % busy.",
            "notes": [],
            "score": 1.5,
            "changes": [],
            "changes_left": 0,
            "consequence_of": None,
        }
    ]
    json.dumps(document, allow_nan=False)


def test_a_consequence_names_what_it_follows_from() -> None:
    recording = limited()
    recording.vm("db", {"cpu.max_limited": 20.0, "cpu.ready": 21.0, "cpu.run": 80.0, "cpu.alloc_max": 900.0})
    found = findings_json(diagnosed(recording))["findings"]
    assert isinstance(found, list)
    guest = next(one for one in found if one["problem"] == "cpu.guest_saturated")
    assert guest["consequence_of"] == {"problem": "cpu.limit", "entity": {"kind": "vm", "name": "db"}}


def test_the_document_says_how_far_it_reaches_and_what_was_not_judged() -> None:
    document = findings_json(diagnosed(limited()))
    assert document["judged_to"] == "2026-09-21T14:23:15Z"
    not_judged = document["not_judged"]
    assert isinstance(not_judged, list)
    why = {one["problem"]: one["why"] for one in not_judged}
    assert "%CSTP" in why["cpu.costop"]
    assert "vCenter" in why["cluster.imbalance"]
    assert "cpu.limit" not in why


def test_two_vms_of_one_name_are_told_apart_by_as_much_of_their_uuid_as_it_takes() -> None:
    keys = ("c421ee58-8d98-0822-2971-e574b8ab6695", "564d1f2a-8d98-0822-2971-e574b8ab6695")
    found = {}
    for others in (keys, (keys[0], keys[0].replace("6695", "6696"))):
        recording = Recording()
        for key in others:
            recording.namesake("SQL04", key, {"cpu.max_limited": 20.0})
        found[others[1]] = [one.entity_name for one in diagnosed(recording).findings]
    short, long = found.values()
    assert sorted(short) == ["SQL04 (564d1f2a)", "SQL04 (c421ee58)"]
    assert long == [f"SQL04 ({keys[0]})", f"SQL04 ({keys[0][:-1]}6)"]


def test_two_vms_of_one_name_are_told_apart() -> None:
    """esxtop's key of a VM ends with its group, which is what its screens show beside the name."""
    recording = limited()
    for group, held_back in ((361111, 0.0), (362222, 16.0)):
        recording.namesake(
            "web", group, {"cpu.max_limited": held_back, "cpu.ready": 17.0, "cpu.alloc_max": 1560.0}
        )
    found = diagnosed(recording)
    (of_web,) = [one for one in found.findings if one.problem == "cpu.limit" and "web (" in one.entity_name]
    assert of_web.entity_name == "web (362222)"
    assert of_web.conclusion.startswith("web (362222) was held back by a CPU limit")
    assert of_web.remedies[0].startswith("Set the CPU limit of web (362222) to unlimited")


def test_what_could_not_be_checked_is_said() -> None:
    checks = {check.problem: check for check in diagnosed(limited()).checks}
    assert len(checks) == len(problems().cards)
    assert (checks["cpu.limit"].entities, checks["cpu.limit"].judged) == (1, 1)
    assert (checks["cpu.costop"].entities, checks["cpu.costop"].judged) == (1, 0)
    assert checks["cpu.costop"].lacking == ("cpu.costop",)
    assert checks["storage.nfs_latency"].entities == 0


def test_cancel_and_progress() -> None:
    told: list[tuple[float, str]] = []
    diagnose_session(
        session(limited()), problems(), catalogue(), progress=lambda part, what: told.append((part, what))
    )
    assert [part for part, _ in told] == sorted(part for part, _ in told)
    assert told[-1][0] == 1.0
    stop = threading.Event()
    stop.set()
    with pytest.raises(CancelledError):
        diagnose_session(session(limited()), problems(), catalogue(), cancel=stop)


def test_a_session_without_samples_is_fine() -> None:
    empty = diagnose_session(MemorySession(), problems(), catalogue())
    assert replace(empty, verdict=NOT_JUDGED) == Diagnosis(None, ())
    assert (empty.verdict.state, empty.verdict.is_clear) == ("could not be judged", False)
    early = TimeRange(START - 10_000, START - 5_000)
    assert diagnose_session(session(limited()), problems(), catalogue(), early).findings == ()
    hollow = Recording(seconds=600)
    hollow.vm("gone", {"cpu.ready": lambda t: np.full(t.size, np.nan)})
    assert findings(hollow) == []


def test_twenty_second_samples_give_the_same_findings_as_five_second_ones() -> None:
    def shown(interval: float) -> list[tuple[str, str, str]]:
        recording = Recording(seconds=1800, interval=interval)
        recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
        recording.vm("a", {"cpu.ready": during(300, 400, 7.0), "cpu.max_limited": 0.0})
        recording.vm("b", {"cpu.ready": during(300, 335, 50.0), "cpu.max_limited": 0.0})
        recording.vm("c", {"cpu.ready": during(300, 900, 15.0), "cpu.max_limited": 0.0})
        return [(one.problem, one.entity_name, one.severity) for one in findings(recording)]

    expected = [("cpu.ready_high", "c", "critical"), ("cpu.ready_high", "a", "warning")]
    assert shown(5.0) == expected
    assert shown(20.0) == expected


def test_hosts_with_different_intervals_are_judged_each_by_its_own() -> None:
    slow, fast = Recording("esx01", interval=20.0), Recording("esx02", interval=2.0)
    for recording in (slow, fast):
        recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
        recording.vm(f"on {recording.host.key}", {"cpu.ready": during(300, 420, 8.0), "cpu.max_limited": 0.0})
    assert {one.entity_name for one in findings(slow, fast)} == {"on esx01", "on esx02"}


class TestInsufficientData:
    def test_a_source_that_lost_many_samples(self) -> None:
        recording = Recording(seconds=1200)
        keep = np.ones(len(recording), dtype=bool)
        keep[40:140] = False
        recording.seconds = recording.seconds[keep]
        recording.on_host({"cpu.pcpu_util": 10.0})
        found = diagnosed(recording).findings
        assert [(one.problem, one.severity, one.entity_name) for one in found] == [
            ("data.insufficient", "info", "esx01")
        ]
        assert found[0].causes[0].cause == "gaps"
        assert "100 of 240 samples are missing (41.7 %)" in found[0].causes[0].because
        assert found[0].windows == (TimeRange(START + 195_000, START + 700_000),)

    def test_a_vm_that_was_filled_with_zeros(self) -> None:
        recording = Recording(seconds=1200)
        recording.on_host({"cpu.pcpu_util": 10.0, "cpu.pcpu_used": 10.0})
        ref = recording.vm("gone", {"cpu.ready": lambda t: np.where(t < 600, 1.0, np.nan)})
        recording.gap(600, 1195, ref)
        found = diagnosed(recording).findings
        assert [(one.problem, one.entity_name) for one in found] == [("data.insufficient", "gone")]
        assert found[0].windows == (TimeRange(START + 600_000, START + 1_195_000),)

    def test_worlds_that_are_no_vms_are_not_reported(self) -> None:
        recording = Recording(seconds=1200)
        recording.on_host({"cpu.pcpu_util": 10.0})
        recording.add("world", "helper", {"cpu.ready": lambda t: np.where(t < 600, 1.0, np.nan)})
        assert diagnosed(recording).findings == ()

    def test_what_a_short_capture_only_suggests(self) -> None:
        recording = Recording(seconds=30)
        recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
        recording.vm("web01", {"cpu.ready": 30.0, "cpu.max_limited": 0.0})
        found = diagnosed(recording).findings
        assert [(one.problem, one.severity) for one in found] == [("data.insufficient", "info")]
        assert found[0].notes == ("In every sample, but too short to call: High ready time, web01.",)


class TestConsequences:
    PAIR = Consequence("cpu.limit", "cpu.ready_high", "same", "because", "source")

    def finding(self, problem: str, start: int, end: int, first: str = "x") -> Finding:
        return Finding(
            problem=problem, title="", severity="critical", entity=EntityRef("vm", "a"), entity_name="a",
            windows=(TimeRange(start * 1000, end * 1000),), share=1.0, conclusion="", evidence=(),
            causes=(CauseVerdict(first, "", "likely", ""),), remedies=(), score=3.0,
        )  # fmt: skip

    def linked(self, *found: Finding, pairs: tuple[Consequence, ...] | None = None) -> list[str]:
        marked = link(found, pairs or (self.PAIR,), NOWHERE)
        return [one.consequence_of[0] if one.consequence_of else "" for one in marked]

    def test_only_at_the_same_time(self) -> None:
        limit = self.finding("cpu.limit", 0, 1000)
        assert self.linked(limit, self.finding("cpu.ready_high", 100, 900)) == ["", "cpu.limit"]
        assert self.linked(limit, self.finding("cpu.ready_high", 900, 9000)) == ["", ""]

    def test_at_most_a_warning_with_its_score(self) -> None:
        found = link(
            [self.finding("cpu.limit", 0, 10), self.finding("cpu.ready_high", 0, 10)],
            (self.PAIR,),
            NOWHERE,
        )
        assert (found[1].severity, found[1].score, found[1].notes) == ("warning", 2.0, ("because",))

    def test_what_is_behind_a_critical_problem_is_critical(self) -> None:
        root = replace(self.finding("cpu.limit", 0, 10), severity="warning", score=1.8)
        between = replace(self.finding("cpu.ready_high", 0, 10), severity="warning", score=1.8)
        worst = self.finding("cpu.costop", 0, 10)
        chain = (self.PAIR, Consequence("cpu.ready_high", "cpu.costop", "same", "because", "source"))
        found = link([root, between, worst], chain, NOWHERE)
        assert [one.severity for one in found] == ["critical", "warning", "warning"]
        why = "Critical, because what follows from it is critical by its own numbers: , a."
        assert (found[0].score, found[0].notes) == (2.7, (why,))
        milder = link([root, between, replace(worst, severity="warning")], chain, NOWHERE)
        assert [one.severity for one in milder] == ["warning"] * 3
        harmless = link(
            [replace(root, severity="info"), worst],
            (Consequence("cpu.limit", "cpu.costop", "same", "", ""),),
            NOWHERE,
        )
        assert harmless[0].severity == "info"

    def test_only_for_the_causes_that_the_pair_names(self) -> None:
        pair = Consequence("cpu.limit", "cpu.ready_high", "same", "", "", causes=["pool_limit"])
        both = self.finding("cpu.limit", 0, 10), self.finding("cpu.ready_high", 0, 10, "pool_limit")
        assert self.linked(*both, pairs=(pair,)) == ["", "cpu.limit"]
        assert self.linked(both[0], replace(both[1], causes=()), pairs=(pair,)) == ["", ""]
        spared = Consequence("cpu.limit", "cpu.ready_high", "same", "", "", unless=["pool_limit"])
        assert self.linked(*both, pairs=(spared,)) == ["", ""]

    def test_never_in_a_circle(self) -> None:
        back = Consequence("cpu.ready_high", "cpu.limit", "same", "", "")
        both = self.finding("cpu.limit", 0, 10), self.finding("cpu.ready_high", 0, 10)
        assert self.linked(*both, pairs=(self.PAIR, back)) == ["", "cpu.limit"]

    def test_overlap_is_the_downstream_part(self) -> None:
        upstream, downstream = [TimeRange(0, 100)], [TimeRange(50, 150), TimeRange(400, 500)]
        assert overlap(upstream, downstream, 0) == 0.25
        assert overlap(upstream, downstream, 0.05) == 0.5
        assert overlap(upstream, [TimeRange(7, 7)], 0) == 1.0


@pytest.mark.skipif(not CAPTURE.exists(), reason="the folder of captures that others made is not here")
def test_a_real_capture_of_three_samples(tmp_path: Path) -> None:
    import_captures([CAPTURE], tmp_path / "s.hscope", progress=None, cancel=None, workers=1)
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        found = diagnose_session(reader, problems(), catalogue()).findings
    balloon = found[0]
    assert (balloon.problem, balloon.severity, balloon.entity.kind) == ("mem.ballooning", "warning", "host")
    assert next(one.value for one in balloon.evidence if one.counter == "mem.balloon") == pytest.approx(
        5331.3, abs=0.1
    )
    assert any("Memctl MBytes" in note for note in balloon.notes)
    assert any("3 samples" in note and "few" in note for note in balloon.notes)
    past = {one.entity_name for one in found if one.problem == "mem.swapped_past"}
    assert past == {"ananke", "hermes", "ouranos", "portunus", "poseidon", "styx"}
    assert {one.problem for one in found} == {"mem.ballooning", "mem.swapped_past", "data.insufficient"}
    assert not {one.entity_name for one in found} & {"system", "helper"}
    assert not any(one.entity_name.startswith("mpx.") for one in found)
