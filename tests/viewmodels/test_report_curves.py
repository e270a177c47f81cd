"""Curves of a report: what stands for many samples shows the same noise from end to end."""

from __future__ import annotations

import numpy as np
import pytest

from viewmodels.report.time_charts import bucketed, even_parts


@pytest.mark.parametrize("count", [1, 279, 280, 281, 421, 5000])
def test_parts_are_of_one_size_but_for_the_last(count: int) -> None:
    parts = even_parts(count, 280)
    sizes = [part.stop - part.start for part in parts]
    assert sum(sizes) == count
    assert len(parts) <= 280
    assert len(set(sizes[:-1])) <= 1
    assert sizes[-1] <= sizes[0]


def test_noise_does_not_seem_to_grow_along_a_curve() -> None:
    values = np.random.default_rng(1).standard_normal(421)
    drawn = bucketed(np.arange(421) * 20_000, values)
    assert set(drawn.count[:-1].tolist()) == {2}
