"""What runs here: the versions of Hyperscope, Python and Qt, and the system."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass

from resources.version import VERSION

_QT_PACKAGE = "PySide6-Essentials"


@dataclass(frozen=True, slots=True)
class Installation:
    """Versions as text; ``qt`` is empty where Qt is not installed.

    ``form`` is ``program`` for one that brings its own Python, else ``source``.
    """

    hyperscope: str
    python: str
    qt: str
    system: str
    form: str

    def __str__(self) -> str:
        qt = f", Qt {self.qt}" if self.qt else ""
        return f"Hyperscope {self.hyperscope} ({self.form}), Python {self.python}{qt}, {self.system}"


def installation() -> Installation:
    """Return what runs here; loads nothing of Qt."""
    return Installation(
        VERSION,
        platform.python_version(),
        _qt_version(),
        platform.platform(),
        "program" if getattr(sys, "frozen", False) else "source",
    )


def _qt_version() -> str:
    loaded = sys.modules.get("PySide6")
    if loaded is not None:
        return str(getattr(loaded, "__version__", ""))
    from importlib import metadata  # noqa: PLC0415 - takes longer than all else here

    try:
        return metadata.version(_QT_PACKAGE)
    except metadata.PackageNotFoundError:
        return ""
