"""What a wrong deduplication ratio says about how the disks were written: the known error signatures."""

from __future__ import annotations

from dataclasses import dataclass

from resources.study_numbers import DedupStudy
from resources.units import format_count, format_value
from wizards.flows.verdicts.phrases import counted


@dataclass(frozen=True, slots=True)
class Content:
    """What was asked for, what the storage reported when it was written, and after the measuring.

    Ratios are percent of duplicate blocks; NaN where unknown. ``disks`` is how many were written.
    """

    asked: float
    reported: float
    at_end: float
    disks: int


def is_right(content: Content, study: DedupStudy) -> bool:
    """Return True if the reported ratio is the one that was asked for."""
    return abs(content.reported - content.asked) <= study.tolerance_points.value


def diagnosis(content: Content, study: DedupStudy) -> str:
    """Return why the reported ratio is not the asked one; what is known of it is tried in order of
    certainty.
    """
    asked, reported = format_value(content.asked, "%"), format_value(content.reported, "%")
    head = f"{reported} reported for {asked} asked"
    contents = distinct_contents(content, study)
    if contents == 1:
        share = f"1 − 1/{content.disks} = {format_value(100 - 100 / content.disks, '%')}"
        disks = f"all {format_count(content.disks)} disks have the same content"
        return f"{head}: {disks}, as equal random seeds write it ({share}). Give each its own seed."
    if content.reported >= study.one_block_percent.value:
        return f"{head}: nearly everything is one block, as zeros or dd write it. Fill the disks with fio."
    if contents:
        disks = f"{counted(content.disks, 'disk')} have only {counted(contents, 'content')}"
        return f"{head}: {disks}; some seeds are equal."
    shifted = content.asked * study.misaligned_share.value
    if content.asked > 0 and abs(content.reported - shifted) <= study.misaligned_points.value:
        return f"{head}: the blocks are not aligned to 4 KB. Align partition and offset."
    if content.reported < content.asked:
        old = f"a fio before {study.old_fio.value:g}"
        return f"{head}: blocks other than 4 KB, {old}, or data that is not destaged yet."
    return f"{head}: other data on the storage has duplicates, too, or old test disks are still there."


def distinct_contents(content: Content, study: DedupStudy) -> int:
    """Return how many contents the disks seem to have if fewer than disks; 0 if the ratio does not say so.

    With a part u of unique blocks each, n disks of k contents have u · k / n unique blocks.
    """
    unique = 1 - content.asked / 100
    if content.disks < 2 or unique <= 0:
        return 0
    for contents in range(1, content.disks):
        expected = 100 * (1 - unique * contents / content.disks)
        if abs(content.reported - expected) <= study.same_seed_points.value:
            return contents
    return 0


def decay(content: Content, study: DedupStudy) -> str | None:
    """Return what random overwriting did to the ratio; None if it held or nobody knows."""
    if not content.at_end < content.reported * study.decayed_share.value:
        return None
    before, after = format_value(content.reported, "%"), format_value(content.at_end, "%")
    return f"Random overwriting took the ratio from {before} to {after}: prepare again before another run."
