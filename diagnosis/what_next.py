"""What to do where nothing was judged, or nothing of whole areas: how to record, by the kind of source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from diagnosis.session_events import told_text
from resources.first_looks import FirstLooks
from resources.units import format_count
from sessions.model import Event, Source
from sessions.verdicts import Verdict

_NAMED = 8
"""Events of logs that are named where there is nothing else to tell."""


def with_next_step(
    verdict: Verdict, sources: Sequence[Source], looks: FirstLooks, *, is_windowed: bool = False
) -> Verdict:
    """Return the verdict with what to do next, if nothing was judged and waiting does not help, or if nothing
    was found and nothing was judged of whole areas.

    ``is_windowed``: only a part of the session's time was asked about, and it has no sample.
    """
    if verdict.state != "could not be judged" and not verdict.is_partly_clear:
        return verdict
    if is_windowed and not verdict.is_judged:
        return replace(verdict, next_step=looks.other_time)
    by_kind = looks.more_areas if verdict.is_judged else looks.again
    steps = dict.fromkeys(by_kind.get(one.spec.kind, "") for one in sources)
    return replace(verdict, next_step=" ".join(filter(None, steps)))


def log_notes(events: Sequence[Event]) -> tuple[str, ...]:
    """Return what logs tell that nothing can be judged with: the events that lasted longest, a line each."""
    longest = sorted(events, key=lambda one: (one.at - one.until, one.at))
    texts = list(dict.fromkeys(told_text(one) for one in longest))
    if not texts:
        return ()
    more = len(texts) - _NAMED
    left = [f"and {format_count(more)} more, on the timeline"] if more > 0 else []
    return ("What the logs tell:", *(f"- {text}" for text in [*texts[:_NAMED], *left]))
