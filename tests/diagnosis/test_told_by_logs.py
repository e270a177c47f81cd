"""Lines of logs as evidence: for what they tell, never against what they don't."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
from rich.console import Console

from diagnosis import diagnose_session
from diagnosis.report import render_report
from sessions.findings import Finding
from sessions.model import EntityRef, Event, SourceSpec
from sessions.verdict_wording import source_limits
from tests.diagnosis.recordings import START, Recording, catalogue, during, problems, session, verdicts
from tests.diagnosis.test_cards_storage import LUN, host, lun

FULL = f"{LUN}: write (0x2a) failed over vmhba2:C0:T0:L1: task set full: the device's queue is full (D:0x28)"
LINK = "vmnic0: its link is down"


def told(*recordings: Recording, text: str = "", about: EntityRef, kind: str = "storage") -> list[Finding]:
    """Findings of recordings of esxtop beside a log that says ``text`` of something; empty: nothing of it."""
    made = session(*recordings)
    event = Event(START + 300_000, kind, text, about, START + 330_000, "log:1", log="vmkernel.log")
    made.add_source(
        SourceSpec("log", "esx01"),
        np.zeros(0, np.int64),
        [],
        np.zeros((0, 0)),
        events=[event] if text else [replace(event, entity=EntityRef("host", "esx02"), text="PCPU 1")],
    )
    return list(diagnose_session(made, problems(), catalogue()).findings)


def of(findings: list[Finding], problem: str) -> Finding:
    [found] = [one for one in findings if one.problem == problem]
    return found


def aborting() -> Recording:
    esx01 = host()
    lun(esx01, aborts=during(240, 360, 2.0))
    return esx01


def test_a_line_is_evidence_for_a_cause_and_names_its_log() -> None:
    with_log = of(told(aborting(), text=FULL, about=EntityRef("device", LUN)), "storage.aborts")
    silent = of(told(aborting(), about=EntityRef("device", LUN)), "storage.aborts")
    assert "queue is full (D:0x28) [vmkernel.log]" in with_log.conclusion
    assert verdicts(with_log)["array_overloaded"] == "possible"
    assert verdicts(silent)["array_overloaded"] == "ruled out"
    assert "[vmkernel.log]" not in silent.conclusion
    cause = next(one for one in with_log.causes if one.cause == "array_overloaded")
    assert "it says so itself" in cause.because


def test_what_another_host_s_log_says_is_not_this_host_s() -> None:
    line = replace(
        Event(START + 300_000, "storage", FULL, EntityRef("device", LUN), START + 330_000, "log:1"),
        log="esx02: vmkernel.log",
    )
    made = session(aborting())
    spec = SourceSpec("log", "esx02")
    made.add_source(spec, np.zeros(0, np.int64), [], np.zeros((0, 0)), events=[line])
    found = of(list(diagnose_session(made, problems(), catalogue()).findings), "storage.aborts")
    assert verdicts(found)["array_overloaded"] == "ruled out"
    assert "vmkernel.log" not in found.conclusion


def test_a_log_that_is_silent_rules_nothing_out() -> None:
    """Only a vCenter's events tell that nothing of the kind happened."""
    slow = host()
    lun(slow, device_latency=during(200, 500, 40.0, otherwise=2.0))
    alone = of(
        list(diagnose_session(session(slow), problems(), catalogue()).findings), "storage.device_latency"
    )
    beside = of(told(slow, about=EntityRef("device", LUN)), "storage.device_latency")
    assert verdicts(beside) == verdicts(alone)
    assert verdicts(beside)["external_workload"] == "unknown"


def test_a_link_that_a_log_tells_of_is_found() -> None:
    esx01 = host()
    nic = esx01.add(
        "nic", "vmnic0", {"net.mbits_tx": 100.0, "net.mbits_rx": 100.0, "net.link_speed": 10_000.0}
    )
    found = of(told(esx01, text=LINK, about=nic, kind="network"), "net.errors")
    assert f"{LINK} [vmkernel.log] (30 s)" in found.conclusion
    assert verdicts(found)["flapping"] == "possible"


def test_bursts_of_the_same_line_are_told_once() -> None:
    """Its text stood three times in a finding's first sentence: for each burst, and for a line alone."""
    slow = host()
    lun(slow, device_latency=during(200, 500, 40.0, otherwise=2.0))
    about, line = EntityRef("device", LUN), "Performance has deteriorated of it"
    texts = (f"{line}", f"{line} (7 more until 10:08:20 UTC)", line, "All Paths Down of it")
    events = [
        Event(START + 1000 * at, "storage", text, about, START + 1000 * (at + lasted), log="vmkernel.log")
        for text, at, lasted in zip(texts, (210, 300, 420, 450), (0, 60, 0, 0), strict=True)
    ]
    made = session(slow)
    spec = SourceSpec("log", "esx01")
    made.add_source(spec, np.zeros(0, np.int64), [], np.zeros((0, 0)), events=events)
    found = of(list(diagnose_session(made, problems(), catalogue()).findings), "storage.device_latency")
    assert found.conclusion.endswith(
        f"(events at that time: {texts[1]} [vmkernel.log] (1 min); {texts[3]} [vmkernel.log])."
    )


def test_what_happened_shortly_before_names_its_log() -> None:
    slow = host()
    lun(slow, device_latency=during(320, 560, 40.0, otherwise=2.0))
    made = session(slow)
    event = Event(
        START + 300_000, "storage", "All Paths Down of it", EntityRef("device", LUN), log="vobd.log"
    )
    made.add_source(SourceSpec("log", "esx01"), np.zeros(0, np.int64), [], np.zeros((0, 0)), events=[event])
    diagnosis = diagnose_session(made, problems(), catalogue())
    console = Console(file=io.StringIO(), width=200, record=True)
    render_report(diagnosis, console)
    text = console.export_text()
    assert "All Paths Down of it [vobd.log]" in text
    assert not any(one.entity == EntityRef("host", "log") for one in diagnosis.findings)


def test_that_logs_are_not_judged_is_not_said_of_their_host() -> None:
    """Its capture beside them was judged."""
    made = session(aborting())
    event = Event(START + 300_000, "network", LINK, EntityRef("host", "esx01"), log="vmkernel.log")
    made.add_source(
        SourceSpec("log", "esx01"), np.zeros(0, np.int64), [], np.zeros((0, 0)), events=[event]
    )  # fmt: skip
    (limit,) = source_limits(diagnose_session(made, problems(), catalogue()).verdict)
    assert limit.startswith("Not judged: logs of esx01: logs tell what happened")
