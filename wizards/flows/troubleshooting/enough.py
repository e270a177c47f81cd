"""Is there enough after a change to judge it? The samples of what decides, against what its rules need."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from diagnosis.check_samples import CheckSamples, check_samples
from diagnosis.prepared import Prepared
from resources.foreign_text import shown
from resources.guided_flow import Numbers
from resources.units import format_count, format_duration
from sessions.model import EntityRef
from sessions.times import TimeRange
from sessions.troubleshooting import AwaitedSamples, CheckResult
from wizards.flows.troubleshooting.check_results import Knowledge
from wizards.flows.troubleshooting.outcomes import roots_of


def awaited_samples(
    prepared: Prepared,
    checks: Sequence[CheckResult],
    window: TimeRange | None,
    knowledge: Knowledge,
    *,
    since: int,
    partners: Mapping[EntityRef, EntityRef] | None = None,
    is_growing: bool,
) -> AwaitedSamples | None:
    """Return how many samples of what decides there are in the time after a change (None: none yet).

    Those that decide are the checks that were found before and follow from nothing else; that of which the
    least part is there is told. They count from ``since`` (ms) on. ``partners`` say which entity of another
    session is which. None if no source counts any of them.
    """
    found: list[AwaitedSamples] = []
    for check in roots_of(checks):
        ref = check.entity if partners is None or check.entity is None else partners.get(check.entity)
        samples = None if ref is None else check_samples(prepared, check.problem, ref, window)
        if samples is not None:
            known = knowledge.catalogue.get(samples.counter)
            has, needs = _against(samples, knowledge.flow.numbers, is_growing=is_growing)
            found.append(
                AwaitedSamples(
                    known.label if known else samples.what, check.name, samples.source, has, needs,
                    samples.interval_s, samples.last, since, is_late=samples.is_late, is_growing=is_growing,
                )
            )  # fmt: skip
    return min(found, key=lambda one: one.has / one.needs, default=None)


def _against(samples: CheckSamples, numbers: Numbers, *, is_growing: bool) -> tuple[int, int]:
    """Return how many samples there are, of how many.

    As many as come in the time that is watched, and at least those that the rule needs. A source that goes on
    may give samples in which the rule's number is absent: it is waited for those, too, but not
    for ever: a device that has nothing to do any more has no latency.
    """
    least = numbers.verify_s if is_growing else numbers.verify_least_s
    needs = max(samples.fewest, math.floor(least.value / samples.interval_s) + 1)
    if samples.instants < needs or not is_growing:
        return samples.instants, needs
    is_over = samples.instants >= needs * numbers.verify_patience.value
    return (needs, needs) if is_over or samples.known >= samples.fewest else (samples.known, samples.fewest)


def lacking_text(samples: AwaitedSamples | None, needs_s: float, *, is_growing: bool) -> str:
    """Return what is waited for, or what a recording lacks that has ended."""
    if samples is None:
        text = f"The checks run again when {format_duration(needs_s)} after the change are recorded."
        ended = "The recording has ended: record longer after the change, or give another session."
        return text if is_growing else f"{text} {ended}"
    what = f"“{samples.what}” of {shown(samples.name)}"
    if is_growing:
        return f"Judged when there are {format_count(samples.needs)} samples of {what} after the change."
    has = f"{format_count(samples.has)} of {format_count(samples.needs)} samples"
    lacks = f"{format_duration(samples.lacks_s)} more are needed" if samples.lacks_s else ""
    return (
        f"The recording ended with {has} of {what} after the change: "
        f"{lacks or 'too few'}. Record longer after the change, or give another session."
    )
