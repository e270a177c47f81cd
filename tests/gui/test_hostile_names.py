"""A session is hostile input: names with markup, emoji, right-to-left overrides, newlines and 300 letters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.gui.application import Program, build
from app.gui.palette import Palette
from sessions.model import Entity, EntityRef, Event, Fact, Gap, Mark, SeriesSpec, SourceSpec
from sessions.store import SessionWriter, encode_block

NAMES = (
    "<b>bold</b><img src='file:///etc/passwd'>",
    "&lt;amp; &amp;",
    "🔥 emoji 🧨 vm",
    "\u202egpj.exe\u202c",
    "line\nbreak\ttab\x07bell",
    "n" * 300,
    "مرحبا بالعالم",
    "%s {name} $HOME `x`",
    "",
)
T0 = 1_800_000_000_000


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "hostile.hscope"
    times = T0 + np.arange(240, dtype=np.int64) * 5_000
    host = EntityRef("host", NAMES[0])
    with SessionWriter.create(path, title=NAMES[0], durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", NAMES[4], 5.0, attributes=((NAMES[0], NAMES[4]),)))
        vms = [EntityRef("vm", f"vm/{number}") for number in range(len(NAMES))]
        writer.add_entities([Entity(host, NAMES[0])])
        writer.add_entities([Entity(ref, name, host) for ref, name in zip(vms, NAMES, strict=True)])
        specs = [SeriesSpec(ref, "cpu.ready", "%") for ref in vms]
        specs += [SeriesSpec(ref, "cpu.max_limited", "%") for ref in vms]
        specs += [SeriesSpec(host, "cpu.pcpu_util", "%"), SeriesSpec(host, "raw/<i>x</i>/\n", "<u>")]
        layout = writer.add_layout(source, writer.add_series(source, specs))
        writer.add_block(layout, encode_block(times, np.full((240, len(specs)), 37.5)))
        writer.add_facts([Fact(ref, "vcpus", 2.0, T0) for ref in vms])
        writer.add_events([Event(T0 + 60_000, "vmotion", name, vms[0]) for name in NAMES])
        writer.add_mark(Mark(T0 + 90_000, NAMES[0]))
        writer.add_gaps([Gap(source, T0 + 100_000, T0 + 110_000, NAMES[0])])
    return path


@pytest.fixture
def program(qapp: QApplication, tmp_path: Path) -> Iterator[Program]:
    found = build(qapp, tmp_path / "settings")
    found.window.resize(1280, 720)
    found.window.show()
    yield found
    found.window.close()
    found.window.deleteLater()


def test_every_page_shows_them_as_text(program: Program, session: Path, qtbot: QtBot) -> None:
    program.desk.session.open(session)
    qtbot.waitUntil(lambda: program.desk.findings.diagnosis is not None, timeout=300_000)
    assert program.desk.findings.findings
    width = program.window.width()
    for page in ("overview", "charts", "esxtop", "heatmap", "compare", "troubleshoot"):
        program.window.show_panel(page)
        qtbot.waitUntil(
            lambda: (
                not any(program.desk.jobs.busy(slot) for slot in ("charts", "compare", "troubleshoot.look"))
            ),
            timeout=300_000,
        )
        assert not program.window.grab().isNull()
    for finding in program.desk.findings.findings[:5]:
        program.desk.show_finding(finding)
        assert not program.window.grab().isNull()
    assert program.window.width() == width
    for label in program.window.findChildren(QLabel):
        rich = label.textFormat() == Qt.TextFormat.RichText or (
            label.textFormat() == Qt.TextFormat.AutoText and Qt.mightBeRichText(label.text())
        )
        assert not (rich and ("<b>" in label.text() or "<img" in label.text())), label.text()
        assert "\n<" not in label.text()
    Palette(program.desk.theme, program.window, []).close()


def test_the_status_bar_and_tooltips_escape(program: Program, session: Path, qtbot: QtBot) -> None:
    program.desk.session.open(session)
    qtbot.waitUntil(lambda: program.desk.session.snapshot is not None, timeout=300_000)
    qtbot.waitUntil(lambda: "No session" not in program.window.top.scope.text, timeout=300_000)
    snapshot = program.desk.session.snapshot
    assert snapshot is not None
    for ref in snapshot.entities:
        program.desk.scope.set(program.desk.scope.scope.on([ref]))
        text = program.window.top.scope.text
        assert "\n" not in text
        assert "\u202e" not in text
        assert len(text) < 500
