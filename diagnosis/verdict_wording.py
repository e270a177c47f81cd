"""The sentences of ``sessions.verdict_wording``, for who has a diagnosis at hand."""

from __future__ import annotations

from sessions.verdict_wording import (
    TimeText,
    counts_text,
    covered_text,
    entity_text,
    limits_of,
    reach_text,
    source_limits,
    unjudged_samples_text,
    verdict_sentence,
    verdict_title,
)

__all__ = [
    "TimeText",
    "counts_text",
    "covered_text",
    "entity_text",
    "limits_of",
    "reach_text",
    "source_limits",
    "unjudged_samples_text",
    "verdict_sentence",
    "verdict_title",
]
