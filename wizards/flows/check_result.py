"""What a check before a test found, as a value."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

CheckState = Literal["ok", "note", "warn", "block", "unknown"]
"""``unknown``: it could not be checked, which blocks where a real problem would; ``note`` is only said."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A check's outcome: ``id`` (``C3``), its state, what was found in one sentence, why it matters, how
    to mend it.

    ``objects`` are the names of the objects that it concerns, ``leave_out`` those workers without which
    the test could run.
    """

    id: str
    state: CheckState
    title: str
    found: str
    why: str = ""
    mend: str = ""
    objects: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()

    @property
    def blocks(self) -> bool:
        """True if the test must not start."""
        return self.state == "block"

    def to_json(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return asdict(self)
