"""Finds the names of a session within any text, and replaces them: the longest name first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from resources.anonymity_rules import program_words

_WITHIN = 5
"""A name of so many characters is replaced also within a word, as in ``myweb01backup``."""
_HEX = re.compile(r"[0-9a-f]+", re.IGNORECASE)
_PREFIX = 2


@dataclass(frozen=True, slots=True)
class _Rule:
    """How a name is looked for."""

    replacement: str
    is_word: bool
    """True if it stands for itself: no letter or digit may be beside it."""
    is_exact: bool
    """True for a word of the program's own texts, which is a name only in the same letters."""


@dataclass
class KnownNames:
    """All names with their replacements; names that differ in capitals only have a replacement each."""

    _exact: dict[str, _Rule] = field(default_factory=dict)
    _folded: dict[str, _Rule] = field(default_factory=dict)
    _lengths: dict[str, list[int]] = field(default_factory=dict)
    _starts: re.Pattern[str] | None = None

    @classmethod
    def of(cls, names: Mapping[str, str]) -> KnownNames:
        """Return what finds these names, given with their replacements."""
        found = cls()
        joined = "\n".join(sorted(program_words()))
        for name, replacement in names.items():
            found._add(name, replacement, joined)
        for prefix, lengths in found._lengths.items():
            found._lengths[prefix] = sorted(set(lengths), reverse=True)
        if found._lengths:
            found._starts = re.compile("|".join(sorted(map(re.escape, found._lengths))))
        return found

    def _add(self, name: str, replacement: str, words: str) -> None:
        folded = _fold(name)
        if len(folded) < _PREFIX:
            return  # one letter is replaced only where it is all of a text
        is_program_word = folded in program_words()
        is_plain = len(folded) < _WITHIN or folded in words or _HEX.fullmatch(folded) is not None
        rule = _Rule(replacement, is_word=is_plain, is_exact=is_program_word or folded.isdigit())
        self._exact[name] = rule
        self._folded.setdefault(folded, rule)
        self._lengths.setdefault(folded[:_PREFIX], []).append(len(folded))

    def replaced(self, text: str, *, only_sure: bool = False) -> str:
        """Return the text with each name replaced; ``only_sure`` leaves words that the program uses, too."""
        if self._starts is None or not text:
            return text
        folded = _fold(text)
        parts: list[str] = []
        done = 0
        start = self._starts.search(folded)
        while start is not None:
            at = start.start()
            found = self._at(text, folded, at, only_sure)
            if found is None:
                following = at + 1
            else:
                length, replacement = found
                parts += (text[done:at], replacement)
                done = following = at + length
            start = self._starts.search(folded, following)
        return "".join([*parts, text[done:]]) if done else text

    def _at(self, text: str, folded: str, at: int, only_sure: bool) -> tuple[int, str] | None:
        for length in self._lengths[folded[at : at + _PREFIX]]:
            end = at + length
            known = self._folded.get(folded[at:end])
            if known is None or end > len(text):
                continue
            rule = self._exact.get(text[at:end], known)
            if rule.is_exact and (only_sure or text[at:end] not in self._exact):
                continue
            if not rule.is_word or _stands_alone(text, at, end):
                return length, rule.replacement
        return None


def _stands_alone(text: str, start: int, end: int) -> bool:
    before = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
    after = end < len(text) and text[end].isalnum() and text[end - 1].isalnum()
    return not (before or after)


def _fold(text: str) -> str:
    """Return the text in small letters, with as many characters; and with what a session keeps of NUL in
    names, which texts may hold as it is.
    """
    text = text.replace("\x00", "\ufffd")
    folded = text.lower()
    if len(folded) == len(text):
        return folded
    return "".join(lower if len(lower := one.lower()) == 1 else one for one in text)
