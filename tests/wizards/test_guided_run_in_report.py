"""A guided run in a report: what came of it, did the fix work, and no name of it in an anonymised one."""

# ruff: noqa: E501 - one record a line

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from shutil import which

import pytest

from app.program import run
from resources.problem_cards import load_problems
from sessions.store import SessionReader, SessionWriter
from sessions.times import iso
from tests.app.test_report_command import page, validated
from tests.sessions.test_anonymous import SECRETS, guided_run, left_of, written
from tests.viewmodels.test_report_extremes import HOSTILE, markup_of
from tests.viewmodels.test_report_extremes import written as written_of
from tests.wizards.acting_lab import Acted, acted, set_of
from wizards.flows.troubleshooting.keeping import keep


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> Acted:
    """A VM that a CPU limit holds back until it is raised; the run and its verification are kept."""
    path = tmp_path_factory.mktemp("fixed") / "limit.hscope"
    told = ("victim", "limit removed")
    found = acted(
        path, "cpu-limit-vm", set_of("victim", limit=float("inf")), seed=2, at_s=600, minutes=22, told=told
    )
    until = ("--until", iso(found.at), "--note", "Saving an order takes 20 s")
    assert run(["troubleshoot", str(path), "--entity", found.vm("victim"), *until]) == 0
    assert run(["troubleshoot", str(path), "--verify", "1"]) == 0
    return found


def test_a_guided_run_is_told_from_symptom_to_fixed(fixed: Acted, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    assert run(["report", str(fixed.path), "-o", str(out)]) == 0
    assert validated(out) == ""
    markup, vm = out.read_text(encoding="utf-8"), fixed.vm("victim")
    told = page(markup, "guided-1")
    assert told.startswith(f"3 Guided troubleshooting: {vm} run 1")
    assert "Fixed, confidence high." in told
    assert re.search(r"Did the fix work\? .* Before: .*; after: ", told)
    assert f"{vm}: limit removed, by mara" in told
    assert "What was looked at 0 of 25 found, after the change" in told
    assert re.search(r"Held back by a CPU limit: \S+ problem · .* · now not found", told)
    assert "PowerCLI: " in told
    assert "Saving an order takes 20 s" in told
    assert f"{vm} Fixed, confidence high." in page(markup, "summary")
    assert re.search(r"fixed, verified to \d\d:\d\d:\d\d", page(markup, "summary"))
    assert 'aria-label="' in markup.partition('id="guided-1"')[2].partition("</section>")[0]  # its chart


def test_sections_are_chosen_and_put_in_order(fixed: Acted, tmp_path: Path) -> None:
    out = tmp_path / "report.html"

    def sections(*options: str) -> list[str]:
        assert run(["report", str(fixed.path), "-o", str(out), *options]) == 0
        assert validated(out) == ""
        return re.findall(r'<section id="([\w-]+)"', out.read_text(encoding="utf-8"))

    everything = ["summary", "findings", "timeline", "guided-1", "inventory", "sources", "method"]
    assert sections() == everything
    assert sections("--for", "manager") == ["summary", "timeline", "guided-1"]
    assert sections("--for", "support") == everything[1:]
    assert sections("--section", "sources", "--section", "guided") == ["sources", "guided-1"]
    assert sections("--without", "guided-1", "--without", "method") == [*everything[:3], *everything[4:6]]


def test_author_title_and_remarks_stand_on_page_1(fixed: Acted, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    words = [
        "--title",
        "Orders were <slow>",
        "--author",
        "Mara",
        "--remark",
        "Ticket & more",
        "--look",
        "dark",
    ]
    assert run(["report", str(fixed.path), "-o", str(out), *words]) == 0
    markup = out.read_text(encoding="utf-8")
    assert validated(out) == ""
    assert "<h1>Orders were &lt;slow&gt;</h1>" in markup
    assert "· prepared by Mara</p>" in markup
    assert "Remarks Ticket & more" in page(markup, "summary")
    assert 'id="look-dark" checked' in markup


def test_what_can_not_be_chosen_is_said(
    fixed: Acted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*options: str) -> str:
        capsys.readouterr()
        assert run(["report", str(fixed.path), "-o", str(tmp_path / "r.html"), *options]) == 2
        return capsys.readouterr().err

    assert "No section of a report is called 'weather'. There are: summary, " in refused(
        "--section", "weather"
    )
    assert "It has: summary, findings, " in refused("--section", "test")
    assert "--author is a name" in refused("--author", "Mara", "--anonymise")
    assert list(tmp_path.iterdir()) == []


def test_an_anonymised_report_tells_the_run_without_names(tmp_path: Path) -> None:
    session, out = written(tmp_path / "acme.hscope"), tmp_path / "report.html"
    assert run(["report", str(session), "-o", str(out), "--anonymise", "--remark", "payroll-db again"]) == 0
    markup = out.read_text(encoding="utf-8")
    assert left_of(SECRETS, iter([markup])) == []
    told = page(markup, "guided-1")
    assert "Guided troubleshooting: vm-1 run 1" in told
    assert "Fixed, confidence high; worse elsewhere: vm-4." in told
    assert "PowerCLI: Get-VM 'vm-1' | Set-VM" in told
    assert "vm-1 again" in page(markup, "summary")
    assert validated(out) == ""


def hostile(path: Path) -> Path:
    """A session of hostile names with a guided run that holds each of them in each of its texts."""
    session = written_of(path, HOSTILE, found=3)
    with SessionReader.open(session) as reader:
        refs = sorted((ref for ref in reader.entities() if ref.kind == "vm"), key=lambda one: one.key)
        names = {ref: one.name for ref, one in reader.entities().items()}
    for ref in refs:
        name, run_of = names[ref], guided_run()
        check = replace(
            run_of.checks[0], entity=ref, name=name, because=name, looked_at=name, notes=(name,), get=name,
            rule=tuple(replace(one, what=name, source=name) for one in run_of.checks[0].rule),
            steps=tuple(replace(one, text=name, powercli=name, seen=name) for one in run_of.checks[0].steps),
            follows_from=None,
        )  # fmt: skip
        keep(
            session,
            replace(
                run_of, symptom=replace(run_of.symptom, entity=ref, name=name, noticed="slow"), checks=(check,),
                limits=(name,), notes=(replace(run_of.notes[0], text=name, by=""),),
                changes=tuple(replace(one, what=name, name=name, entity=ref) for one in run_of.changes),
                verifications=tuple(
                    replace(
                        one, because=name, load=name, session="", checked=(check,), elsewhere=(),
                        changes=tuple(replace(x, what=name, name=name, entity=ref, by="") for x in one.changes),
                    )
                    for one in run_of.verifications
                ),
            ),
        )  # fmt: skip
    return session


def test_hostile_names_in_guided_runs_are_only_text(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    markup = markup_of(hostile(tmp_path / "s.hscope"), out)
    assert validated(out) == ""
    assert not re.search(r"<script|<img|onerror=(?!alert\(1\)&gt;)", markup)
    assert markup.count('<section id="guided-') == len(HOSTILE)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ufffe\uffff]", markup)
    assert len(markup.encode()) < 5_000_000


def test_an_anonymised_report_has_no_hostile_name(tmp_path: Path) -> None:
    session, out = hostile(tmp_path / "s.hscope"), tmp_path / "report.html"
    assert run(["report", str(session), "-o", str(out), "--anonymise"]) == 0
    assert validated(out) == ""
    markup = out.read_text(encoding="utf-8")
    names = ("alert", "egnp", "31mred", "שרת", "n" * 100, "7*7", "evil.example", "line\r\nname")
    assert left_of(names, iter([markup])) == []
    assert markup.count('<section id="guided-') == len(HOSTILE)


def test_the_run_of_a_problem_that_is_no_card_any_more_is_told(tmp_path: Path) -> None:
    """A session of another version: a check whose problem nobody knows."""
    session, out = written(tmp_path / "acme.hscope"), tmp_path / "report.html"
    old = guided_run()
    unknown = replace(old.checks[0], problem="gone.problem", verdict="problem")
    assert all(card.id != "gone.problem" for card in load_problems().cards)
    with SessionWriter.open(session) as writer:
        writer.add_troubleshooting([replace(old, checks=(unknown,))])
    assert "Held back by a CPU limit" in page(markup_of(session, out), "guided-1")


def test_a_run_that_waits_beside_a_recording_is_told_without_names_too(tmp_path: Path) -> None:
    session, out = written(tmp_path / "acme.hscope"), tmp_path / "report.html"
    with SessionWriter.open(session):  # somebody records
        assert keep(session, guided_run()).number == 2
        assert run(["report", str(session), "-o", str(out), "--anonymise"]) == 0
    markup = out.read_text(encoding="utf-8")
    assert page(markup, "guided-2")
    assert left_of(SECRETS, iter([markup])) == []


def test_neither_file_of_an_anonymised_report_has_a_name(fixed: Acted, tmp_path: Path) -> None:
    """With a guided run, its verification and a comparison: HTML, and what a reader sees of the PDF."""
    out, pdf = tmp_path / "report.html", tmp_path / "report.pdf"
    with SessionReader.open(fixed.path) as reader:
        span = reader.span()
        kinds = ("vm", "host", "datastore")
        names = tuple(one.name for one in reader.entities().values() if one.ref.kind in kinds)
    assert span is not None
    windows = (
        "--before", f"{iso(span.start)}..{iso(fixed.at - 1000)}", "--after", f"{iso(fixed.at)}..{iso(span.end)}",
    )  # fmt: skip
    words = [sys.executable, "-m", "app", "report", str(fixed.path), "-o", str(out), "--pdf", str(pdf)]
    done = subprocess.run(  # Qt's application has a process of its own
        [*words, "--anonymise", *windows], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    markup = out.read_text(encoding="utf-8")
    assert len(names) > 40
    assert page(markup, "comparison")
    assert left_of(names, iter([markup, out.name])) == []
    assert left_of(names, iter([pdf.read_bytes().decode("latin-1")])) == []
    pdftotext = which("pdftotext")
    if pdftotext is not None:
        told = subprocess.run([pdftotext, pdf, "-"], capture_output=True, text=True, check=True).stdout
        assert "Did the fix work?" in told
        assert left_of(names, iter([told])) == []


def test_several_comparisons_are_sections_of_their_own(fixed: Acted, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    with SessionReader.open(fixed.path) as reader:
        span = reader.span()
    assert span is not None
    at, third = fixed.at, (span.end - fixed.at) // 2
    pairs = [(span.start, at - 1000, at, span.end), (at, at + third, at + third + 1, span.end)]
    words = [
        word
        for a, b, c, d in pairs
        for word in ("--before", f"{iso(a)}..{iso(b)}", "--after", f"{iso(c)}..{iso(d)}")
    ]
    assert run(["report", str(fixed.path), "-o", str(out), *words]) == 0
    assert validated(out) == ""
    markup = out.read_text(encoding="utf-8")
    assert page(markup, "comparison-1")
    assert page(markup, "comparison-2")
