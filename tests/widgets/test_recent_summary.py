"""The summary of a recent session: cut where it has no room, but never in the time of its judging."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics

from widgets.start.recent import fitted_summary
from widgets.theme import Theme, body_font

SUMMARY = "Held back by a CPU limit: JBOSS 11 (billing) and 6 more · judged to 05:16:11 CEST"


@pytest.mark.parametrize("part", [0.5, 0.7, 0.9])
def test_the_finding_is_cut_and_the_time_stays(theme: Theme, part: float) -> None:
    assert theme
    metrics = QFontMetrics(body_font(12))
    room = round(part * metrics.horizontalAdvance(SUMMARY))
    text = fitted_summary(SUMMARY, room, metrics)
    assert text.startswith("Held")
    assert text.endswith("… · judged to 05:16:11 CEST")
    assert metrics.horizontalAdvance(text) <= room


def test_what_has_room_is_whole_and_what_has_none_is_cut_at_its_end(theme: Theme) -> None:
    assert theme
    metrics = QFontMetrics(body_font(12))
    assert fitted_summary(SUMMARY, 2_000, metrics) == SUMMARY
    for text in (SUMMARY, "No problem found so far in this long sentence without a dot"):
        cut = fitted_summary(text, 90, metrics)
        assert cut.endswith("…")
        assert metrics.horizontalAdvance(cut) <= 90
