"""The frozen program's entry point: what it starts of the system finds the system's libraries."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"LD_LIBRARY_PATH": "/opt/hyperscope"}, {}),
        (
            {"LD_LIBRARY_PATH": "/opt/hyperscope:/own", "LD_LIBRARY_PATH_ORIG": "/own"},
            {"LD_LIBRARY_PATH": "/own"},
        ),
        ({"LD_LIBRARY_PATH": "/opt/hyperscope", "LD_LIBRARY_PATH_ORIG": ""}, {}),
        ({"HOME": "/root"}, {"HOME": "/root"}),
    ],
)
def test_the_loaders_library_path_is_taken_back(
    script: Callable[[str], ModuleType], before: dict[str, str], after: dict[str, str]
) -> None:
    script("entry").give_back_library_path(before)

    assert before == after
