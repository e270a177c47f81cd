"""Finds the simulated vCenters' programs, which `run.py test` builds into .cache/go-bin."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / ".cache" / "go-bin"


class MissingProgramError(Exception):
    """A simulated vCenter is not there; the text says how to get it."""


def program(name: str) -> Path:
    """The path of ``testvcenter``, ``vcsim`` or ``govc``.

    Looks at the environment variable of that name in capitals, then in .cache/go-bin, then on PATH.
    Raises MissingProgramError.
    """
    chosen = os.environ.get(name.upper())
    if chosen and Path(chosen).is_file():
        return Path(chosen)
    built = BUILT / (f"{name}.exe" if os.name == "nt" else name)
    if built.is_file():
        return built
    found = shutil.which(name)
    if found:
        return Path(found)
    text = f"{name} is not built: 'python run.py test' builds it (it needs Go's modules once)"
    raise MissingProgramError(text)
