"""What a right answer is: values that an environment gives beside its sessions, before it is asked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Culprits:
    """``correlate``: these make it. Ranks count among what is neither the subject, nor a part of it, nor what
    it shares with others (device, datastore, host, uplink): an admin asks "who".
    """

    words: tuple[str, ...]
    names: tuple[str, ...]
    subject: str
    within: int = 1
    raw_within: int = 5
    """Also, of all rows as printed, one of them stands among so many."""
    says: tuple[str, ...] = ()
    never_says: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    """Counters of the subject or of what it shares that must be among the first ``raw_within`` rows."""


@dataclass(frozen=True)
class NoCulprit:
    """``correlate``: none of the VMs makes it. None is said to make, cause, drive or start it; ``first`` are
    names of what must be among the first five rows.
    """

    words: tuple[str, ...]
    subject: str
    first: tuple[str, ...] = ()
    says: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """``compare``: the verdict of one counter, and how far the ratio B / A may be."""

    entity: str
    counter: str
    verdicts: tuple[str, ...]
    ratio: tuple[float, float] | None = None


@dataclass(frozen=True)
class Comparison:
    """``compare``: rows, the answer about the load, and how many of all rows may be called different."""

    words: tuple[str, ...]
    rows: tuple[Row, ...] = ()
    same_load: tuple[bool | None, ...] = (True, False, None)
    most_different: float | None = None
    says: tuple[str, ...] = ()
    never_says: tuple[str, ...] = ()
    b: bool = False
    """The second session is given, too."""
    exact: tuple[tuple[str, str], ...] = ()
    """(entity, counter) whose n, mean, p50 and p95 are those of the raw samples, as ``query`` prints them."""


@dataclass(frozen=True)
class Fix:
    """``troubleshoot``, then ``--verify``: the verdict of all, and what may be said of it.

    ``at_most``: the highest confidence that is honest: high, medium or low. None: not asked.
    """

    words: tuple[str, ...]
    after: tuple[str, ...]
    verdicts: tuple[str, ...]
    at_most: str | None = None
    says: tuple[str, ...] = ()
    never_says: tuple[str, ...] = ()
    b: bool = False


@dataclass(frozen=True)
class Report:
    """``report``: what it must state and must not; names that no anonymised one may hold."""

    words: tuple[str, ...]
    says: tuple[str, ...] = ()
    never_says: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()


Ask = Culprits | NoCulprit | Comparison | Fix | Report
