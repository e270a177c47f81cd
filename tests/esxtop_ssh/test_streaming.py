"""Recording a host by its own esxtop over ssh: what comes of it, and that nothing is left on the host."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import numpy as np

from collectors.esxtop.importing import import_captures
from collectors.esxtop_names import ColumnPath
from sessions.model import EntityRef
from sessions.store import SessionReader
from tests.esxtop.captures import START, START_MS, Written, host_columns, plausible_rows
from tests.esxtop.conftest import real
from tests.esxtop_ssh.conftest import Recording
from tests.esxtop_ssh.fake_hosts import PRODUCT, UUID, FakeHost

__all__ = ["real"]

Start = Callable[..., Recording]
Key = tuple[EntityRef, str, str]


def streamed(run: Recording) -> dict[Key, dict[int, float]]:
    """What was stored, in canonical units."""
    return {
        key[1:]: {t_ms: value * run.feed.specs[key].scale for t_ms, value in times.items()}
        for key, times in run.feed.samples.items()
        if times
    }


def imported(session: SessionReader) -> dict[Key, dict[int, float]]:
    series = {one.id: one.spec for one in session.series()}
    found: dict[Key, dict[int, float]] = {}
    for frame in session.read(np.array(sorted(series))):
        for column, number in enumerate(frame.ids.tolist()):
            values = frame.values[:, column]
            there = ~np.isnan(values)
            spec = series[number]
            if there.any():
                pairs = zip(frame.times[there].tolist(), values[there].tolist(), strict=True)
                found[spec.entity, spec.counter, spec.instance] = dict(pairs)
    return found


def compare_with_import(run: Recording, capture: Path, session_path: Path) -> int:
    """What was streamed is what an import of the capture gives; return how many series that is."""
    import_captures([capture], session_path, workers=0)
    with SessionReader.open(session_path) as session:
        known, entities = imported(session), session.entities()
        facts = {(fact.entity, fact.name): fact.value for fact in session.facts()}
        gaps = {(gap.entity, gap.start, gap.end, gap.reason, gap.ticks) for gap in session.gaps()}
    ours = streamed(run)
    assert ours.keys() == known.keys()
    assert {key for key in known if ours[key].keys() != known[key].keys()} == set()
    off = [abs(ours[key][t_ms] - value) for key, times in known.items() for t_ms, value in times.items()]
    assert max(off) < 1e-9
    assert run.feed.entities == entities
    ref = next(ref for ref in entities if ref.kind == "host")
    about = {"product": PRODUCT, "esxtop.version": "esxtop version 8.0.3 (fake)", "uuid": UUID}
    own = {(ref, name): value for name, value in about.items()}
    assert {(fact.entity, fact.name): fact.value for fact in run.feed.facts} == facts | own
    assert {(gap.entity, gap.start, gap.end, gap.reason, gap.ticks) for gap in run.feed.gaps} == gaps
    assert run.feed.twice == []
    return len(known)


def rows_of(capture: Path) -> int:
    return sum(not line.startswith(b'"(PDH') for line in capture.read_bytes().splitlines())


def test_every_sample_is_that_of_the_imported_capture(
    host: FakeHost, recording: Start, capture: Path, tmp_path: Path
) -> None:
    host.plan(capture, every_s=0.01, then="hang")
    run = recording(host)
    run.until_ticks(rows_of(capture))
    run.end()
    assert compare_with_import(run, capture, tmp_path / "S.hscope") > 5_000


def test_a_genuine_capture_with_a_gap_of_a_group(
    host: FakeHost, recording: Start, real: Path, tmp_path: Path
) -> None:
    """Its host has no name but localhost.home, which the host's shell tells better."""
    text = (real / "esxtop-batch-default.csv").read_text(encoding="utf-8")
    capture = tmp_path / "named.csv"
    capture.write_text(text.replace("localhost.home", "esx07.lab"), encoding="utf-8")
    host.plan(capture, every_s=0.01, then="hang")
    run = recording(host)
    run.until_ticks(3)
    run.end()
    assert compare_with_import(run, capture, tmp_path / "S.hscope") > 7_000
    assert [gap.entity for gap in run.feed.gaps if gap.entity is not None]


def steady_rows(columns: list[ColumnPath], seed: int) -> list[list[str]]:
    """Rows of VMs whose memory keeps its size."""
    rows = plausible_rows(columns, 4, seed=seed)
    sizes = [at for at, path in enumerate(columns) if path.counter == "Memory Size MBytes"]
    return [["4096.00" if at in sizes else cell for at, cell in enumerate(row)] for row in rows]


def test_columns_that_change_in_mid_stream(host: FakeHost, recording: Start, tmp_path: Path) -> None:
    """A VM comes, one goes: esxtop is told by its user to list anew, or somebody joined two runs."""
    first = Written(one := host_columns(vms={"db 01": 2, "web": 1}), steady_rows(one, 1))
    later = Written(
        two := host_columns(vms={"db 01": 2, "mail": 4}),
        steady_rows(two, 2),
        start=START + timedelta(seconds=20),
    )
    capture = tmp_path / "changing.csv"
    capture.write_text(first.text() + later.text(), encoding="utf-8")
    host.plan(capture, every_s=0.01, then="hang")
    run = recording(host)
    run.feed.until(lambda: bool(run.feed.health) and run.feed.health[1].last_ms == START_MS + 35_000)
    run.end()
    assert compare_with_import(run, capture, tmp_path / "S.hscope") > 100
    assert len(run.feed.layouts) == 2


def test_a_host_that_is_called_localhost_has_the_name_that_its_shell_tells(
    host: FakeHost, recording: Start, tmp_path: Path
) -> None:
    columns = host_columns("localhost.localdomain")
    capture = Written(columns, plausible_rows(columns, 3)).save(tmp_path / "local.csv")
    host.program("uname", '[ "$1" = -n ] && echo esx09.lab || echo VMkernel\n')
    host.plan(capture, every_s=0.01, then="hang")
    run = recording(host)
    run.feed.until(lambda: bool(run.feed.samples))
    run.end()
    assert {ref.key for ref in run.feed.entities if ref.kind == "host"} == {"esx09.lab"}
    assert [spec.name for spec in run.feed.sources.values()] == ["esx09.lab over ssh"]
