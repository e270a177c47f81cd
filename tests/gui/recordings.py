"""Sessions and captures of the lab for the tests of the window, each made once in a run."""

from __future__ import annotations

from pathlib import Path

from lab import FieldSet, Lab, export_lab, find_scenario, load_scenarios, record_lab
from sessions.store import SessionWriter
from tests.made_once import copy_of


def record(
    path: Path, scenario: str = "demo", seconds: float = 600.0, fields: FieldSet = "diagnosis"
) -> Path:
    """Write a session with a scenario's first ``seconds`` to ``path``; returns the path.

    Without ``fields="all"`` it has the 6,000 series that diagnosis reads, not the 46,000 of everything that
    esxtop shows: whatever opens or judges it takes a fraction of the time.
    """

    def make(fresh: Path) -> None:
        lab = Lab(find_scenario(load_scenarios(), scenario), seed=1, fields=fields)
        with SessionWriter.create(fresh, title=scenario, durable=False) as writer:
            record_lab(lab, writer, duration_s=seconds)

    return copy_of(f"session {scenario} {seconds} {fields}", path, make)


def capture(path: Path, scenario: str = "demo", seconds: float = 600.0, host: str = "") -> Path:
    """Write an esxtop capture of a scenario's first ``seconds``, of all hosts or of one; returns the path."""

    def make(fresh: Path) -> None:
        lab = Lab(find_scenario(load_scenarios(), scenario), seed=1, fields="default")
        export_lab(lab, fresh, hosts=[host] if host else None, duration_s=seconds)

    return copy_of(f"capture {scenario} {seconds} {host}", path, make)
