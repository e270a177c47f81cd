"""What a check before a test found, as a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

CheckState = Literal["ok", "note", "warn", "block", "unknown"]
"""``unknown``: it could not be checked, which blocks where a real problem would; ``note`` is only said."""

STATE_WORDS: Mapping[CheckState, str] = {
    "block": "block",
    "unknown": "not checked",
    "warn": "warn",
    "note": "to know",
    "ok": "ok",
}


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A check's outcome: ``id`` (``C3``), its state, what was found in one sentence, why it matters, how
    to mend it.

    ``objects`` are the names of the objects that it concerns, ``leave_out`` those workers without which
    the test could run. ``lacking`` are the things that lack, each with what it is for; ``request`` is a text
    to send to who can grant them.
    """

    id: str
    state: CheckState
    title: str
    found: str
    why: str = ""
    mend: str = ""
    objects: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    lacking: tuple[tuple[str, str], ...] = ()
    request: str = ""

    @property
    def blocks(self) -> bool:
        """True if the test must not start."""
        return self.state == "block"

    def to_json(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return asdict(self)


def counts_text(checks: Sequence[CheckResult]) -> str:
    """Return ``1 block, 2 warn, 12 ok``."""
    counts = [(sum(one.state == state for one in checks), word) for state, word in STATE_WORDS.items()]
    return ", ".join(f"{count} {word}" for count, word in counts if count) or "nothing checked yet"
