"""A session as large as a day of a busy cluster: about 20,000 series every 5 seconds, played by the lab."""

from __future__ import annotations

from pathlib import Path

from lab import Lab, load_scenarios, record_lab
from sessions.store import SessionWriter


def big_session(cache: Path, *, hours: float, scenario: str = "healthy-normal", hosts: int = 2) -> Path:
    """Return the path of a session of ``hours`` hours of some hosts of the lab's ``scenario``.

    The lab plays it once; the cache folder keeps the file.
    """
    of_hosts = "" if hosts == 2 else f"-{hosts}-hosts"
    path = cache / f"{scenario}-{hours:g}h{of_hosts}.hscope"
    if path.exists():
        return path
    partial = path.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    with SessionWriter.create(partial, durable=False) as writer:
        lab = Lab(load_scenarios()[scenario], seed=11, fields="all")
        record_lab(lab, writer, duration_s=round(hours * 3600), hosts=lab.hosts[:hosts])
    partial.replace(path)
    return path
