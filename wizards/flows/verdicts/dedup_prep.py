"""vSAN deduplication: is the asked content on the disks, and what do duplicates cost?

Steps: ``depth N`` after the disks were written, ``one block N`` for the ladder of a single block.
"""

from __future__ import annotations

from math import isnan, nan

from resources.foreign_text import shown
from resources.study_numbers import DedupStudy, Studies
from resources.units import format_value
from sessions.journal import Figure
from wizards.flows.measured import Measured
from wizards.flows.verdict import Answer, Condition, Verdict
from wizards.flows.verdicts import one_block
from wizards.flows.verdicts.comparison import Comparer
from wizards.flows.verdicts.content import Content, decay, diagnosis, is_right
from wizards.flows.verdicts.hot_disks import HotDisk, slowest_disk
from wizards.flows.verdicts.outcome import refused, verdict
from wizards.flows.verdicts.phrases import counted, figure
from wizards.flows.verdicts.validity import conditions, usable

_RATIO = "dedup_percent"


def judge(given: Measured, studies: Studies) -> Verdict:
    """Return whether the storage reports the asked ratio; if not, what went wrong when the disks were
    written.
    """
    measured = usable(given)
    content = _content(given)
    steps = [step for step in given.steps() if step.startswith("depth ")]
    needed = (_reported(content, studies.dedup), *conditions(given, studies.judging, steps))
    disk = slowest_disk(measured, studies.dedup)
    found = one_block.ladder(measured, studies)
    figures = _figures(content, disk) + ([] if found is None else one_block.figures(found))
    if (result := refused(needed, figures)) is not None:
        return result
    hot = disk is not None and disk.factor >= studies.dedup.hot_disk_factor.value
    right = is_right(content, studies.dedup)
    rounds = min((len(measured.of_step(step)) for step in steps), default=0)
    comparer = Comparer(measured, studies.judging)
    confidence = comparer.confidence([], needed, rounds)
    asked, reported = format_value(content.asked, "%"), format_value(content.reported, "%")
    if not right:
        line = f"The disks have the wrong content: {reported} duplicates for {asked} asked."
        sentence = f"{diagnosis(content, studies.dedup)}"
    else:
        line = f"The disks have the asked content: {reported} duplicates for {asked} asked."
        if hot and disk is not None:
            line = f"The ratio is right, but {shown(disk.disk)} is a hot disk."
        sentence = (
            f"The ratio misses by {format_value(abs(content.reported - content.asked), '')} points of "
            f"{format_value(studies.dedup.tolerance_points.value, '')} ({counted(content.disks, 'disk')})."
        )
    notes = [
        _hot(disk, studies.dedup) if hot and disk is not None else None,
        decay(content, studies.dedup),
        None if found is None else one_block.note(found, studies.dedup),
        _compression(given),
    ]
    needs = comparer.needs(None, "", "") if confidence == "indicative" else ""
    answer: Answer = "good" if right and not (hot and disk is not None) else "against"
    return verdict(line, sentence, confidence, needed, figures, notes, needs, answer)


def _content(measured: Measured) -> Content:
    """The ratio that was read when the disks had been written, and the last one of a measured round."""
    seen = [one.facts[_RATIO] for one in measured.rounds if _RATIO in one.facts]
    written = [measured.after_fill[_RATIO]] if _RATIO in measured.after_fill else []
    known = [one for one in [*written, *seen] or [measured.before.get(_RATIO, nan)] if not isnan(one)]
    return Content(
        measured.inputs.get("dedupe", nan),
        known[0] if known else nan,
        known[-1] if len(known) > 1 else nan,
        int(measured.inputs.get("disks", measured.worker_count)),
    )


def _reported(content: Content, study: DedupStudy) -> Condition:
    text = f"{format_value(content.reported, '%')} reported"
    source = study.tolerance_points.source
    holds = None if isnan(content.reported) else True
    return Condition(
        "Is the ratio known?", text, "read after writing", holds, source, "nobody knows the ratio"
    )


def _figures(content: Content, disk: HotDisk | None) -> list[Figure]:
    found = [
        figure("duplicates asked", "all disks", content.asked, "%"),
        figure("duplicates reported", "all disks", content.reported, "%"),
        figure("duplicates at the end", "all disks", content.at_end, "%"),
    ]
    if disk is not None:
        found.append(figure("read latency by its group's median", disk.disk, disk.factor, "ratio"))
    return found


def _hot(disk: HotDisk, study: DedupStudy) -> str:
    times, limit = format_value(disk.factor, "ratio"), format_value(study.hot_disk_factor.value, "ratio")
    ms = format_value(disk.latency_ms, "ms")
    much = f"{times} times its group (limit {limit})"
    return f"{shown(disk.disk)} reads at {ms}, {much}: a hot block of zeros or duplicates."


def _compression(measured: Measured) -> str | None:
    saved = measured.before.get("compress_percent", nan)
    asked = measured.inputs.get("compress", nan)
    if isnan(saved) or isnan(asked):
        return None
    return f"Compression saved {format_value(saved, '%')} for {format_value(asked, '%')} asked."
