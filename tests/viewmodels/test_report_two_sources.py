"""A report of a session in which two sources count the same: how far they are apart."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from app.commands.query import query
from app.commands.report import ReportRequest, make_report
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionWriter, encode_block
from viewmodels.report.html.page import report_html

T0 = 1_800_000_000_000
VM, LUN = EntityRef("vm", "502a-1"), EntityRef("device", "naa.6000")


def written(path: Path, factor: float, *, both: bool = True) -> Path:
    """Ready of a VM and latency of a shared LUN, as esxtop of one host and a vCenter count them; the
    vCenter's ready is ``factor`` times esxtop's.
    """
    fine = T0 + np.arange(1, 361, dtype=np.int64) * 5_000
    ready = 10 + 5 * np.sin(np.arange(360) / 12.0)
    coarse = fine[3::4]
    with SessionWriter.create(path, title="two", durable=False, bulk=True) as writer:
        for spec, times, values, instance in (
            (SourceSpec("esxtop", "esx01", 5.0), fine, ready, ""),
            (
                SourceSpec("vcenter", "vc01", 20.0),
                coarse,
                ready.reshape(-1, 4).mean(axis=1) * factor,
                "esx01",
            ),
        )[: 2 if both else 1]:
            source = writer.add_source(spec)
            writer.add_entities([Entity(VM, "sql <01>"), Entity(LUN, "naa.6000")])
            specs = [
                SeriesSpec(VM, "cpu.ready", "%"),
                SeriesSpec(LUN, "storage.device.latency", "ms", instance),
            ]
            layout = writer.add_layout(source, writer.add_series(source, specs))
            writer.add_block(
                layout, encode_block(times, np.column_stack([values, np.full(len(values), 7.0)]))
            )
    return path


def told(session: Path) -> str:
    text = re.sub(r"<[^>]+>", " ", report_html(make_report(ReportRequest(session))))
    return " ".join(text.split())


def test_sources_that_differ_stand_beside_each_other(tmp_path: Path) -> None:
    text = told(written(tmp_path / "a.hscope", 1.25))
    said = text[text.index("Where two sources tell the same") :]
    assert "2 quantities come from two sources. 2 of them were compared" in said
    assert "the furthest 20.0 %" in said
    assert "sql &lt;01&gt;: CPU ready" in said
    assert "esxtop esx01: 10.1 % (every 5 s)" in said
    assert "vcenter vc01: 12.7 % (every 20 s)" in said
    assert "naa.6000" not in said, "what agrees needs no row"


def test_sources_that_agree_need_a_sentence(tmp_path: Path) -> None:
    said = told(written(tmp_path / "a.hscope", 1.0))
    assert "half are at most 0.0 % apart on average, the furthest 0.0 %" in said
    assert "vcenter vc01: 10" not in said


def test_one_source_has_nothing_to_compare(tmp_path: Path) -> None:
    assert "Where two sources" not in told(written(tmp_path / "a.hscope", 1.0, both=False))


def test_query_compares_a_device_that_hosts_share(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A vCenter names the host in the instance, esxtop is that host's: they are one quantity."""
    query(written(tmp_path / "a.hscope", 1.0), entity="naa.*")
    assert "esxtop esx01 7 ms, vcenter vc01 7 ms" in capsys.readouterr().out


def test_a_partition_that_two_hosts_count_is_two_quantities(tmp_path: Path) -> None:
    """Each host's esxtop counts its own commands to a shared LUN, and those to each of its partitions."""
    times = T0 + np.arange(1, 61, dtype=np.int64) * 5_000
    specs = [SeriesSpec(LUN, "storage.device.latency", "ms", instance) for instance in ("", "partition 1")]
    with SessionWriter.create(tmp_path / "p.hscope", title="p", durable=False, bulk=True) as writer:
        for number, host in enumerate(("esx01", "esx02")):
            source = writer.add_source(SourceSpec("esxtop", host, 5.0))
            writer.add_entities([Entity(LUN, "naa.6000")])
            layout = writer.add_layout(source, writer.add_series(source, specs))
            writer.add_block(layout, encode_block(times, np.full((60, 2), 1.0 + number)))
    assert "Where two sources tell the same" not in told(tmp_path / "p.hscope")
