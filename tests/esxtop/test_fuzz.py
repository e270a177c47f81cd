"""A few hundred of the mutated captures that ``benchmarks.fuzz_captures`` imports by the ten thousand."""

from __future__ import annotations

from pathlib import Path

import psutil

from benchmarks.fuzz_captures import fuzz, mutants, try_one
from resources.catalogue import load_catalogue


def test_a_mutated_capture_gives_a_session_or_a_sentence(tmp_path: Path) -> None:
    catalogue = load_catalogue()
    outcomes = [try_one(data, tmp_path, catalogue) for _, _, data in mutants(0, 250)]
    assert {"imported", "NotACaptureError"} <= set(outcomes)
    assert psutil.Process().memory_info().rss < 1_000_000_000


def test_every_command_reads_what_comes_of_a_mutated_capture(tmp_path: Path) -> None:
    report = fuzz(1000, 30, tmp_path)
    assert report.findings == []
    for command in ("info", "query", "diagnose", "export"):
        assert report.outcomes[f"{command} 0"] >= report.outcomes["imported"] > 10


def test_a_line_of_nothing_but_separators(tmp_path: Path) -> None:
    """Millions of empty columns, or fields where a few are expected, must not become millions of objects."""
    catalogue = load_catalogue()
    header = b'"(PDH-CSV 4.0) (UTC)(0)","\\\\h\\Memory\\Free MBytes"'
    many = b"," * 20_000_000
    before = psutil.Process().memory_info().rss
    assert try_one(header + many + b"\n", tmp_path, catalogue) == "NotACaptureError"
    rows = b'"03/09/2026 14:21:35","1"' + many + b'\n"03/09/2026 14:21:40","2"\n'
    assert try_one(header + b"\n" + rows, tmp_path, catalogue) == "imported"
    assert psutil.Process().memory_info().rss - before < 250_000_000
