"""Splits a text into words: quotes keep a name together, commas and › stand alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(
    r"""\s*(?:
        (?P<sign>[,›>])
      | (?P<before>[^\s"“”„,›>]*)
        (?: " (?P<quoted>(?:[^"]|"")*) (?:"|$) | [“”„] (?P<curly>[^“”„]*) (?:[“”„]|$) )
      | (?P<word>[^\s"“”„,›>]+)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word from ``start`` to ``end`` of the text.

    ``plain`` stands before a quote or is the whole word; ``quoted`` is None if nothing is quoted.
    """

    plain: str
    quoted: str | None
    start: int
    end: int

    @property
    def name(self) -> str:
        """What is quoted, else the whole word."""
        return self.plain if self.quoted is None else self.quoted

    @property
    def is_sign(self) -> bool:
        """True for a comma or the › of a path."""
        return self.quoted is None and self.plain in {",", "›", ">"}

    @property
    def is_step(self) -> bool:
        """True for the › of a path."""
        return self.quoted is None and self.plain in {"›", ">"}


def words_of(text: str) -> Sequence[Word]:
    """Return the words of a text; a quote that is not closed reaches to the end."""
    found: list[Word] = []
    at = 0
    while (match := _WORD.match(text, at)) is not None and match.end() > at:
        at = match.end()
        plain = match["sign"] or match["before"] or match["word"] or ""
        name = match["quoted"].replace('""', '"') if match["quoted"] is not None else match["curly"]
        found.append(Word(plain, name, at - len(match[0].lstrip()), at))
    return found


def quoted(name: str) -> str:
    """Return a name in quotes, so that it is taken as a name whatever it says."""
    return '"' + name.replace('"', '""') + '"'
