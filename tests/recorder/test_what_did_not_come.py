"""Samples that were expected and did not come: counted, said, and a gap with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.recording.terminal import summary
from collectors.feed import Controls, Feed, Health, Layout
from resources.failures import (
    LoginError,
    NoCountersError,
)
from sessions.model import Gap
from sessions.store import SessionReader
from sessions.times import now_ms
from tests.recorder.scripted import (
    SERIES,
    T0,
    Scripted,
    Work,
    play,
    ticks,
)


def test_what_did_not_come_is_in_the_outcome(session_path: Path) -> None:
    """An outage that lasts until the end: the counts and gaps of all sources, in figures and in words."""

    def outage(feed: Feed, controls: Controls, source: int, group: Layout) -> None:
        ticks(3)(feed, controls, source, group)
        feed.add_gaps([Gap(source, T0 + 60_000, T0 + 80_000, "vc01 is gone.", None, 2)])
        feed.report(source, Health("ended", 20.0, 1, SERIES, 5 * SERIES, 3 * SERIES, gaps=1, last_ms=T0))

    outcome = play(session_path, Scripted("vc01", outage), stop=False)
    assert outcome.code == 0
    assert (outcome.expected, outcome.received, outcome.gaps) == (5 * SERIES, 3 * SERIES, 1)
    assert "100 of 250 expected samples did not come (1 gap)" in summary(outcome)
    whole = play(session_path.with_name("whole.hscope"), Scripted("vc01", ticks(3)), stop=False)
    assert "did not come" not in summary(whole)


def test_a_source_of_which_nothing_came_is_a_gap_from_start_to_end(session_path: Path) -> None:
    """The others were recorded, so that it is no failure; but it is said, and it is in the session."""
    before = now_ms()

    def unreachable(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        feed.report(source, Health("reconnecting", 20.0, message="vc01 broke the connection off."))
        controls.wait(0.2)

    def refused(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        raise LoginError("Wrong password.")

    outcome = play(
        session_path,
        Scripted("vc01", unreachable),
        Scripted("vc02", ticks(3)),
        Scripted("vc03", refused),
        stop=False,
    )
    assert outcome.code == 0
    assert sorted(outcome.without_samples) == ["vc01", "vc03"]
    assert outcome.gaps == 2
    assert "; nothing came from vc0" in summary(outcome)
    with SessionReader.open(session_path) as reader:
        names = {source.id: source.spec.name for source in reader.sources()}
        gaps = {names[gap.source]: gap for gap in reader.gaps()}
    reasons = {name: gap.reason for name, gap in gaps.items()}
    assert reasons == {"vc01": "vc01 broke the connection off.", "vc03": "Wrong password."}
    assert all(before <= gap.start <= gap.end <= now_ms() for gap in gaps.values())
    assert all(gap.entity is None for gap in gaps.values())


@pytest.mark.parametrize("trouble", ["", "vc01 broke the connection off."])
def test_nothing_recorded_is_a_failure(session_path: Path, trouble: str) -> None:
    def nothing(feed: Feed, controls: Controls, source: int, group: Layout) -> None:
        feed.report(source, Health("ended", 20.0, message=trouble))

    outcome = play(session_path, Scripted("vc01", nothing), stop=False)
    assert (outcome.code, outcome.session) == (NoCountersError.exit_code, None)
    assert outcome.error is not None
    said = trouble or "It ended before the first samples came."
    assert str(outcome.error).startswith(f"Nothing was recorded. {said}")
    play(session_path, Scripted("vc01", ticks(3)), stop=False)
    resumed = play(session_path, Scripted("vc01", nothing), stop=False)
    code = NoCountersError.exit_code if trouble else 0  # the session may have had everything before
    assert (resumed.code, resumed.session) == (code, session_path)


def outage(first: int, lost: int, reason: str) -> Work:
    """Three ticks, then as many as are ``lost``: expected, and a gap until the end."""

    def work(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        ticks(3, first)(feed, controls, source, layout)
        start, end = (T0 + 20_000 * at for at in (first + 3, first + 2 + lost))
        feed.add_gaps([Gap(source, start, end, reason, None, lost)])
        counts = (3 + lost) * SERIES, 3 * SERIES
        feed.report(source, Health("ended", 20.0, 1, SERIES, *counts, gaps=1, last_ms=T0))

    return work


@pytest.mark.parametrize(
    ("away", "gaps", "expected"),
    [
        (0, [], 3 + 5),
        (2, [(3, 4, "vc01 is gone")], 3 + 2 + 5),
        (4, [(3, 6, "vc01 is gone")], 3 + 4 + 5),
        (7, [(3, 6, "vc01 is gone"), (7, 9, "nobody recorded")], 3 + 4 + 5),
    ],
)
def test_an_outage_at_the_end_of_a_recording_that_goes_on(
    session_path: Path, away: int, gaps: list[tuple[int, int, str]], expected: int
) -> None:
    """What comes after all is no gap any more; the time until then is no gap twice, nor counted twice."""
    play(session_path, Scripted("vc01", outage(0, 4, "vc01 is gone")), stop=False)

    def go_on(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        if away:
            until = T0 + 20_000 * (2 + away)
            feed.add_gaps([Gap(source, T0 + 60_000, until, "nobody recorded", None, away)])
        ticks(5, 3 + away)(feed, controls, source, layout)

    play(session_path, Scripted("vc01", go_on), stop=False)
    with SessionReader.open(session_path) as reader:
        assert [
            ((gap.start - T0) // 20_000, (gap.end - T0) // 20_000, gap.reason) for gap in reader.gaps()
        ] == gaps
        assert [gap.ticks for gap in reader.gaps()] == [last - first + 1 for first, last, _ in gaps]
        (source,) = reader.sources()
        assert source.spec.counted == (expected * SERIES, 8 * SERIES)
