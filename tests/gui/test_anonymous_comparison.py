"""An anonymised report tells of a comparison with another session: its names are left out, too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from app.commands.diagnose import diagnose_file
from app.gui.report_writing import html_bytes, written
from app.report_making import Asked, AskedComparison
from resources.problem_cards import load_problems
from sessions.clock import UTC_CLOCK
from sessions.model import Entity, EntityRef, Event, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, encode_block
from sessions.times import TimeRange
from tests.sessions.test_anonymous import left_of
from viewmodels.snapshot import read_snapshot

T0, TICKS = 1_800_000_000_000, 240
SECRETS = ("payroll", "kirsch", "orchid", "ledger", "esx-gold", "outage", "mara")


class Watched:
    """The job of a worker that nobody stops."""

    def is_set(self) -> bool:
        return False

    def check(self) -> None:
        pass

    def progress(self, part: float | None, text: str = "") -> None:
        pass


def session(path: Path, names: Sequence[str], level: float) -> Path:
    """Twenty minutes of VMs of these names, each ready for about so many percent."""
    host = EntityRef("host", "esx-gold")
    refs = [EntityRef("vm", name) for name in names]
    with SessionWriter.create(path, title=f"outage of {names[0]}", durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "esx-gold", 5.0))
        writer.add_entities([Entity(host, "esx-gold"), *(Entity(ref, ref.key, host) for ref in refs)])
        specs = [SeriesSpec(ref, "cpu.ready", "%") for ref in refs]
        layout = writer.add_layout(source, writer.add_series(source, specs))
        values = level + np.random.default_rng(1).random((TICKS, len(specs)))
        writer.add_block(layout, encode_block(T0 + np.arange(TICKS, dtype=np.int64) * 5000, values))
        writer.add_events(
            [Event(T0 + 1, "VmReconfiguredEvent", f"Reconfigured {names[0]} by mara", refs[0], by="mara")]
        )
    return path


def test_both_sessions_are_compared_without_their_names(tmp_path: Path) -> None:
    here = session(tmp_path / "payroll before.hscope", ["payroll-db", "kirsch-web"], 2.0)
    there = session(tmp_path / "monday outage.hscope", ["orchid-7", "kirsch-web", "ledger-3"], 30.0)
    window = TimeRange(T0, T0 + TICKS * 5000)
    problems = load_problems()
    with SessionReader.open(here) as reader:
        outcome = diagnose_file(here, knowledge=[])
        compared = AskedComparison(
            window, window, ("payroll before", "monday outage"), sessions=(None, there), names=("A", "B")
        )
        asked = Asked(outcome.findings, outcome.verdict, UTC_CLOCK, problems, comparisons=[compared])
        made = written(reader, read_snapshot(reader, here), asked, Watched(), anonymise=True)  # type: ignore[arg-type]
    markup = html_bytes(made.report).decode()
    assert left_of(SECRETS, iter([markup])) == []
    comparison = re.search(r'<section id="comparison".*?</section>', markup, re.DOTALL)
    assert comparison is not None
    text = " ".join(re.sub(r"<[^>]+>", " ", comparison[0]).split())
    assert "this session" in text
    assert "session-1" in text
    assert made.text("kirsch-web, payroll-db and orchid-7") == "vm-2, vm-1 and vm-3"
    assert "vm-2" in text  # the VM that both sessions have is the same in both
