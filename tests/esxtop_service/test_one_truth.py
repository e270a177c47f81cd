"""What is wrong is found by the vCenter, by the hosts' esxtop services, by their esxtop over ssh, and by
several of these at once: then once. ``python -m benchmarks.three_ways`` does it for more scenarios.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.three_ways import judged
from tests.esxtop_service.one_site import COUNTERS, SERVICE, SOURCES, SSH, Site
from tests.some_of_many import others
from tests.vcenter.running import TestVCenter

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("scenario", "ways"),
    [
        ("cpu-ready-low-shares", ({COUNTERS}, {SSH}, set(SOURCES))),
        *others(
            ("storage-nfs-server-slow", ({COUNTERS, SSH},)),
            ("mem-compressing-overcommit", ({COUNTERS}, {SERVICE}, {SSH}, set(SOURCES))),
            ("mix-failover-and-slow-array", ({COUNTERS}, set(SOURCES))),
            ("mix-tiering-limit-and-e1000", ({COUNTERS},)),
        ),
    ],
)
def test_every_way_gives_one_truth(
    scenario: str, ways: tuple[set[str], ...], tmp_path: Path, start_vcenter: Callable[..., TestVCenter]
) -> None:
    site = Site(scenario, tmp_path, start_vcenter)
    for way in ways:
        assert judged(site, frozenset(way)) == [], sorted(way)
