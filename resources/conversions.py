"""Factors that convert vCenter's numbers into canonical ones, for each conversion of the catalogue."""

from __future__ import annotations

from resources.counter_schema import Conversion


def scale_of(conversion: Conversion, interval_s: float, vcpus: int = 1) -> float | None:
    """Return the factor that converts vCenter's number, None if this conversion needs more than a factor.

    ``interval_s`` is the sampling interval in seconds; ``vcpus`` is used only for a VM's own value (instance
    empty). No factor: ``by_word`` (states are matched by name), ``dropped_of_packets`` (needs a second
    counter), ``related`` (cannot be converted).
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
