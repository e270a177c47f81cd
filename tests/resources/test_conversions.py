"""vCenter's numbers become ours: each factor by a worked example."""

from __future__ import annotations

import pytest

from resources.conversions import scale_of
from resources.counter_schema import CONVERSIONS, Conversion

# 2,000 ms of ready in a 20 s sample are 10 %, 2.5 % of each vCPU of four.
EXAMPLES: list[tuple[Conversion, float, float]] = [
    ("same", 12.0, 12.0),
    ("hundredths", 4550, 45.5),
    ("ms_of_interval", 2000, 10.0),
    ("ms_of_interval_per_vcpu", 2000, 2.5),
    ("kb_to_mb", 2048, 2.0),
    ("kbps_to_mbps", 512, 0.5),
    ("kbps_to_mbits", 125_000, 1000.0),
    ("us_to_ms", 7500, 7.5),
    ("count_per_interval", 40, 2.0),
]


@pytest.mark.parametrize(("conversion", "vcenter", "canonical"), EXAMPLES)
def test_factor(conversion: Conversion, vcenter: float, canonical: float) -> None:
    scale = scale_of(conversion, 20, vcpus=4)
    assert scale is not None
    assert vcenter * scale == pytest.approx(canonical)


def test_what_no_factor_converts() -> None:
    without = {name for name in CONVERSIONS if scale_of(name, 20) is None}
    assert without == {"by_word", "dropped_of_packets", "related"}
