"""What to do: steps of supported causes only, lines to copy in which no name can end its quotes."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any

from resources.guided_flow import load_flow, load_ways
from resources.problem_cards import load_problems
from sessions.findings import CauseVerdict, Evidence, Finding, Verdict
from sessions.model import EntityRef
from sessions.times import TimeRange
from sessions.troubleshooting import CheckResult, RuleLine, SeenChange, Step
from sessions.verdicts import CheckNumber
from wizards.flows.troubleshooting.detail import number_words, rules_of
from wizards.flows.troubleshooting.measured_words import measured_text, of_limit_text
from wizards.flows.troubleshooting.outcomes import Circumstances, what_ended
from wizards.flows.troubleshooting.steps import for_powershell, for_shell, steps_of
from wizards.flows.troubleshooting.verified_numbers import JudgedLoad

VM = EntityRef("vm", "vm-1")


def finding(problem: str, causes: dict[str, Verdict], *remedies: str) -> Finding:
    titles = {cause.id: cause.title for cause in load_problems().card(problem).causes}
    judged = tuple(CauseVerdict(one, titles[one], verdict, "") for one, verdict in causes.items())
    return Finding(problem, "", "warning", VM, "db-prod", (), 1.0, "", (), judged, remedies)


def steps(found: Finding, name: str = "db-prod") -> tuple[Step, ...]:
    card = load_problems().card(found.problem)
    return steps_of(found, card, load_ways(), {"vm": name})


def test_a_step_says_where_and_how() -> None:
    causes: dict[str, Verdict] = {"vm_limit": "likely", "pool_limit": "ruled out"}
    found = finding("cpu.limit", causes, "Set it.", "Use shares.")
    one, two = steps(found)
    assert (one.text, one.cause, one.if_so) == ("Set it.", "vm_limit", "")
    assert one.client == "VM › Edit Settings › CPU › Limit › Unlimited. It takes effect at once."
    assert one.powercli == (
        "Get-VM -Name 'db-prod' | Get-VMResourceConfiguration"
        " | Set-VMResourceConfiguration -CpuLimitMhz $null"
    )
    assert two.powercli.endswith("-CpuSharesLevel Normal")


def test_steps_of_possible_causes_say_if_so() -> None:
    told = "If so (The VM has a limit of its own): Set it."
    (one,) = steps(finding("cpu.limit", {"vm_limit": "possible"}, told))
    assert (one.text, one.if_so) == ("Set it.", "The VM has a limit of its own")


def test_a_step_of_two_causes_is_told_once() -> None:
    causes: dict[str, Verdict] = {"swap_in": "likely", "decompression": "likely"}
    found = finding("mem.swap_wait", causes, "Relieve it now.", "Fast storage.", "Relieve it.")
    assert [one.cause for one in steps(found)] == ["swap_in", "swap_in", "decompression"]


def test_what_follows_from_another_problem_has_no_steps() -> None:
    assert steps(finding("cpu.limit", {"vm_limit": "likely"})) == ()


def test_no_name_ends_its_quotes() -> None:
    for quote in "'\u2018\u2019\u201a\u201b":
        line = for_powershell(f"db{quote}; Remove-VM *; {quote}")
        assert line == f"'db{quote * 2}; Remove-VM `*; {quote * 2}'"
    assert for_powershell("a\nb\u2028c") == "'a?b?c'"
    assert for_powershell("[test] 1?") == "'`[test`] 1`?'"
    assert shlex.split(for_shell("naa.1; rm -rf $(x) 'y'")) == ["naa.1; rm -rf $(x) 'y'"]


def test_every_line_to_copy_names_what_it_is_about_or_asks_for_it() -> None:
    lines = [line for way in load_ways().every for line in (way.powercli, way.esxcli) if line]
    assert not [line for line in lines if "\n" in line or "Remove-" in line or "-Confirm:$false" in line]


def test_every_problem_is_in_one_row_and_the_guides_nineteen_are_there() -> None:
    flow = load_flow()
    assert len({problem for row in flow.rows for problem in row.problems}) == len(load_problems().cards)
    assert sum(bool(row.guide) for row in flow.rows) == 19


def test_numbers_are_said_with_what_they_count() -> None:
    assert of_limit_text(33.8, 10, "%") == "33.8 % of 10 %"
    assert of_limit_text(37.1, 2, "ratio") == "×37.1 of ×2"
    assert of_limit_text(0.97, 0.9, "ratio") == "97 % of 90 %"
    assert of_limit_text(0, 0, "/s", "aborts") == "no aborts"
    assert of_limit_text(0.4, 0, "/s", "aborts") == "0.40 /s aborts; any is one too many"
    assert of_limit_text(1, 3, "count", "snapshots") == "1 of 3 snapshots"


def test_a_number_past_its_limit_says_why_it_is_no_problem() -> None:
    flow = load_flow()
    number = CheckNumber("busy", EntityRef("host", "esx01"), "esx01", 85.2, 75, "%", hold_s=60)
    calm = CheckResult(
        "cpu.host_saturated", "Host CPU saturated", "host_cpu", "definite", "not found", "", "", number=number
    )

    def told(**other: Any) -> str:
        return measured_text(replace(calm, number=replace(number, **other)), flow)

    assert told() == "85.2 % of 75 %, peak"
    assert told(passed_s=40) == "85.2 % of 75 %, for 40 s"
    assert told(passed_s=90) == "85.2 % of 75 %, for 1 min 30 s, without the rest of its rule"
    assert told(hold_s=0, hold_samples=3, passed_samples=1) == "85.2 % of 75 %, in 1 of 3 samples"
    assert told(value=60.0) == "60 % of 75 %"
    assert told(is_below=True) == "85.2 % of 75 %"
    assert measured_text(replace(calm, verdict="suspected"), flow) == "85.2 % of 75 %"


def test_a_rule_names_states_and_what_is_unlimited() -> None:
    """An admin reads "soft", as the findings say, not 2, and no limit of −1 MHz."""
    evidence = (
        Evidence("mem.state", "", "max", 2.0, 2.0, "state"),
        Evidence("mem.state", "", "mean", 1.3, None, "state"),
        Evidence("cpu.alloc_max", "", "last", -1.0, None, "MHz"),
        Evidence("cpu.alloc_max", "", "mean", 1e4, None, "MHz"),
        Evidence("mem.state", "", "max", 2.0, None, "", "times"),
    )
    lines = (
        RuleLine("memory state, peak", 2.0, 2.0, "state", holds=True),
        RuleLine("… for at least", 160.0, 60.0, "s", holds=True),
        *(RuleLine(one.counter, one.value, one.threshold, one.unit, None) for one in evidence[1:]),
    )
    check = CheckResult(
        "mem.host_state", "", "", "probable", "problem", "", "", evidence=evidence, rule=lines
    )
    assert [(one.measured, one.limit) for one in rules_of(check)] == [
        ("soft", "soft or worse"), ("2 min 40 s", "≥ 1 min"), ("1.30", "–"), ("unlimited", "–"),
        ("10 GHz", "–"), ("2", "–"),
    ]  # fmt: skip
    number = CheckNumber("memory state", VM, "esx02", 0, 2, "state", word="high", bad="soft or worse")
    well = replace(check, verdict="not found", number=number, rule=(RuleLine("", 0, 2, "state", False),))
    (line,) = rules_of(well)
    assert line == replace(number_words(number), what="")
    assert (line.measured, line.limit, line.holds) == ("high", "soft or worse", "no")
    assert number_words(number).what == "Memory state, worst of esx02"


def test_a_row_that_another_check_tells_names_that_check() -> None:
    """38.7 % of the time held back by a limit are no ready time."""
    number = CheckNumber("held back", VM, "db-prod", 38.7, 0.1, "%")
    title = load_problems().card("cpu.limit").title
    found = CheckResult("cpu.limit", title, "ready", "probable", "problem", "", "", number=number)
    assert measured_text(found, load_flow()) == "38.7 % of 0.10 %: Held back by a CPU limit"
    own = replace(found, problem="cpu.ready_high", title="Ready")
    assert measured_text(own, load_flow()) == "38.7 % of 0.10 %"


def test_what_was_told_of_first_is_not_credited_with_what_a_later_change_ended() -> None:
    """ "I made it" was pressed, nothing changed, and then a limit was really set."""
    told = SeenChange(100_000, "the change that was told of", None, "", told=True)
    seen = SeenChange(900_000, "IOPS limit set to 300", VM, "db-prod")
    load = JudgedLoad("same", is_no_less=True, text="", numbers=())

    def credited(
        ended: int | None, *changes: SeenChange, after: int = 960_000, is_other: bool = False
    ) -> str:
        when = TimeRange(960_000, 1_560_000)
        found = what_ended(ended, Circumstances(changes, load, when, 120_000, 60_000, 60_000, is_other))
        return found.what if found else ""

    assert credited(905_000, told, seen) == seen.what
    assert credited(105_000, told, replace(seen, at=110_000)) == told.what
    assert credited(905_000, told) == told.what
    assert credited(1_200_000, told, seen) == seen.what  # it faded away
    assert credited(None, told, seen) == told.what
    assert credited(905_000, told, seen, is_other=True) == told.what
    assert credited(905_000, seen, replace(told, at=950_000)) == told.what
    assert credited(905_000, seen) == seen.what
    assert credited(500_000, seen) == ""
