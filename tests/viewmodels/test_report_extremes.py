"""Reports of what no session should have: hostile names, ten thousand entities, no finding, thirty days."""

# ruff: noqa: E501 - one record a line

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from app.commands.report import ReportRequest, make_report
from sessions.findings import CauseVerdict, Evidence, Finding
from sessions.model import Entity, EntityRef, Event, Fact, Mark, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, encode_block
from sessions.times import TimeRange, iso
from sessions.verdicts import CheckReach, SeverityCounts, SourceReach, Verdict
from tests.app.test_report_command import validated
from viewmodels.report.html.page import report_html

T0, DAY = 1_800_000_000_000, 86_400_000
HOSTILE = (
    "<script>alert(1)</script>", "</title></style><img src=x onerror=alert(1)>", "\u202egnp.exe", "\x1b[31mred\x07\x00",
    "שרת בסיס נתונים 7", "n" * 10_000, "a & b \"c\" 'd' `e`", "]]>", "{{7*7}}", "\ud83d\udc4d".encode("utf-16", "surrogatepass").decode("utf-16"),
    "\ufffe\uffff", "-->", "&lt;b&gt;", "http://evil.example/x.js", "multi\nline\r\nname", " ", "\u2028",
)  # fmt: skip


def finding(ref: EntityRef, name: str, window: TimeRange) -> Finding:
    return Finding(
        "cpu.limit", f"Held back {name}", "critical", ref, name, (window,), 0.5, f"{name} was held back.",
        (Evidence("cpu.ready", name[:50], "mean", 33.8, 10.0, "%"),),
        (CauseVerdict("own", f"A limit of {name}", "likely", f"{name} has one."),), (f"Raise that of {name}.",),
        notes=(name,), changes=(Event(window.start, name[:60], name, ref, by=name[:60]),),
    )  # fmt: skip


def written(path: Path, names: Sequence[str], *, found: int, ticks: int = 30, step_ms: int = 20_000) -> Path:
    """A session of VMs of these names on a host, with a finding for the first so many."""
    host = EntityRef("host", "esx01")
    refs = [EntityRef("vm", f"esx01/vm/{number}") for number in range(len(names))]
    window = TimeRange(T0, T0 + ticks * step_ms // 2)
    findings = [finding(ref, name, window) for ref, name in zip(refs[:found], names, strict=False)]
    with SessionWriter.create(path, title=names[0] if names else "", durable=False, bulk=True) as writer:
        source = writer.add_source(
            SourceSpec("esxtop", "esx01", step_ms / 1000, attributes=(("note", names[0]),))
        )
        writer.add_source(SourceSpec("log", "esx01"))
        writer.add_entities(
            [Entity(host, "esx01"), *(Entity(ref, name, host) for ref, name in zip(refs, names, strict=True))]
        )
        specs = [SeriesSpec(ref, "cpu.ready", "%") for ref in refs]
        layout = writer.add_layout(source, writer.add_series(source, specs))
        times = T0 + np.arange(ticks, dtype=np.int64) * step_ms
        values = np.random.default_rng(1).gamma(2.0, 4.0, (ticks, len(refs))).round(2)
        for first in range(0, ticks, 20_000):
            part = slice(first, first + 20_000)
            writer.add_block(layout, encode_block(times[part], values[part]))
        writer.add_facts(
            [Fact(ref, "guest.os", name[:100], T0) for ref, name in zip(refs[:50], names, strict=False)]
        )
        writer.add_events(
            [
                Event(T0 + number, name[:80] or "x", name, refs[number])
                for number, name in enumerate(names[:400])
            ]
        )
        for name in names[:20]:
            writer.add_mark(Mark(T0 + 1, name))
        judged = SourceReach(source, "esx01", TimeRange(T0, int(times[-1])), ticks)
        checks = (
            CheckReach("cpu.limit", "Held back", len(refs), len(refs), verdict="problem", found=found),
            CheckReach("cpu.ready_high", "Waits for a core", len(refs), len(refs), verdict="not found"),
        )
        writer.put_findings(findings, Verdict("judged", (judged,), checks, SeverityCounts.of(findings)))
    return path


def markup_of(session: Path, out: Path) -> str:
    markup = report_html(make_report(ReportRequest(session)))
    out.write_text(markup, encoding="utf-8")
    return markup


def test_a_step_that_is_the_same_but_for_the_name_is_told_once_with_all_names(tmp_path: Path) -> None:
    session = written(tmp_path / "a.hscope", [f"web{n:02}" for n in range(1, 8)], found=7)
    text = " ".join(re.sub(r"<[^>]+>", " ", markup_of(session, tmp_path / "a.html")).split())
    steps = text[text.index("What to do next") :][:200]
    assert "Raise that of web01. The same for web02, web03, web04, web05 and 2 more." in steps
    assert steps.count("Raise that of") == 1
    assert " 7 problems: 7 critical " in text  # not "7 critical, 0 warnings"
    assert "esx01, esx01" not in text  # its counters and its log are two sources of one host


def test_that_a_step_comes_too_late_stands_with_it_on_the_first_page(tmp_path: Path) -> None:
    """Somebody who reads only this page would lift a limit that is gone."""
    session = written(tmp_path / "a.hscope", ["web01"], found=1)
    gone = "Its limit of 3 GHz is gone at the end of the recording: steps against it come too late."
    with SessionWriter.open(session, durable=False) as writer, SessionReader.open(session) as reader:
        (one,), verdict = reader.findings(), reader.verdict()
        writer.put_findings([replace(one, notes=("Its guest says that 3 % was stolen.", gone))], verdict)
    text = " ".join(re.sub(r"<[^>]+>", " ", markup_of(session, tmp_path / "a.html")).split())
    steps = text[text.index("What to do next") :][:200]
    assert steps.startswith(f"What to do next Raise that of web01. {gone} ")


@pytest.mark.parametrize(
    ("minutes", "told"),
    [
        (50, ", nearly all the time from 15 Jan 08:00 to 16 Jan 00:50 UTC, 14 h 10 min of 16 h 50 min."),
        (20, ", 17 times from 15 Jan 08:00 to 16 Jan 00:20 UTC, 5 h 40 min together: every 1 h for 20 min."),
    ],
)
def test_short_pauses_part_nothing(tmp_path: Path, minutes: int, told: str) -> None:
    """A VM that waits for 50 minutes of each hour is not slow seventeen times: it is slow all evening."""
    session = written(tmp_path / "a.hscope", ["web01"], found=1, ticks=17 * 180)
    with SessionWriter.open(session, durable=False) as writer, SessionReader.open(session) as reader:
        (one,), verdict = reader.findings(), reader.verdict()
        hours = [T0 + hour * 3_600_000 for hour in range(17)]
        windows = tuple(TimeRange(at, at + minutes * 60_000) for at in hours)
        writer.put_findings([replace(one, windows=windows)], verdict)
    text = " ".join(re.sub(r"<[^>]+>", "", markup_of(session, tmp_path / "a.html")).split())
    assert told in text
    since = "16 Jan 00:20:00" if minutes == 20 else "16 Jan 00:50:00"
    assert f"quiet since {since}" in text


class Elements(HTMLParser):
    """Which elements, attributes and texts a browser would see."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_hostile_names_are_only_text(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    markup = markup_of(written(tmp_path / "s.hscope", HOSTILE, found=len(HOSTILE)), out)
    assert validated(out) == ""
    seen = Elements(markup)
    assert seen.tags.isdisjoint({"script", "img", "iframe", "object", "link", "base"})
    assert not any(name.startswith("on") for name in seen.attributes)
    assert "src" not in seen.attributes
    everything = "".join(seen.texts)
    assert "<script>alert(1)</script>" in everything  # as text, to be read
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ufffe\uffff]", markup)
    assert "<bdi>שרת בסיס נתונים</bdi>" in markup
    assert "n" * 2001 not in markup
    assert len(markup) < 5_000_000


def test_ten_thousand_entities_fit_in_one_file(tmp_path: Path) -> None:
    names = [f"vm-{number:05} of a team with a long name, production, Frankfurt" for number in range(10_000)]
    out = tmp_path / "report.html"
    markup = markup_of(written(tmp_path / "s.hscope", names, found=2_000, ticks=4), out)
    assert validated(out) == ""
    assert len(markup.encode()) < 5_000_000
    assert "10,000 VMs" in markup
    assert "9,600 more" in markup  # what is left out is counted


def test_a_session_without_findings_says_of_what_that_holds(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    markup = markup_of(written(tmp_path / "s.hscope", ["web01"], found=0), out)
    assert validated(out) == ""
    assert "no problem was found in CPU" in markup  # it is all that this session has
    assert "This holds for what was recorded" in markup


def test_a_session_without_samples_says_so(tmp_path: Path) -> None:
    session, out = tmp_path / "s.hscope", tmp_path / "report.html"
    with SessionWriter.create(session, durable=False):
        pass
    markup = markup_of(session, out)
    assert validated(out) == ""
    assert "nothing was judged" in markup


@pytest.mark.slow
def test_thirty_days_are_drawn_with_gaps_and_peaks(tmp_path: Path) -> None:
    ticks = 30 * DAY // 20_000
    out = tmp_path / "report.html"
    markup = markup_of(written(tmp_path / "s.hscope", ["web01", "db01"], found=2, ticks=ticks), out)
    assert validated(out) == ""
    assert len(markup) < 3_000_000
    assert "<polygon" in markup  # many samples a point: a band from lowest to highest


def test_a_clock_that_was_centuries_off_makes_no_page_of_ticks(tmp_path: Path) -> None:
    markup = markup_of(
        written(tmp_path / "s.hscope", ["web01"], found=1, step_ms=100 * 365 * DAY), tmp_path / "a.html"
    )
    assert len(markup) < 500_000


@pytest.mark.parametrize("size", [1e150, 1e280])
def test_numbers_that_nothing_measures_are_no_bug_and_no_page_of_digits(tmp_path: Path, size: float) -> None:
    """A forged session; warnings of numpy are failures here."""
    host, vm, disk = EntityRef("host", "h"), EntityRef("vm", "v"), EntityRef("device", "d")
    specs = [
        SeriesSpec(vm, "cpu.ready", "%"), SeriesSpec(vm, "mem.ballooned", "MB"), SeriesSpec(host, "uptime", "s"),
        SeriesSpec(disk, "disk.device_latency", "ms"), SeriesSpec(disk, "disk.commands", "/s"),
    ]  # fmt: skip
    with SessionWriter.create(tmp_path / "forged.hscope", durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "h", 5.0))
        writer.add_entities([Entity(host, "h"), Entity(vm, "v", host), Entity(disk, "d", host)])
        writer.add_facts([Fact(vm, "cpu.limit_mhz", size, T0), Fact(vm, "mem.size", -size, T0)])
        layout = writer.add_layout(source, writer.add_series(source, specs))
        values = np.random.default_rng(1).random((720, len(specs)))
        values[360:] *= size
        values[367] *= -1
        writer.add_block(layout, encode_block(T0 + np.arange(720, dtype=np.int64) * 5000, values))
    windows = tuple(f"{iso(T0 + start * 1000)}..{iso(T0 + (start + 1700) * 1000)}" for start in (0, 1800))
    request = ReportRequest(tmp_path / "forged.hscope", compared=((windows[0], windows[1]),))
    (tmp_path / "report.html").write_text(markup := report_html(make_report(request)), encoding="utf-8")
    assert validated(tmp_path / "report.html") == ""
    assert re.search("×10¹[³⁴]|×10²[⁷⁸]", markup)
    assert not re.search(r"[\d,.]{40}", markup)
