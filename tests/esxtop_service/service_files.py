"""A lab scenario as files of replies, as the test vCenter serves them."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

from lab import Lab, load_scenarios
from lab.esxtop_service import services_of

HOSTS = ("esx0001.lab", "esx0002.lab")
"""The hosts of a test vCenter of two."""


def write_replies(
    folder: Path, hosts: Sequence[str], *, count: int = 30, scenario: str = "default", interval_s: float = 2.0
) -> Lab:
    """Write ``count`` replies of the first hosts of a scenario, under the names ``hosts``; return the lab."""
    lab = Lab(load_scenarios()[scenario], seed=1, fields="all", interval_s=interval_s)
    services = services_of(lab)[: len(hosts)]
    (folder / "counterinfo.dsv").write_text(services[0].counter_info(), encoding="utf-8")
    for name in hosts:
        (folder / name).mkdir()
    for number in range(count):
        lab.tick()
        for name, service in zip(hosts, services, strict=True):
            service.step()
            path = folder / name / f"{number:05d}.dsv.gz"
            path.write_bytes(gzip.compress(service.reply().encode(), 1))
    return lab
