"""The report as an admin reads it: whole, at 80 columns, in a pipe, without colour, with hostile names."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from diagnosis.plain_text import finding_text, findings_markdown, report_text
from diagnosis.report import evidence_cells, render_report
from sessions.findings import Evidence
from tests.diagnosis.recordings import Recording, diagnosed, during


def printed(
    *recordings: Recording,
    width: int = 80,
    encoding: str = "utf-8",
    terminal: bool = False,
    checks: bool = False,
) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    console = Console(
        file=stream, width=width, force_terminal=terminal, markup=False, highlight=False, legacy_windows=False
    )
    render_report(diagnosed(*recordings), console, checks=checks)
    stream.flush()
    return raw.getvalue().decode(encoding)


def limited(name: str = "web01") -> Recording:
    recording = Recording(seconds=600)
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
    levels = {
        "cpu.max_limited": during(200, 495, 4.0),
        "cpu.ready": 4.5,
        "cpu.alloc_max": 3_000.0,
        "cpu.run": 60.0,
    }
    recording.vm(name, levels)
    return recording


def test_a_finding_reads_like_a_page_of_the_manual() -> None:
    text = printed(limited(), checks=True)
    head, _, tail = text.partition("\nVerdicts")
    assert (
        head
        == """\
Findings: 1 critical
2026-09-21 14:13:20 to 14:23:15 (9 min 55 s), times in UTC

1. ‼ CRITICAL  Held back by a CPU limit: web01 (vm)
   web01 was held back by a CPU limit for 4 % of the time on its worst vCPU;
   esx01 was 40 % busy.
   When       2026-09-21 14:16:40 to 14:21:35 (4 min 55 s). It was so in 50 % of
              its samples.
   Evidence   Held back by a CPU limit (%MLMTD), mean: 4 %   limit 0.10 %
              Held back by a CPU limit (%MLMTD), 95th percentile: 4 %
              limit 1 %
              CPU limit (AMAX), most of the time: 3 GHz
              CPU run (%RUN), mean: 60 %
              Processor utilisation (PCPU UTIL(%)), mean: 40 %
   Causes     ● likely: The VM has a limit of its own. Its limit was 3 GHz.
              ○ ruled out: Its resource pool has a limit. The VM's own
                limit explains it (3 GHz).
   What to do 1. Set the CPU limit of web01 to unlimited; check its template and
                 its clones for the same.
              2. Where it must not take too much, use shares.
"""
    )
    assert "cpu.limit (1)" in tail


def test_a_number_that_has_words_of_its_own_names_whose_it_is_in_brackets() -> None:
    """Not "the other uplinks of esx01/vmnic1", which would be uplinks of that one."""
    outcome = diagnosed(limited())
    other = Evidence("nic.speed", "vmnic1", "last", 10_000, None, "Mbit/s", "Link speed of the other uplinks")
    assert evidence_cells(other, outcome)[0] == "Link speed of the other uplinks (vmnic1), latest"
    own = Evidence("cpu.ready", "esx01", "mean", 7.0, None, "%")
    assert evidence_cells(own, outcome)[0] == "CPU ready (%RDY) of esx01, mean"
    sources = (replace(outcome.verdict.sources[0], name="vc01"), *outcome.verdict.sources)
    told = replace(outcome, verdict=replace(outcome.verdict, sources=sources))
    assert evidence_cells(replace(own, instance="vc01"), told)[0] == "CPU ready (%RDY), as vc01 tells, mean"
    own = Evidence("cpu.ready", "vCPU 0", "mean", 7.0, None, "%")
    assert evidence_cells(own, outcome)[0] == "CPU ready (%RDY) of vCPU 0, mean"


def test_what_no_sample_shows_is_not_said_to_be_in_none_of_them() -> None:
    recording = Recording(seconds=15)
    recording.on_host({"cpu.pcpu_util": 40.0})
    text = printed(recording)
    assert "Too little data to judge by: esx01" in text
    assert "of its samples" not in text


def test_a_healthy_session_says_so_and_what_was_not_checked() -> None:
    recording = Recording(seconds=600)
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
    recording.vm("web01", {"cpu.ready": 0.4, "cpu.max_limited": 0.0})
    text = printed(recording, checks=True)
    assert text.startswith("Judged in part: no problem found in CPU.\n")
    assert re.search(r"Checked +\d problems: .*cpu.limit \(1\),.*cpu.ready_high\s+\(1\)", text, re.DOTALL)
    assert "cpu.costop: needs CPU co-stop (%CSTP), which this data does not have." in text
    assert "storage.nfs_latency" in text
    why = "this data has nothing that they are about, or not the counters that they need."
    assert why in " ".join(text.split())


def test_checks_are_told_in_a_line_for_each_area() -> None:
    recording = Recording(seconds=600)
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0, "mem.state": 0.0})
    recording.vm("web01", {"cpu.ready": 0.4, "cpu.max_limited": 0.0})
    recording.vm("bare", {"cpu.used": 20.0})
    text = printed(recording)
    assert len(text.splitlines()) < 30
    flat = " ".join(text.split())
    assert "Checks CPU: 3 not found (of 2 only a part could be judged); not judged cpu.costop, " in flat
    assert " (esxtop -b -a would tell)" in flat
    assert "Memory: 1 not found; not judged mem." in flat
    assert "cpu.ready_high" not in flat, "counted, not listed"
    assert "the vSAN performance service would show 6" in flat
    assert flat.endswith("hyperscope diagnose SESSION --checks")


def test_a_number_over_its_limit_is_told_in_the_short_report_too() -> None:
    recording = Recording(seconds=45)
    recording.on_host({"mem.state": 0.0})
    recording.vm("web01", {"cpu.max_limited": 20.0, "cpu.ready": 21.0, "cpu.run": 80.0})
    long = Recording("esx02", seconds=600)
    long.on_host({"mem.state": 0.0})
    assert "cpu.limit: suspected: time held back by a limit" in " ".join(printed(recording, long).split())


def test_what_was_judged_in_part_is_not_among_what_was_not_judged() -> None:
    text = " ".join(printed(limited(), checks=True).split())
    part, _, none = text.partition(" In part ")[2].partition(" Not judged ")
    assert "judged without" in part
    assert "judged without" not in none
    assert "this data does not have" in none


def test_states_of_two_samples_were_not_ruled_out() -> None:
    recording = Recording(seconds=10)
    recording.on_host({"mem.state": 0.0})
    text = " ".join(printed(recording).split())
    assert text.startswith("Could not be judged.")
    assert "Checked" not in text
    assert (
        "Looked for 1 problem, but there are too few samples to rule it out: mem.host_state (in 1 entity)."
        in text
    )
    assert text.endswith("Nothing could be judged: this is no all-clear.")


def test_a_state_that_two_samples_show_is_judged_and_nothing_else() -> None:
    """It is a warning: that nothing could be judged would contradict it."""
    recording = Recording(seconds=10)
    recording.on_host({"mem.balloon": 5_000.0, "mem.balloon_target": 5_000.0, "mem.state": 1.0})
    text = " ".join(printed(recording).split())
    assert text.startswith("Findings: 1 warning")
    assert "Nothing else could be judged: 2 samples over 10 s" in text
    assert "mem.ballooning" not in text
    assert text.endswith("Nothing else could be judged: this is no all-clear.")


def test_consequences_are_folded_beneath_their_cause() -> None:
    recording = limited()
    recording.vm("db", {"cpu.max_limited": 20.0, "cpu.ready": 21.0, "cpu.run": 80.0, "cpu.alloc_max": 900.0})
    text = printed(recording)
    assert text.startswith("Findings: 2 critical, 1 more follows from these\n")
    assert re.search(r"So also    . info  db \(vm\): db's vCPUs ran 80 % of the time", text)
    assert text.count("VM uses all the CPU") == 0


def test_the_same_vms_below_a_cause_are_named_once() -> None:
    recording = Recording(seconds=600)
    recording.on_host({"mem.state": 3.0, "mem.free": 900.0, "mem.machine": 90_000.0})
    for number in range(4):
        levels = {"mem.swap_read": 2.0, "mem.swap_write": 2.0, "mem.swapped": 800.0, "cpu.swap_wait": 8.0}
        recording.vm(f"vm{number}", levels)
    text = " ".join(printed(recording).split())
    assert text.count("4 VMs (vm0, vm1, vm2, vm3).") == 1
    assert "vCPUs wait for swapped memory: the same 4 VMs." in text


def test_what_is_only_worth_knowing_is_listed_together() -> None:
    recording = Recording(seconds=600)
    for name in ("a", "b", "c"):
        recording.vm(
            name, {"mem.swapped": 300.0, "mem.swap_read": 0.0, "mem.swap_write": 0.0, "mem.size": 4096.0}
        )
    text = printed(recording)
    assert text.startswith("Judged in part: no problem found in memory; 3 to know of.\n")
    assert "1. ℹ INFO  Memory still swapped from an earlier shortage: 3 VMs\n   - a has 300 MB" in text


def test_of_many_that_have_the_same_only_some_are_told_in_full() -> None:
    recording = Recording(seconds=600)
    for number in range(12):
        levels = {"cpu.max_limited": 8.0, "cpu.ready": 8.5, "cpu.run": 60.0, "cpu.alloc_max": 900.0}
        recording.vm(f"vm{number:02}", levels)
    text = " ".join(printed(recording).split())
    assert "vm00 (vm) and 11 more" in text
    assert text.count("was held back by a CPU limit for 8 % of the time") == 5
    assert "And 7 VMs more: vm05, vm06, vm07, vm08, vm09, vm10, vm11." in text


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_it_keeps_within_the_width(width: int) -> None:
    assert max(map(len, printed(limited(), width=width).splitlines())) <= width


def test_verdicts_and_severities_are_words_wherever_symbols_can_not_be_printed() -> None:
    text = printed(limited("web 01"), encoding="ascii")
    assert "1. !! CRITICAL" in text
    assert "* likely:" in text
    assert "- ruled out:" in text


def test_colour_is_never_the_only_meaning() -> None:
    coloured = printed(limited(), terminal=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == printed(limited())


def test_names_are_shown_and_not_obeyed() -> None:
    hostile = "[red]x[/red] [link=http://evil]\x1b]0;owned\x07\x1b[2J \u202egnp.exe\n{entity}"
    text = printed(limited(hostile), width=100)
    assert "[red]x[/red]" in text
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "{entity}" in text


def test_a_finding_alone_is_a_page_of_the_report() -> None:
    outcome = diagnosed(limited(), limited("db02"))
    whole = report_text(outcome)
    assert whole.startswith("Findings: ")
    assert "\x1b" not in whole
    for finding in outcome.findings[:2]:
        page = finding_text(finding, outcome)
        assert page.startswith(f"1. ‼ CRITICAL  Held back by a CPU limit: {finding.entity_name} (vm)\n")
        assert "   Evidence   Held back by a CPU limit (%MLMTD), mean: 4 %   limit 0.10 %\n" in page
        assert "   What to do 1. " in page
        assert "Checked" not in page


def test_markdown_has_headings_a_table_and_lists() -> None:
    text = findings_markdown(diagnosed(limited()))
    lines = text.splitlines()
    assert lines[0] == "# Findings: 1 critical"
    assert "## ▲ Held back by a CPU limit: web01 (vm)" in lines
    at = lines.index("| Evidence | Value | Limit |")
    assert lines[at + 1] == "| --- | --- | --- |"
    assert lines[at + 2] == "| Held back by a CPU limit (%MLMTD), mean | 4 % | 0.10 % |"
    assert any(line.startswith("- **likely**: The VM has a limit of its own.") for line in lines)
    assert any(line.startswith("1. ") for line in lines)


def test_a_name_is_not_markup_in_markdown() -> None:
    text = findings_markdown(diagnosed(limited("<img src=x> [a](http://b) *c* | d\n# e")))
    assert "\\<img src=x\\> \\[a\\](http://b) \\*c\\* \\| d \\# e" in text
    assert "<img" not in text.replace("\\<img", "")
