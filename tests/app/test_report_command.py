"""``hyperscope report`` as an admin types it: the file, what stands on its first page, and how it refuses."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import which

import pytest

from app.program import run
from resources.problem_cards import load_problems
from resources.report_words import load_report_words
from sessions.store import SessionReader
from sessions.times import iso
from tests.diagnosis.replaying import replay
from tests.gui.recordings import record
from tests.sessions.test_anonymous import SECRETS, left_of, written
from tests.sessions.test_anonymous_spellings import SECRET_WORDS, SPELLED, TEXTS
from tests.sessions.test_anonymous_spellings import written as in_all_spellings

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    def command(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(["report", *map(str, words)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return command


@pytest.fixture
def night(tmp_path: Path) -> Path:
    """Fifteen minutes of the lab in which a CPU limit holds a VM back."""
    return record(tmp_path / "night.hscope", "cpu-limit-vm", 900)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def words_of(markup: str) -> str:
    """What a reader sees: texts without elements, style and drawings."""
    body = re.sub(r"<style>.*?</style>|<svg.*?</svg>", " ", markup, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def page(markup: str, key: str) -> str:
    """The words of one section."""
    found = re.search(rf'<section id="{key}".*?</section>', markup, re.DOTALL)
    assert found is not None, key
    return words_of(found[0])


def validated(path: Path) -> str:
    """What Debian's validator says of a file: nothing, if it is valid."""
    tidy = which("tidy")
    if tidy is None:
        pytest.skip("tidy, which validates HTML, is not installed")
    done = subprocess.run(
        [tidy, "-quiet", "-errors", "-utf8", path], capture_output=True, text=True, check=False
    )
    return done.stderr


def test_the_first_page_says_what_happened_why_and_whether_it_is_over(
    say: Say, night: Path, tmp_path: Path
) -> None:
    out = tmp_path / "report.html"
    code, printed, wrong = say(night, "-o", out)
    assert (code, wrong) == (0, "")
    assert printed.startswith(f"{out}  ")

    first = page(read(out), "summary")
    assert "What happened: A setting held the virtual machine" in first
    assert re.search(r"Why: The VM has a limit of its own\. Its limit was [\d.]+ [MG]Hz\.", first), (
        "and how low it is"
    )
    assert re.search(r"Is it over\? (Yes, it ended at|No, it was still so)", first)
    assert "What to do next Set the CPU limit of" in first
    assert "vCPU A virtual processor of a virtual machine." in first  # every word of the field is explained


def test_a_recording_that_goes_on_has_not_ended(say: Say, tmp_path: Path) -> None:
    whole, path, out = (
        record(tmp_path / "whole.hscope", seconds=900),
        tmp_path / "live.hscope",
        tmp_path / "r.html",
    )
    with SessionReader.open(whole) as reader:
        growing = replay(reader, path, every=170)
        next(growing)
        assert say(path, "-o", out)[0] == 0
        growing.close()
    text = out.read_text(encoding="utf-8")
    assert "the recording goes on" in text
    assert "end of the recording" not in text


def test_the_file_is_valid_and_could_load_nothing(say: Say, night: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    assert say(night, "-o", out)[0] == 0
    markup = read(out)
    assert validated(out) == ""
    assert "default-src 'none'" in markup
    assert not re.search(r"<script|<link|<img|<iframe|@import|url\(|src=|https?://", markup)
    assert len(markup) < 3_000_000


def test_numbers_lead_to_the_chart_that_shows_their_samples(say: Say, night: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    assert say(night, "-o", out)[0] == 0
    markup = read(out)
    assert validated(out) == ""
    links = re.findall(r'<a class="proof" href="#([^"]+)">(.*?)</a>', markup)
    names = re.findall(r' id="([^"]+)"', markup)
    assert sorted(set(names)) == sorted(names), "each name stands once"
    assert {target for target, _ in links} <= set(names), "no link leads nowhere"
    # From page 1 to the finding, from the finding's number to the figure that draws that counter.
    first = markup[: markup.index('<section id="findings"')]
    assert '<a class="proof" href="#found-1">' in first
    limited = next(text for target, text in links if target == "found-1-chart-1")
    assert html.unescape(limited).endswith("%")
    assert '<figure id="found-1-chart-1">' in markup

    assert say(night, "-o", out, "--for", "manager")[0] == 0
    markup = read(out)
    assert '<section id="findings"' not in markup
    assert "#found-" not in markup, "what was left out is not led to"


def test_findings_come_with_numbers_limits_their_source_a_chart_and_causes(
    say: Say, night: Path, tmp_path: Path
) -> None:
    out = tmp_path / "report.html"
    assert say(night, "-o", out)[0] == 0
    findings = page(read(out), "findings")
    assert "Held back by a CPU limit" in findings
    assert "VMN: ≥ 1 %" in findings
    assert "likely The VM has a limit of its own" in findings
    drawn = re.findall(r'<svg[^>]* aria-label="([^"]*)"', read(out))
    assert any("vCPU 0 · held back by a CPU limit: lowest" in spoken for spoken in drawn)
    for key in ("timeline", "inventory", "sources", "method"):
        assert page(read(out), key)


def test_two_windows_are_compared(say: Say, night: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    code, printed, _ = say(night, "-o", out, "--json")
    document = json.loads(printed)
    assert (code, document["files"][0]["name"]) == (0, str(out))
    assert "comparison" not in document["sections"]
    day = re.search(r"(\d+) (\w{3}) (\d\d):(\d\d)", page(read(out), "summary"))
    assert day is not None

    with SessionReader.open(night) as reader:
        span = reader.span()
    assert span is not None
    middle = (span.start + span.end) // 2
    windows = (
        "--before",
        f"{iso(span.start)}..{iso(middle)}",
        "--after",
        f"{iso(middle + 1)}..{iso(span.end)}",
    )
    code, printed, wrong = say(night, "-o", out, "--json", *windows)
    assert (code, wrong) == (0, "")
    assert "comparison" in json.loads(printed)["sections"]
    assert "Was the load the same?" in page(read(out), "comparison")
    assert validated(out) == ""


def test_a_session_is_never_written_over(say: Say, night: Path, tmp_path: Path) -> None:
    before = night.read_bytes()
    code, _, wrong = say(night, "-o", night)
    assert (code, night.read_bytes()) == (4, before)
    assert wrong == f"hyperscope: {night} is a session. The report would replace it. Name another file.\n"
    assert say(night, "-o", tmp_path)[0] == 4
    assert say(night, "-o", tmp_path / "none" / "report.html")[0] == 3


def test_what_can_not_be_written_leaves_nothing_behind(say: Say, night: Path, tmp_path: Path) -> None:
    code, _, wrong = say(night, "-o", tmp_path / f"{'x' * 300}.html")
    assert code == 5
    assert "Nothing was kept." in wrong
    assert [one.name for one in tmp_path.iterdir()] == ["night.hscope"]


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes are no files there")
def test_a_pipe_is_neither_replaced_nor_waited_for(say: Say, night: Path, tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe.html", tmp_path / "link.html"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for out in (pipe, link):
        code, _, wrong = say(night, "-o", out)
        assert code == 5
        assert wrong == (
            f"hyperscope: {out} is a device, a pipe or a socket, not a file. "
            "The report would take its place, or wait for ever; nothing was written. "
            "Name a file that is new, or that may be replaced.\n"
        )
    assert pipe.is_fifo()
    assert link.is_symlink()
    code, _, wrong = say(pipe, "-o", tmp_path / "report.html")
    assert code == 8
    assert wrong.startswith(
        "hyperscope: pipe.html is not a Hyperscope session: it is a device, a pipe or a socket."
    )


@pytest.mark.skipif(sys.platform != "linux", reason="a folder in which even root can't write")
def test_a_pdf_that_fails_does_not_deny_the_report(night: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    words = [sys.executable, "-m", "app", "report", str(night), "-o", str(out), "--pdf", "/proc/report.pdf"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # Qt in a process of its own
    assert done.returncode == 5
    assert f"{out} is written, this is not." in done.stderr
    assert out.is_file()


def test_what_does_not_fit_is_said_before_anything_is_read(say: Say, night: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    code, _, wrong = say(night, "-o", out, "--before", "2026-01-01T00:00..2026-01-01T01:00")
    assert (code, wrong) == (
        2,
        "hyperscope: --before and --after go together. Give both windows as T..T.\n",
    )
    assert say(night, "-o", out, "--before", "yesterday", "--after", "today")[0] == 2
    pdf = tmp_path / "report.PDF"
    assert say(night, "-o", pdf)[::2] == (
        2,
        f"hyperscope: {pdf} would be HTML, whatever its name says. Give -o REPORT.html --pdf report.PDF.\n",
    )
    assert not out.exists()
    assert [one.name for one in tmp_path.iterdir()] == ["night.hscope"]


def test_every_problem_has_plain_words() -> None:
    words = load_report_words()
    assert set(words.by_problem) == {card.id for card in load_problems().cards}
    for problem in words.problems:
        text = f"{problem.sentence('X')} {problem.effect}"
        assert not words.explained(text.replace("limit", "")), f"{problem.id} needs a glossary: {text}"


def test_words_of_the_field_are_found_in_whatever_form() -> None:
    words = load_report_words()
    found = words.explained("Move VMs away; DRS hesitates, its vCPUs wait. Readers don't count as ready.")
    assert [one.word for one in found] == ["VM", "vCPU", "ready", "DRS"]
    assert not words.explained("drs alone, reading, a limitless VMfoo")


def test_an_anonymised_report_has_no_name_of_the_original(say: Say, tmp_path: Path) -> None:
    session, out = written(tmp_path / "acme.hscope"), tmp_path / "report.html"
    code, _, wrong = say(session, "-o", out, "--anonymise", "--title", "Why payroll-db was slow")
    assert (code, wrong) == (0, "")
    assert left_of(SECRETS, iter([read(out)])) == []
    assert "<h1>Why vm-1 was slow</h1>" in read(out)
    assert validated(out) == ""
    assert sorted(one.name for one in tmp_path.iterdir()) == ["acme.hscope", "report.html"]


def test_an_anonymised_report_has_no_name_in_any_spelling(say: Say, tmp_path: Path) -> None:
    session, out = in_all_spellings(tmp_path / "original.hscope"), tmp_path / "report.html"
    code, _, wrong = say(session, "-o", out, "--anonymise", "--remark", "; ".join(TEXTS))
    assert (code, wrong) == (0, "")
    assert left_of((*SPELLED, *SECRET_WORDS), iter([read(out), html.unescape(read(out))])) == []
    assert validated(out) == ""


def test_a_session_is_exported_without_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session, out = written(tmp_path / "acme.hscope"), tmp_path / "away.hscope"
    words = "export", str(session), "-o", str(out), "--anonymise"
    assert run(words) == 0
    printed = capsys.readouterr().out
    assert "Replaced: " in printed
    assert "1 × host" in printed
    assert "2 notes were typed by people: read what is left of them" in printed
    assert run(words) == 4  # nothing is overwritten
    assert run(("export", str(session), "-o", str(tmp_path / "x"), "--anonymise", "--csv")) == 2


def test_a_pdf_is_printed_without_a_display(night: Path, tmp_path: Path) -> None:
    out, pdf = tmp_path / "report.html", tmp_path / "report.pdf"
    environment = {
        name: text for name, text in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    environment.pop("QT_QPA_PLATFORM", None)
    words = [sys.executable, "-m", "app", "report", str(night), "-o", str(out), "--json"]
    words += ["--pdf", str(pdf), "--page", "letter"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    files = json.loads(done.stdout)["files"]
    assert [(one["kind"], one["bytes"]) for one in files] == [
        ("html", out.stat().st_size), ("pdf", pdf.stat().st_size)
    ]  # fmt: skip
    assert files[1]["pages"] >= 4
    assert pdf.read_bytes().startswith(b"%PDF-")


def test_both_files_are_there_or_none(say: Say, night: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    assert say(night, "-o", out, "--pdf", out)[0] == 2
    assert say(night, "-o", out, "--pdf", tmp_path / "none" / "report.pdf")[0] == 3
    assert not out.exists()


def test_paper_tells_what_the_file_tells_and_can_be_searched(night: Path, tmp_path: Path) -> None:
    pdftotext = which("pdftotext")
    if pdftotext is None:
        pytest.skip("pdftotext, which reads what a PDF says, is not installed")
    out, pdf = tmp_path / "report.html", tmp_path / "report.pdf"
    words = [sys.executable, "-m", "app", "report", str(night), "-o", str(out), "--pdf", str(pdf)]
    subprocess.run(words, capture_output=True, check=True)  # Qt's application has a process of its own
    told = subprocess.run([pdftotext, pdf, "-"], capture_output=True, text=True, check=True).stdout
    of_sections = words_of("".join(re.findall(r"<section.*?</section>", read(out), re.DOTALL)))
    numbers = {word for word in of_sections.split() if re.fullmatch(r"[\d.,:]*\d", word)}
    assert len(numbers) > 50
    assert numbers - set(told.split()) == set()


def test_ctrl_c_leaves_nothing_behind(night: Path, tmp_path: Path) -> None:
    out, pdf = tmp_path / "report.html", tmp_path / "report.pdf"
    words = [sys.executable, "-c", INTERRUPTED, "report", str(night), "-o", str(out), "--pdf", str(pdf)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        130,
        "",
        "hyperscope: The report was stopped; nothing was written.\n",
    )
    assert [one.name for one in tmp_path.iterdir()] == ["night.hscope"]


INTERRUPTED = """
import os, signal, sys
from app.program import run
from sessions.store import SessionReader

read = SessionReader.overview

def pressed(*arguments):  # while the first chart is read somebody presses Ctrl-C
    os.kill(os.getpid(), signal.SIGINT)
    return read(*arguments)

SessionReader.overview = pressed
sys.exit(run(sys.argv[1:]))
"""
