"""A guided test in a report and in a session that is given away: verdict, raw numbers, and no names."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.commands.report import ReportRequest, make_report
from sessions.anonymous import write_anonymised
from sessions.store import SessionReader
from tests.app.test_report_command import page, validated
from tests.sessions.test_anonymous import every_text, left_of
from tests.wizards.memory_environment import MemoryEnvironment
from tests.wizards.running import run_plan, short_plan
from viewmodels.report.html.page import report_html
from wizards.flows.plan_file import parse_plan
from wizards.flows.run_details import details_text, read_rounds


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of two depths, run to its end."""
    path = tmp_path_factory.mktemp("run") / "s.hscope"
    around = MemoryEnvironment()
    run_plan(path, around, short_plan(around), details=details_text)
    return path


def test_a_run_is_a_section_with_its_verdict_and_raw_numbers(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    markup = report_html(make_report(ReportRequest(session)))
    out.write_text(markup, encoding="utf-8")
    assert validated(out) == ""
    with SessionReader.open(session) as reader:
        (run,) = reader.test_runs()
    told = page(markup, "test-1")
    assert run.verdict in told
    assert "Raw numbers" in told
    assert "Put back" in told
    assert run.verdict in page(markup, "summary")


def test_a_run_without_names_is_still_a_run(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "away.hscope"
    with SessionReader.open(session) as reader:
        write_anonymised(reader, out)
        (before,) = reader.test_runs()
        names = tuple(one.name for one in parse_plan(before.plan).workers)
        hosts = tuple({one.host for one in parse_plan(before.plan).workers})
    assert names
    assert left_of(names, every_text(session)) == list(names)
    assert left_of((*names, *hosts), every_text(out)) == []
    with SessionReader.open(out) as reader:
        (run,) = reader.test_runs()
    plan = parse_plan(run.plan)
    assert (plan.test, len(plan.workers)) == (before.test, len(names))
    assert len(read_rounds(run.details).rounds) == len(read_rounds(before.details).rounds)
