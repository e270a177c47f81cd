"""Some of the mutated tables that ``benchmarks.fuzz_get_stat`` imports by the ten thousand."""

from __future__ import annotations

from pathlib import Path

from benchmarks.fuzz_get_stat import fuzz


def test_a_mutated_table_is_refused_or_imported_whole(tmp_path: Path) -> None:
    report = fuzz(0, 120, tmp_path)
    assert report.findings == []
    assert report.outcomes["imported"] > 20
    assert sum(report.outcomes.values()) == 120
