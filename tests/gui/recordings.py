"""Sessions for the window's tests: the lab, recorded once a run."""

from __future__ import annotations

from pathlib import Path

from lab import Lab, find_scenario, load_scenarios, record_lab
from sessions.store import SessionWriter


def record(path: Path, scenario: str = "demo", seconds: float = 600.0) -> Path:
    """A session of a scenario's first seconds."""
    with SessionWriter.create(path, title=scenario, durable=False) as writer:
        record_lab(Lab(find_scenario(load_scenarios(), scenario), seed=1), writer, duration_s=seconds)
    return path
