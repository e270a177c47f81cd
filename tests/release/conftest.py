"""The scripts of ``packaging/`` as modules: the folder is no package, as that would hide a library."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Load a script by its name."""
    monkeypatch.syspath_prepend(str(PACKAGING))
    yield importlib.import_module
    for name in {path.stem for path in PACKAGING.glob("*.py")} & set(sys.modules):
        if Path(getattr(sys.modules[name], "__file__", None) or "").parent == PACKAGING:
            sys.modules.pop(name)
