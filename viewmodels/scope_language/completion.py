"""Completes what somebody types: entities, VMs first, then counters and forms of the language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sessions.model import EntityRef
from viewmodels.entity_words import KINDS, kind_of
from viewmodels.scope_language.counters import counter_words
from viewmodels.scope_language.exact_text import entity_text
from viewmodels.scope_language.forms import FORMS
from viewmodels.scope_language.surroundings import Surroundings
from viewmodels.scope_language.words import words_of
from viewmodels.scope_path import path_text

_MAX = 12
_MAX_COUNTERS = 4


@dataclass(frozen=True, slots=True)
class Completion:
    """A way to go on: ``text`` is the whole text then; ``title`` and ``hint`` are shown; ``ref`` is what it
    names, if that is an entity. ``is_whole`` False: the text wants more words, a counter its entity.
    """

    text: str
    title: str
    hint: str
    ref: EntityRef | None = None
    is_whole: bool = True


def completions(text: str, around: Surroundings) -> Sequence[Completion]:
    """Return ways to complete the last words of a text; examples of all forms if it is empty."""
    if not text.strip():
        return [Completion(form.example, form.example, form.meaning, is_whole=False) for form in FORMS]
    if text[-1:].isspace() or text.rstrip().endswith(","):
        return ()
    return list(islice(_found(text, around), _MAX))


def _found(text: str, around: Surroundings) -> Iterator[Completion]:
    """Complete the longest tail of the text that is a part of any name."""
    words = words_of(text)
    for first in range(len(words)):
        tail = [word.name for word in words[first:]]
        if any(word.is_sign for word in words[first:]):
            continue
        prefix, colon, rest = words[first].plain.partition(":")
        kind = kind_of(prefix) if colon else None
        if kind is not None:
            tail[0] = words[first].name if words[first].quoted is not None else rest
        before = text[: words[first].start]
        refs = around.names.containing([one.strip("*") for one in tail], kind)
        for ref in refs[:_MAX]:
            where = path_text(ref, around.snapshot, around.names.window)
            title = around.names.spellings(ref)[-1] if ref.kind != "host" else around.names.name(ref)
            hint = KINDS[ref.kind][0] if where == title else f"{KINDS[ref.kind][0]} · {where}"
            yield Completion(f"{before}{entity_text(ref, around)}", title, hint, ref)
        if refs:
            break
    yield from _counters(text, words[-1].plain, words[-1].start, around)


def _counters(text: str, word: str, start: int, around: Surroundings) -> Iterator[Completion]:
    found: dict[str, Completion] = {}
    for phrase, counters in counter_words(around.catalogue, around.limits).phrases.items():
        label = counters[0].label
        if len(word) > 1 and phrase.startswith(word.casefold()) and label not in found:
            title = f"{label} ({counters[0].short})" if counters[0].short else label
            found[label] = Completion(
                f"{text[:start]}{phrase}", title, f"counter · {counters[0].unit}", is_whole=False
            )
    yield from islice(found.values(), _MAX_COUNTERS)
