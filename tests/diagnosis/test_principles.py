"""What no card can break: orders come from supported causes only, and a cause needs evidence for it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from diagnosis import diagnose, findings_json
from diagnosis.compiled import compile_problems
from diagnosis.language import Node, Shape, parse
from diagnosis.orders import JudgedSteps, orders
from diagnosis.plain_text import report_text
from diagnosis.support import has_support
from resources.failures import KnowledgeError
from resources.problem_cards import load_problems
from sessions.findings import CauseVerdict, Finding
from sessions.model import EntityRef
from sessions.verdict_wording import check_because, number_text, told_checks
from sessions.verdicts import CheckNumber, CheckReach
from tests.diagnosis.recordings import (
    Level,
    Recording,
    catalogue,
    diagnosed,
    during,
    only,
    problems,
    session,
)
from tests.diagnosis.supported_orders import unsupported_orders

SHIPPED = Path(__file__).parents[2] / "resources" / "problems"
NAMES = {"ready": Shape.SERIES, "run": Shape.SERIES, "limit": Shape.CONSTANT}


def changed_card(folder: Path, name: str, old: str, new: str) -> Path:
    """Return a knowledge directory with one shipped card, changed."""
    text = (SHIPPED / name).read_text(encoding="utf-8")
    assert old in text
    (folder / "problems").mkdir()
    (folder / "problems" / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("verdicts", "steps"),
    [
        (("likely", "possible", "unknown", "ruled out"), ["a"]),
        (("likely", "likely", "unknown", "ruled out"), ["a", "b"]),
        (("possible", "unknown", "possible", "ruled out"), ["If so (A): a", "If so (C): c"]),
        (("unknown", "unknown", "ruled out", "ruled out"), []),
        (("ruled out", "ruled out", "ruled out", "ruled out"), []),
    ],
)
def test_orders_come_from_likely_causes_then_from_possible_ones_if_so(
    verdicts: tuple[str, ...], steps: list[str]
) -> None:
    judged = [
        JudgedSteps(verdict, letter.upper(), [letter])  # type: ignore[arg-type]  # one of the four words
        for verdict, letter in zip(verdicts, "abcd", strict=True)
    ]
    assert list(orders(judged)) == steps


def test_a_step_that_two_causes_share_is_said_once() -> None:
    both = [JudgedSteps("likely", "A", ["look"]), JudgedSteps("likely", "B", ["look", "mend"])]
    assert orders(both) == ("look", "mend")


@pytest.mark.parametrize(
    ("text", "supported"),
    [
        ("mean(ready) > limit", True),
        ("not (mean(ready) > limit)", False),
        ("not (not (mean(ready) > limit))", True),
        ("mean(ready) < limit", True),
        ("missing(mean(ready))", False),
        ("not missing(mean(ready))", False),
        ("mean(ready) > limit or not (mean(run) > limit)", False),
        ("mean(ready) > limit and not (mean(run) > limit)", True),
        ("not (mean(ready) > limit and mean(run) > limit)", False),
        ("coalesce(mean(ready), 0) > limit", True),
        ("coalesce(mean(ready), 0) < limit", False),
        ("coalesce(mean(ready), 100) < limit", True),
        ("coalesce(mean(ready), mean(run)) < limit", True),
        ("busy", True),
        ("not busy", False),
        ("idle", False),
        ("not idle", True),
    ],
)
def test_a_test_is_supported_only_by_a_number_that_speaks_for_it(text: str, supported: bool) -> None:
    values: dict[str, Node] = {}
    names = dict(NAMES)
    for name, value in (("busy", "mean(run) > limit"), ("idle", "not busy")):
        values[name] = parse(value, names, values)
        names[name] = Shape.ENTITY
    assert has_support(parse(text, names, values), values, {"limit": 5.0}) is supported


@pytest.mark.parametrize("which", ["likely", "possible"])
def test_a_card_whose_cause_is_only_what_is_left_over_is_refused(tmp_path: Path, which: str) -> None:
    new = f'{which} = "not (usual(limit) <= 0)"'
    mine = changed_card(tmp_path, "cpu.limit.toml", 'likely = "usual(limit) > 0"', new)
    recording = Recording()
    recording.vm("web01", {"cpu.ready": 1.0})
    with pytest.raises(KnowledgeError, match=r"cpu.limit.*vm_limit.*speaks for it"):
        diagnose(session(recording), load_problems([mine]), catalogue())


def test_where_no_number_decides_the_one_step_is_to_find_out_by_what_the_causes_say() -> None:
    recording = Recording()
    recording.on_host({"cpu.pcpu_util": 30.0})
    recording.vm("web01", {"cpu.max_limited": 20.0})
    found = only(recording, problem="cpu.limit")
    assert {cause.verdict for cause in found.causes} == {"unknown"}
    assert all("would decide" in cause.because for cause in found.causes)
    [step] = found.remedies
    assert step.startswith("Find out which cause it is before you change anything. ")
    assert found.causes[0].because in step
    assert unsupported_orders([found], problems()) == []
    likely = (replace(found.causes[0], verdict="likely"), *found.causes[1:])
    assert unsupported_orders([replace(found, causes=likely)], problems())  # a cause has steps of its own


def test_where_every_cause_is_ruled_out_one_thing_to_do_is_left() -> None:
    looks = problems().looks
    assert set(looks.looks) >= {rule.entity for card in problems().cards for rule in card.rules}
    step = looks.step("vm", "web01", "esx01", [])
    assert step.startswith("No known cause fits: look at what began when it did.")
    assert "Events of web01" in step
    assert step.endswith("record esxtop -b -a -d 5 -n 120 on esx01.")


def test_orders_of_unknown_and_ruled_out_causes_are_recognised() -> None:
    card = problems().card("cpu.limit")
    steps = [step.replace("{entity}", "web01") for step in card.causes[0].remedies]

    def with_orders(verdict: str, *texts: str) -> Finding:
        causes = (CauseVerdict("vm_limit", "", verdict, ""),)  # type: ignore[arg-type]  # one of the four
        return Finding(
            problem="cpu.limit", title="", severity="warning", entity=EntityRef("vm", "web01"),
            entity_name="web01", windows=(), share=1.0, conclusion="", evidence=(), causes=causes,
            remedies=texts,
        )  # fmt: skip

    assert unsupported_orders([with_orders("likely", *steps)], problems()) == []
    assert unsupported_orders([with_orders("possible", f"If so (x): {steps[0]}")], problems()) == []
    for wrong in ("possible", "unknown", "ruled out"):
        assert len(unsupported_orders([with_orders(wrong, *steps)], problems())) == len(steps)
    assert unsupported_orders([with_orders("likely", "Reboot it.")], problems())


class TestVerdictsOfChecks:
    """Every check says how it came out, with its number, not only those that found something."""

    def checks(self, *recordings: Recording) -> dict[str, CheckReach]:
        return {one.problem: one for one in diagnosed(*recordings).verdict.checks}

    def test_found_and_not_found_each_with_the_worst_number_and_its_limit(self) -> None:
        recording = Recording()
        recording.on_host({"cpu.pcpu_util": 30.0})
        recording.vm("web01", {"cpu.ready": during(300, 305, 4.0, 0.2), "cpu.max_limited": 20.0})
        recording.vm("db", {"cpu.ready": 0.1, "cpu.max_limited": 0.0})
        checks = self.checks(recording)
        ready, limit = checks["cpu.ready_high"], checks["cpu.limit"]
        assert (ready.verdict, ready.found) == ("not found", 0)
        assert check_because(ready) == (
            "ready without what a CPU limit held back, on the worst vCPU of db at most 0.10 %, "
            "limit 5 % for 1 min"
        )
        assert (limit.verdict, limit.found) == ("problem", 1)
        assert check_because(limit) == (
            "1 found; time held back by a limit, on the worst vCPU of web01 at most 20 %, "
            "limit 0.10 % for 1 min"
        )

    def test_nobody_is_named_where_nobody_has_any(self) -> None:
        recording = Recording()
        for name in ("web01", "db"):
            recording.vm(name, {"cpu.max_limited": 0.0, "cpu.ready": 0.3 if name == "db" else 0.1})
        checks = self.checks(recording)
        assert check_because(checks["cpu.limit"]) == (
            "time held back by a limit, on the worst vCPU: at most 0 %, limit 0.10 % for 1 min"
        )
        assert "of db at most 0.30 %" in check_because(checks["cpu.ready_high"])

    def test_a_state_is_told_in_words(self) -> None:
        recording = Recording("esx01")
        recording.on_host({"mem.state": 1.0, "mem.free": 4096.0, "mem.kernel_minfree": 1024.0})
        checks = self.checks(recording)
        assert check_because(checks["mem.host_state"]) == (
            "memory state of esx01 at worst clear, a problem: soft or worse for 1 min"
        )
        card = problems().card("guest.tools_not_running")
        tools = card.rules[0].measure
        assert tools is not None
        assert (tools.word(1.0), tools.word(0.4), tools.bad(1.0)) == ("running", "running", "not running")
        assert [tools.word(value) for value in (1e308, float("inf"), -7.0, float("nan"))] == [
            "running", "running", "not running", ""
        ]  # fmt: skip

    def test_a_limit_that_was_passed_for_too_short_a_time_says_for_how_long(self) -> None:
        recording = Recording()
        recording.on_host({"mem.state": during(300, 310, 2.0, 0.0), "mem.free": 4096.0})
        recording.vm("web01", {"cpu.ready": during(300, 310, 28.2, 0.2), "cpu.max_limited": 0.0})
        recording.shared(
            "naa.1", {"disk.commands": 50.0, "disk.aborts": during(300, 304, 1.4, 0.0), "disk.resets": 0.0}
        )
        checks = self.checks(recording)
        assert {one: checks[one].verdict for one in ("cpu.ready_high", "storage.aborts")} == {
            "cpu.ready_high": "not found", "storage.aborts": "not found",
        }  # fmt: skip
        assert check_because(checks["cpu.ready_high"]).endswith(
            " of web01 at most 28.2 %, limit 5 % for 1 min; over it for 15 s at a time"
        )
        assert check_because(checks["mem.host_state"]).endswith(
            "at worst soft, a problem: soft or worse for 1 min; so for 15 s at a time"
        )
        assert check_because(checks["storage.aborts"]).endswith(
            "at most 1.40 /s; any in 2 samples is a problem; so in 1"
        )

    def test_a_limit_that_was_passed_for_long_enough_says_that_the_rule_asks_for_more(self) -> None:
        """A disk that is slower than its limit, but no slower than its device."""
        recording = Recording()
        recording.on_host({"cpu.pcpu_util": 30.0})
        recording.shared("naa.1", {"disk.commands": 300.0, "disk.device_latency": 9.0})
        db01 = recording.vm("db01", {"cpu.ready": 0.5})
        reads: dict[str, Level] = {"vdisk.reads": 200.0, "vdisk.latency_read": 12.0}
        writes: dict[str, Level] = {"vdisk.writes": 100.0, "vdisk.latency_write": 12.0}
        recording.add("vdisk", "scsi0:0", reads | writes, parent=db01)
        disk = self.checks(recording)["storage.vm_latency"]
        assert disk.verdict == "not found"
        assert check_because(disk).startswith(
            "latency of the worst virtual disk, its device healthy, of db01 at most 12 ms, "
            "limit 10 ms for 1 min; it was for that long, but without what else the rule asks"
        )

    @pytest.mark.parametrize(("seconds", "how_long"), [(5, ""), (30, "; over it for 10 s at a time")])
    def test_a_number_past_its_limit_is_told_though_it_is_too_short_to_judge(
        self, seconds: float, how_long: str
    ) -> None:
        recording = Recording(seconds=seconds)
        recording.on_host({"cpu.pcpu_util": 30.0})
        recording.vm("web01", {"cpu.ready": 1.0, "cpu.max_limited": 0.0})
        recording.shared("naa.1", {
            "disk.commands": 50.0, "disk.device_latency": during(0, 5, 171.0, 1.0),
            "disk.active": 0.0, "disk.queued": 0.0,
        })  # fmt: skip
        diagnosis = diagnosed(recording)
        told = told_checks(diagnosis.verdict)
        assert [one.problem for one in told] == ["storage.device_latency"]
        assert check_because(told[0]) == (
            f"device latency of naa.1 at most 171 ms, limit 10 ms for 1 min{how_long}; too few samples"
        )
        assert "device latency of naa.1 at most 171 ms" in " ".join(report_text(diagnosis).split())

    def test_where_any_is_a_problem_no_limit_of_nothing_is_told(self) -> None:
        recording = Recording()
        recording.shared("naa.1", {"disk.commands": 50.0, "disk.aborts": 0.0, "disk.resets": 0.0})
        said = check_because(self.checks(recording)["storage.aborts"])
        assert said == "aborts and resets of naa.1 at most 0 /s; any is a problem"

    def test_a_part_of_a_whole_is_told_in_percent(self) -> None:
        number = CheckNumber("I/Os, of its limit,", EntityRef("vm", "a"), "web01", 0.62, 0.95, "ratio", 60.0)
        assert number_text(number) == "I/Os, of its limit, of web01 at most 62 %, limit 95 % for 1 min"
        times = replace(number, what="write latency", value=1.25, limit=3.0)
        assert number_text(times) == "write latency of web01 at most ×1.25, limit ×3 for 1 min"

    def test_an_idle_device_has_no_latency_that_is_judged(self) -> None:
        recording = Recording()
        recording.shared("naa.1", {"disk.commands": 0.5, "disk.device_latency": 30.0})
        recording.shared("naa.2", {"disk.commands": 50.0, "disk.device_latency": 2.0})
        number = self.checks(recording)["storage.device_latency"].number
        assert number is not None
        assert (number.entity_name, number.value, number.limit) == ("naa.2", 2.0, 10.0)

    def test_nothing_that_can_have_it_and_no_counter_to_judge_by(self) -> None:
        recording = Recording()
        recording.vm("web01", {"cpu.run": 10.0})
        checks = self.checks(recording)
        assert checks["storage.nfs_latency"].verdict == "not applicable"
        assert checks["cpu.costop"].verdict == "insufficient data"
        assert checks["cpu.costop"].number is None
        assert "%CSTP" in check_because(checks["cpu.costop"])

    def test_over_the_limit_in_too_short_a_recording_is_suspected(self) -> None:
        recording = Recording(seconds=30)
        recording.vm("web01", {"cpu.ready": 12.0})
        ready = self.checks(recording)["cpu.ready_high"]
        assert (ready.verdict, ready.suspected) == ("suspected", 1)
        assert ready.number is not None
        assert ready.number.value == 12.0

    def test_the_document_has_them(self) -> None:
        recording = Recording()
        recording.vm("web01", {"cpu.ready": 1.0})
        document = findings_json(diagnosed(recording))
        problems = {one["problem"]: one for one in document["verdict"]["problems"]}  # type: ignore[index]
        assert problems["cpu.ready_high"]["verdict"] == "not found"
        assert problems["cpu.ready_high"]["number"] == {
            "what": "ready without what a CPU limit held back, on the worst vCPU",
            "entity": {"kind": "vm", "name": "web01"}, "value": 1.0, "limit": 5.0, "unit": "%",
            "hold_s": 60.0, "is_below": False, "is_common": False, "word": "", "bad": "",
            "passed_s": 0.0, "hold_samples": 0, "passed_samples": 0,
        }  # fmt: skip
        json.dumps(document, allow_nan=False)

    def test_every_shipped_card_has_a_number(self) -> None:
        with_number = {rule.card.id for rule in compile_problems(problems()) if rule.measure is not None}
        assert with_number == {card.id for card in problems().cards if card.rules}

    def test_a_number_that_the_condition_does_not_look_at_is_refused(self, tmp_path: Path) -> None:
        mine = changed_card(tmp_path, "cpu.limit.toml", 'expr = "limited", limit', 'expr = "run", limit')
        recording = Recording()
        recording.vm("web01", {"cpu.ready": 1.0})
        with pytest.raises(KnowledgeError, match="does not look at 'run'"):
            diagnose(session(recording), load_problems([mine]), catalogue())


@pytest.mark.parametrize("has_driver", [True, False])
def test_a_likely_cause_steps_back_while_a_nearer_one_is_unknown(has_driver: bool) -> None:
    """Why a VM is swapped and not ballooned, only its balloon driver tells."""
    recording = Recording()
    recording.on_host(
        {"mem.state": 2.0, "mem.free": 900.0, "mem.machine": 98_304.0, "mem.kernel_minfree": 1_900.0}
    )
    driver: dict[str, Level] = {
        "mem.balloon_driver": 1.0,
        "mem.balloon": 900.0,
        "mem.balloon_target": 900.0,
        "mem.balloon_max": 9_000.0,
    }
    levels: dict[str, Level] = {"mem.swap_write": 2.0, "mem.swap_read": 0.5, "mem.swapped": 800.0}
    recording.vm("db", {**levels, **(driver if has_driver else {})})
    found = only(recording, problem="mem.swapping")
    verdict = {one.cause: one.verdict for one in found.causes}
    assert verdict["host_overcommit"] == ("likely" if has_driver else "possible")
    assert verdict["tools_missing"] == ("ruled out" if has_driver else "unknown")


def test_a_check_that_saw_nothing_to_look_at_says_so_beside_what_it_lacks() -> None:
    check = CheckReach("svmotion.impact", "x", 48, 19, "29 of 48 lack samples for it", "not found")
    assert check_because(check) == ("nothing was in the state that it looks at; 29 of 48 lack samples for it")
    lacking = CheckReach("cpu.costop", "x", 48, 0, "no source has %CSTP", "insufficient data")
    assert check_because(lacking) == "no source has %CSTP"
