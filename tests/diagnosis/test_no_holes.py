"""Sentences of what a vCenter does not count: a number that nobody knows is left out with its words."""

from __future__ import annotations

import re

import pytest

from benchmarks.scoreboard import knowledge
from benchmarks.shown import play_both
from diagnosis import diagnose_session

_HOLE = re.compile(r"(^|[ (])–")


@pytest.mark.parametrize("name", ["cpu-power-balanced", "cpu-power-capped", "mem-latency-slow-swap"])
def test_no_sentence_has_a_hole(name: str) -> None:
    problems, catalogue, scenarios = knowledge()
    _lab, *sessions = play_both(scenarios[name], 1, catalogue)
    for session in sessions:
        for finding in diagnose_session(session, problems, catalogue).findings:
            texts = [finding.conclusion, *finding.notes, *(one.because for one in finding.causes)]
            assert [text for text in texts if _HOLE.search(text) or text != text.strip()] == []
