"""The verdict on a session as every view says it: symbol, title, how far it reaches, what it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from resources.units import format_count
from sessions.verdict_wording import (
    TimeText,
    checks_text,
    covered_text,
    limits_of,
    reach_text,
    told_checks,
    verdict_title,
)
from sessions.verdicts import Verdict
from viewmodels.health import Health

_NAMED = 3
CLEAR: frozenset[Health] = frozenset({"ok", "partly"})
"""The states in which nothing was found."""


@dataclass(frozen=True, slots=True)
class VerdictWords:
    """A verdict as texts.

    ``title`` is the result (``No problem found``, ``2 critical``), ``reach`` up to when was judged, or why
    nothing was; ``covered`` of what; ``left_out`` has a sentence for each thing that was not judged.
    ``reason`` is the sentence that says why nothing was judged. ``checks`` has a sentence for each check that
    found nothing or only suspects something, with its number; ``checked`` are the problems of these, in the
    same order. ``checks_of`` says of what these numbers are, where only a part of the session is looked at.
    """

    health: Health
    title: str
    reach: str
    covered: str = ""
    left_out: tuple[str, ...] = ()
    reason: str = ""
    checks: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()
    checks_of: str = ""

    @property
    def short(self) -> str:
        """A few words for a narrow place: up to when was judged, and if only in part, or that nothing was."""
        reach = self.reach.replace("Judged", "Judged in part", 1) if self.health == "partly" else self.reach
        return reach if self.covered else self.title

    @property
    def sentences(self) -> list[str]:
        """Everything, a sentence each."""
        first = [] if self.reach.startswith(self.title) else [self.title]
        parts = [*first, self.reach, self.covered]
        return [*(sentence_of(part) for part in parts if part), *self.left_out]


def verdict_words(
    verdict: Verdict,
    at: TimeText,
    newest: int | None = None,
    *,
    behind_ms: int = 0,
    is_of_entities: bool = False,
) -> VerdictWords:
    """Return a verdict as texts. ``newest`` is the time of the session's last sample (ms); a verdict that is
    not further than ``behind_ms`` behind it is up to date, any other has no green symbol. ``is_of_entities``:
    it is that of some judged entities, whom not every area concerns.
    """
    to = verdict.judged_to
    if newest is not None and to is not None and newest - to <= behind_ms:
        newest = None
    health = verdict_health(verdict, is_of_entities=is_of_entities)
    is_late = newest is not None and to is not None
    return VerdictWords(
        "none" if health in CLEAR and is_late else health,
        verdict_title(verdict, is_of_entities=is_of_entities),
        reach_text(verdict, at, newest),
        covered_text(verdict),
        tuple(limits_of(verdict)),
        "" if verdict.is_judged else sentence_of(verdict.reason),
        tuple(checks_text(verdict)),
        tuple(one.problem for one in told_checks(verdict)),
    )


def verdict_health(verdict: Verdict, *, is_of_entities: bool = False) -> Health:
    """Return the symbol's state: the worst that was found; "ok" only if something was judged, and of a whole
    session something of each area.
    """
    if verdict.counts.critical:
        return "critical"
    if verdict.counts.warning:
        return "warning"
    if verdict.is_partly_clear and not is_of_entities:
        return "partly"
    return "ok" if verdict.is_clear else "none"


def words_beside(words: VerdictWords, over: Sequence[str]) -> VerdictWords:
    """Return an all-clear as it is said beside numbers ``over`` their limits, a sentence each: not as one."""
    if words.health not in CLEAR or not over:
        return words
    more = [f"and {format_count(len(over) - _NAMED)} more over their limits"] if len(over) > _NAMED else []
    named = [sentence_of(text) for text in (*over[:_NAMED], *more)]
    title = words.title.replace("found", "found yet", 1)
    return replace(words, health="over", title=title, left_out=(*named, *words.left_out))


def sentence_of(text: str) -> str:
    """Return a text as a sentence: with a capital, and a full stop if it has none."""
    whole = text[:1].upper() + text[1:]
    return whole if not whole or whole.endswith(("…", ".")) else f"{whole}."
