"""How complete a report calls a recording: with gaps, of single entities or counters, and without samples."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from app.commands.report import ReportRequest, make_report
from sessions.model import Entity, EntityRef, Gap, SeriesSpec, SourceSpec
from sessions.store import SessionWriter
from tests.viewmodels.sessions import T0, add_source
from viewmodels.report.html.page import report_html

VM = EntityRef("vm", "502a-1")
ESX = SourceSpec("esxtop", "esx01", 5.0)


def told(session: Path) -> str:
    page = report_html(make_report(ReportRequest(session)))
    return " ".join(re.sub(r"<[^>]+>", " ", page[page.index("<body") :]).split())


def written(path: Path, *gaps: Gap, ticks: int = 60) -> Path:
    with SessionWriter.create(path, title="gaps", durable=False) as writer:
        writer.add_entities([Entity(VM, "sql01")])
        specs = [SeriesSpec(VM, "cpu.ready", "%")]
        if ticks:
            add_source(writer, ESX, specs, np.full((ticks, 1), 0.2), every_s=5)
        else:
            writer.add_series(writer.add_source(ESX), specs)
        writer.add_gaps(gaps)
    return path


def test_gaps_of_single_entities_are_told_beside_those_of_all(tmp_path: Path) -> None:
    partial = Gap(1, T0 + 10_000, T0 + 10_000, "zeros instead of values", entity=VM)
    text = told(written(tmp_path / "partial.hscope", partial))
    assert "0 gaps in the recording, and 1 partial gap: of single entities" in text
    assert "no gap" not in text
    whole = Gap(1, T0 + 20_000, T0 + 40_000, "the host did not answer")
    text = told(written(tmp_path / "both.hscope", partial, whole))
    assert "1 gap in the recording, and 1 partial gap" in text
    assert "1 gap and 1 partial" in text
    assert "no gap" in told(written(tmp_path / "none.hscope"))


def test_without_samples_nothing_is_complete(tmp_path: Path) -> None:
    text = told(written(tmp_path / "header.hscope", ticks=0))
    assert "0 samples in the recording" in text
    assert "No sample was recorded." in text
    assert "no gap" not in text.lower()


def test_a_capture_of_few_counters_is_judged_in_part_from_its_title_on(tmp_path: Path) -> None:
    text = told(written(tmp_path / "cpu.hscope"))
    assert " Judged in part: no performance problem found in CPU " in text
    assert "Judged in part: no problem was found in CPU. This is no all-clear for memory, storage and" in text
    assert "No problem was found" not in text
    assert "No problem found" not in text
