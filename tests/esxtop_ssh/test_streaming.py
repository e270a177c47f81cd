"""Recording a host by its own esxtop over ssh: what comes of it, and that nothing is left on the host."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from collectors.esxtop.importing import import_captures
from sessions.model import EntityRef
from sessions.store import SessionReader
from tests.esxtop_ssh.conftest import Recording
from tests.esxtop_ssh.fake_hosts import PRODUCT, UUID, FakeHost

Start = Callable[[FakeHost], Recording]
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


def test_every_sample_is_that_of_the_imported_capture(
    host: FakeHost, recording: Start, capture: Path, tmp_path: Path
) -> None:
    rows = len(capture.read_bytes().splitlines()) - 1
    host.plan(capture, every_s=0.01, then="hang")
    run = recording(host)
    run.until_ticks(rows)
    run.end()
    import_captures([capture], tmp_path / "S.hscope", workers=0)
    with SessionReader.open(tmp_path / "S.hscope") as session:
        known, entities = imported(session), session.entities()
        facts = {(fact.entity, fact.name): fact.value for fact in session.facts()}
        gaps = {(gap.entity, gap.start, gap.end, gap.reason, gap.ticks) for gap in session.gaps()}
    ours = streamed(run)
    ref = next(ref for ref in entities if ref.kind == "host")
    assert ours.keys() == known.keys()
    assert len(known) > 5_000
    assert {key for key in known if ours[key].keys() != known[key].keys()} == set()
    off = [abs(ours[key][t_ms] - value) for key, times in known.items() for t_ms, value in times.items()]
    assert max(off) < 1e-9
    assert run.feed.entities == entities
    own = {
        (ref, "product"): PRODUCT,
        (ref, "esxtop.version"): "esxtop version 8.0.3 (fake)",
        (ref, "uuid"): UUID,
    }
    assert {(fact.entity, fact.name): fact.value for fact in run.feed.facts} == facts | own
    assert {(gap.entity, gap.start, gap.end, gap.reason, gap.ticks) for gap in run.feed.gaps} == gaps
    assert run.feed.twice == []
