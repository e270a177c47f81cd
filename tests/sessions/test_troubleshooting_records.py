"""Guided runs are kept in the session: what was written comes back, the last version of a run counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sessions.findings import CauseVerdict, Evidence
from sessions.model import EntityRef, Event
from sessions.store import SessionReader, SessionWriter
from sessions.store.documents import LAST_MS
from sessions.times import TimeRange
from sessions.troubleshooting import (
    CheckResult,
    Note,
    RowResult,
    RuleLine,
    Step,
    Symptom,
    TroubleshootingRun,
    Verification,
    ranked,
)

DB = EntityRef("vm", "vm-1")
WINDOW, NORMAL = TimeRange(1_000_000, 2_000_000), TimeRange(0, 999_999)
LIMITED = CheckResult(
    "cpu.limit", "Held back by a CPU limit", "ready", "probable", "problem", "It was held back.", "Is it?",
    DB, "db-prod", "warning",
    rule=(RuleLine("max limited", 31.2, 1.0, "%", holds=True),),
    evidence=(Evidence("cpu.max_limited", "", "mean", 31.2, 1.0, "%"),),
    windows=(WINDOW,),
    causes=(CauseVerdict("vm_limit", "A limit of the VM", "likely", "2,000 MHz."),),
    steps=(Step("Set it to unlimited.", "vm_limit", client="Edit Settings, CPU, Limit"),),
    changes=(Event(999_000, "reconfigure", "db-prod was reconfigured", DB, by="svc"),),
    score=1.5,
)  # fmt: skip
READY = replace(
    LIMITED, problem="cpu.ready_high", severity="critical", score=3.0, follows_from=("cpu.limit", "", DB, "")
)
ROW = RowResult("ready", "High ready", "probable", "", "problem", "31.2 of 1 %", "cpu.limit", ("cpu.limit",))
RUN = TroubleshootingRun(
    1, 2_000_500, Symptom(DB, "db-prod", "slow", WINDOW, NORMAL), 2_000_000, (ROW,), (READY, LIMITED)
)  # fmt: skip


def test_a_run_comes_back_as_it_was_and_its_last_version_counts(tmp_path: Path) -> None:
    noted = replace(RUN, notes=(Note(2_100_000, "Order desk: saving takes 20 s.", "mara"),))
    verified = replace(
        noted,
        verifications=(
            Verification(
                3_000_000, "done", WINDOW, TimeRange(2_200_000, 2_900_000), "fixed", "high",
                "Ready is back to 0.6 %.", "The load was the same.", True, 700.0, 600.0,
            ),
        ),
    )  # fmt: skip
    path = tmp_path / "a.hscope"
    with SessionWriter.create(path) as writer:
        writer.add_troubleshooting([RUN, replace(RUN, number=2)])
        writer.add_troubleshooting([verified])
    with SessionReader.open(path) as reader:
        assert reader.troubleshooting() == [verified, replace(RUN, number=2)]


def test_the_cause_stands_before_what_follows_from_it() -> None:
    assert [one.problem for one in ranked(RUN.checks)] == ["cpu.limit", "cpu.ready_high"]
    assert RUN.worst == LIMITED


def test_a_time_that_no_calendar_has_is_refused(tmp_path: Path) -> None:
    beyond = replace(RUN, notes=(Note(LAST_MS + 1, "too late"),))
    with (
        SessionWriter.create(tmp_path / "a.hscope") as writer,
        pytest.raises(ValueError, match="no calendar"),
    ):
        writer.add_troubleshooting([beyond])
