"""How a run of a test ended, in a few sentences: what it came to, and what is not as it was before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from resources.foreign_text import shown
from sessions.journal import JournalEntry, TestRun
from wizards.flows.change_count import count_changes, left_words
from wizards.flows.change_words import change_title
from wizards.flows.verdicts.phrases import listed

EndState = Literal["ok", "info", "warning", "critical"]

_MAX_NAMES, _MAX_TITLES = 3, 3


@dataclass(frozen=True, slots=True)
class RunEnd:
    """What is said of a run when it has ended. ``still`` counts what is not as it was before, ``open`` what
    of it can be put back: the rest was changed by somebody else.

    ``state`` is critical while something can be put back, warning if something is left or the run did not
    reach its end, info without a verdict.
    """

    state: EndState
    text: str
    still: int = 0
    open: int = 0


def run_end(
    run: TestRun, title: str, changes: Sequence[JournalEntry], settings: Mapping[str, tuple[str, str]]
) -> RunEnd:
    """Return how a run of the test called ``title`` ended. ``changes`` are those of this run; ``settings``
    are titles and units of settings by their names.
    """
    count = count_changes(changes)
    outcome, state = _outcome(run)
    state = "critical" if count.open else "warning" if count.left else state
    text = f"{shown(title, 80)} {outcome} {what_is_left(changes, settings)}"
    return RunEnd(state, text, count.still, count.open)


def what_is_left(changes: Sequence[JournalEntry], settings: Mapping[str, tuple[str, str]]) -> str:
    """Return a sentence on what is not as it was before, each by its name; or that everything is."""
    count = count_changes(changes)
    if not count.all:
        return "Nothing was changed."
    if not count.still:
        return f"What it changed is put back, {count.back} of {count.all}."
    still = [one for one in changes if one.is_open or one.state == "left"]
    found = f"{left_words(count)}: {_named(still, settings)}."
    if count.open and count.left:
        others = [one for one in still if one.state == "left"]
        found += f" Somebody else set {_named(others, settings)}: that is left alone."
    return found


def _outcome(run: TestRun) -> tuple[str, EndState]:
    """Return what a run came to, as the rest of a sentence that begins with its title."""
    why, verdict = shown(run.why, 400).strip(), shown(run.verdict, 400).strip()
    if not all(one.state == "done" for one in run.phases[:-1]):
        if not verdict:
            return f"ended before there was a verdict: {_closed(why or 'it was interrupted')}", "warning"
        return f"ended early: {f'{_closed(why)} ' if why else ''}{_closed(verdict)}", "warning"
    if not verdict:
        return f"has ended without a verdict{f': {_closed(why)}' if why else '.'}", "info"
    return f"has ended: {_closed(verdict)}", "ok" if run.valid else "info"


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


def _named(changes: Sequence[JournalEntry], settings: Mapping[str, tuple[str, str]]) -> str:
    """Return what was changed and of which objects: ``Disk shares of w1, w2; Test disk of w5``."""
    by_title: dict[str, dict[str, None]] = {}
    for one in reversed(changes):
        by_title.setdefault(change_title(one, settings), {})[shown(one.object.name, 60)] = None
    return "; ".join(_titles(by_title))


def _titles(by_title: Mapping[str, Mapping[str, None]]) -> Iterator[str]:
    for number, (title, names) in enumerate(by_title.items()):
        if number == _MAX_TITLES:
            yield f"and {len(by_title) - _MAX_TITLES} more"
            return
        yield f"{title} of {listed(names, _MAX_NAMES)}"
