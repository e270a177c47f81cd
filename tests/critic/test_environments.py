"""What moved, compare, did the fix work and report, in environments that a critic made before he asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.critic.asking import wrong
from tests.critic.environments import ENVIRONMENTS, Environment

KNOWN_MISSES: dict[str, list[str]] = {}


@pytest.mark.parametrize("make", ENVIRONMENTS, ids=lambda make: make.__name__)
def test_an_environment_is_read_as_its_maker_knows_it(
    make: Callable[[Path], Environment], tmp_path: Path
) -> None:
    environment = make(tmp_path)
    found = [
        f"{type(ask).__name__}: {text}"
        for ask in environment.asks
        for text in wrong(environment, ask, tmp_path)
    ]
    assert found == KNOWN_MISSES.get(make.__name__, [])
