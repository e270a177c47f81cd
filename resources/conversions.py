"""How a number from vCenter becomes the canonical one: the factor of each conversion of the catalogue."""

from __future__ import annotations

from resources.counter_schema import Conversion


def scale_of(conversion: Conversion, interval_s: float, vcpus: int = 1) -> float | None:
    """What to multiply vCenter's number with, None where no factor does it.

    ``interval_s`` is the sampling interval in seconds; ``vcpus`` counts for a VM's own value (instance
    empty) only. ``by_word`` needs the word, ``dropped_of_packets`` a second counter, ``related`` can't be
    converted.
    """
    factors: dict[Conversion, float] = {
        "same": 1.0,
        "hundredths": 1 / 100,
        "ms_of_interval": 1 / (interval_s * 10),
        "ms_of_interval_per_vcpu": 1 / (interval_s * 10 * vcpus),
        "kb_to_mb": 1 / 1024,
        "kbps_to_mbps": 1 / 1024,
        "kbps_to_mbits": 8 / 1000,
        "us_to_ms": 1 / 1000,
        "count_per_interval": 1 / interval_s,
    }
    return factors.get(conversion)
