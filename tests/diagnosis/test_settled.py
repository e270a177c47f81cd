"""What is told of findings that are over is kept while the session grows, until something changes it."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from diagnosis import diagnose_session
from diagnosis.compiled import Template
from diagnosis.live import LiveJudge
from diagnosis.wording import SentenceWriter
from sessions.model import Event, SampleSource
from sessions.store import SessionReader, SessionWriter
from tests.diagnosis.recordings import START, Recording, catalogue, during, problems, session
from tests.diagnosis.replaying import replay

SLOW = during(100, 400, 20.0, 0.5)


def busy(seconds: float = 1500) -> Recording:
    recording = Recording(seconds=seconds, interval=20.0)
    recording.on_host({"cpu.pcpu_util": 95.0, "cpu.pcpu_used": 93.0})
    recording.vm("slow", {"cpu.ready": SLOW, "cpu.max_limited": 0.0})
    recording.vm("quiet", {"cpu.ready": 0.5, "cpu.max_limited": 0.0, "mem.balloon": 0.0})
    return recording


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes each sentence that is written."""
    said: list[str] = []
    write = SentenceWriter._written

    def noting(writer: SentenceWriter, template: Template, row: int) -> str:
        said.append(write(writer, template, row))
        return said[-1]

    monkeypatch.setattr(SentenceWriter, "_written", noting)
    return said


@contextmanager
def judged(
    source: SampleSource, path: Path, **how: int
) -> Iterator[tuple[LiveJudge, Generator[int, None, None]]]:
    """Play the session into a file and judge it once; the rest is yet to be played."""
    played = replay(source, path, **how)
    next(played)
    with SessionReader.open(path) as reader:
        yield LiveJudge(reader, problems(), catalogue()), played
    played.close()


def sentences(judge: LiveJudge, path: Path, written: list[str]) -> list[str]:
    """Judge again, which must be what one whole diagnosis gives; return the sentences that were written."""
    written.clear()
    found = judge.judge()
    said = list(written)
    with SessionReader.open(path) as fresh:
        assert found == diagnose_session(fresh, problems(), catalogue())
    return said


def test_sentences_are_written_again_only_where_later_samples_count(
    tmp_path: Path, written: list[str]
) -> None:
    path = tmp_path / "s.hscope"
    with judged(session(busy()), path) as (judge, played):
        looks = [sentences(judge, path, written) for _ in played]
    most, last = max(looks, key=len), looks[-1]
    assert 0 < len(last) <= len(most) / 2
    assert sum(len(one) == len(most) for one in looks) > 10  # while it lasts all are written each time


def test_a_problem_that_comes_back_is_told_anew(tmp_path: Path, written: list[str]) -> None:
    recording = busy()
    at = recording.seconds
    ready = np.where(at < 1100, np.where((at >= 100) & (at < 400), 20.0, 0.5), 30.0)
    recording.vm("again", {"cpu.ready": ready, "cpu.max_limited": 0.0})
    path = tmp_path / "s.hscope"
    with judged(session(recording), path) as (judge, played):
        looks = [len(sentences(judge, path, written)) for _ in played]
    assert max(looks[60:]) > looks[50]


@pytest.mark.parametrize("at_s", [200.0, 1490.0])
def test_an_event_that_is_told_later_is_told_of(at_s: float, tmp_path: Path, written: list[str]) -> None:
    path, recording = tmp_path / "s.hscope", busy()
    for _ in replay(session(recording), path):
        pass
    with SessionWriter.open(path) as writer, SessionReader.open(path) as reader:
        judge = LiveJudge(reader, problems(), catalogue())
        whole = sentences(judge, path, written)
        at = START + round(at_s * 1000)
        writer.add_events([Event(at, "vmotion", "moved", recording.host, at + 9000)])
        assert len(sentences(judge, path, written)) == len(whole)


def test_samples_in_the_windows_that_come_late(tmp_path: Path, written: list[str]) -> None:
    """Every second series comes ten minutes after the others: the sentences that were kept are wrong then."""
    path = tmp_path / "s.hscope"
    with judged(session(busy()), path, late=30, every=7) as (judge, played):
        for _ in played:
            sentences(judge, path, written)


def test_nothing_is_kept_while_another_source_is_behind(tmp_path: Path, written: list[str]) -> None:
    """Its next sample may be nearer to the windows than what there is."""
    other = Recording("esx02", seconds=1500, interval=20.0)
    other.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
    path = tmp_path / "s.hscope"
    with judged(session(busy(), other), path, behind=40, every=5) as (judge, played):
        looks = [len(sentences(judge, path, written)) for _ in played]
    kept = looks.index(max(looks)) + sum(one == max(looks) for one in looks)
    assert kept >= 60 / 5 - 1  # the other source is past the windows' end 40 instants after this one
