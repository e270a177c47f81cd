"""The numbers of EPP, VMN and knowledge base articles in the cards, against what the notes on these say.

The notes (shared/domain) are not part of the repository: where they are missing nothing can be compared, and
the test says so.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from resources.problem_cards import Threshold, load_problems

NOTES = Path(__file__).resolve().parents[3] / "shared" / "domain"
_TAGS = re.compile(r"EPP|VMN|KB-?[0-9]+")

SAID: dict[str, tuple[str, str, float]] = {
    "waits": ("%RDY per vCPU", "5 %", 5.0),
    "ready_warn": ("%RDY per vCPU", "5 %", 5.0),
    "ready_crit": ("%RDY per vCPU", "10 %", 10.0),
    "costop_warn": ("%CSTP per vCPU", "3 % (EPP,VMN)", 3.0),
    "limited_warn": ("%MLMTD", "≥1 %", 1.0),
    "cpu.limit limited_warn": ("%MLMTD", ">0", 0.0),
    "pool.cpu limited_warn": ("%MLMTD", ">0", 0.0),
    "limited_crit": ("%MLMTD", "≥1 %", 1.0),
    "wait_crit": ("%SWPWT", "5 %", 5.0),
    "local_warn": ("N%L", "<80 %", 80.0),
    "balloon_warn": ("MCTLSZ", "≥1 MB", 1.0),
    "mem.limit taken_mb": ("MCTLSZ", "≥1 MB", 1.0),
    "taken": ("SWCUR", "≥1 MB", 1.0),
    "swapped_warn": ("SWCUR", "≥1 MB", 1.0),
    "mem.compressing rate_crit": ("ZIP/s, UNZIP/s", "≥1;", 1.0),
    "rate_crit": ("SWR/s, SWW/s", "≥1 MB/s", 1.0),
    "drops_warn": ("%DRPTX/%DRPRX", ">0", 0.0),
    "drops_crit": ("%DRPTX/%DRPRX", "≥1 %", 1.0),
    "many": ("ABRTS/s, RESETS/s", "≥1", 1.0),
    "kernel_crit": ("KAVG", "2 ms (EPP)", 2.0),
    "kernel_warn": ("KAVG", "2 ms (EPP)", 2.0),
    "queued_warn": ("QUED", "≥1", 1.0),
    "latency_crit": ("GAVG", "25 ms", 25.0),
    "vcpu_ratio": ("vCPU:pCPU", "400 %", 4.0),
    "flash_warn": ("DAVG", "Flash: >1–2 ms", 2.0),
    "felt_ms": ("DAVG", "Flash: >1–2 ms", 1.0),
    "slow_ms": ("DAVG", "Flash: >1–2 ms", 1.0),
    "deep": ("Snapshots", ">2–3 deep", 3.0),
    "some": ("Snapshots", ">2–3 deep", 2.0),
    "old_h": ("Snapshots", ">72 h", 72.0),
}
"""By a threshold's name, or card and name: row of the notes' table, its words, and the number they are."""

TOLD_IN_WORDS: dict[str, tuple[str, str]] = {
    "net.errors half": ("### P40", "100 Mb/half"),
    "net.errors slow": ("### P40", "100 Mb/half"),
    "storage.reservation_conflicts any": ("\nP32,", ",>,0,1/s,2 of 15,KB-1005009"),
}
"""What stands in the text of a card of the notes only."""

ROUNDED = {"cpu.limit limited_warn", "pool.cpu limited_warn"}
"""Where the source says "above zero", and ours leaves out what is rounding, and says so."""


def cited() -> dict[str, Threshold]:
    """The thresholds whose first source is one of these."""
    return {
        f"{card.id} {name}": one
        for card in load_problems().cards
        for name, one in card.thresholds.items()
        if _TAGS.match(one.source)
    }


@cache
def text() -> str:
    page = NOTES / "problems.md"
    if not page.is_file():
        pytest.skip(f"Not compared with their sources: the notes are not here ({page.parent.name}).")
    return "\n".join((NOTES / name).read_text(encoding="utf-8") for name in ("problems.md", "thresholds.csv"))


def row(metric: str) -> str:
    """The row of the master table about a metric."""
    table = text().partition("## 3. Master threshold table")[2].partition("\n## ")[0]
    return next(line for line in table.splitlines() if line.startswith(f"| {metric}"))


@pytest.mark.parametrize("name", cited())
def test_a_number_is_what_its_source_says(name: str) -> None:
    threshold = cited()[name]
    tags = _TAGS.findall(threshold.source.partition(":")[0])
    if name in TOLD_IN_WORDS:
        head, words = TOLD_IN_WORDS[name]
        section = text().partition(head)[2].partition("\n###")[0]
        assert words in section, section
        assert all(tag in section for tag in tags), section
        return
    metric, words, number = SAID.get(name) or SAID[name.partition(" ")[2]]
    told = row(metric)
    assert words in told, told
    missing = [tag for tag in tags if tag.replace("KB-", "") not in told]
    assert not missing, told
    if name in ROUNDED:
        assert number <= threshold.value <= 0.1
        assert "DESIGN" in threshold.source
    else:
        assert threshold.value == number, f"{threshold.source}; the notes: {told}"


def test_no_row_is_left_over() -> None:
    used = {name if name in SAID else name.partition(" ")[2] for name in cited()}
    assert set(SAID) <= used
    assert set(TOLD_IN_WORDS) <= set(cited())
