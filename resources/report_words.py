"""The plain words of a report (resources/report): what each problem means to a manager, and a glossary."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml

FOLDER = RESOURCES / "report"
_ENTITY = "{entity}"


class PlainProblem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A problem in words that need no explanation: what happens to ``{entity}``, and what that does."""

    id: str
    what: str
    effect: str

    def sentence(self, entity: str) -> str:
        """Return what happens, with the entity as a manager would call it."""
        text = self.what.replace(_ENTITY, entity)
        return text[0].upper() + text[1:]


class GlossaryWord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A word of the field, other forms of it, and what it means in one plain sentence."""

    word: str
    means: str
    forms: tuple[str, ...] = ()


class ReportWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of it. ``kinds`` say what an entity is (``the virtual machine``), ``method`` how numbers came
    about.
    """

    kinds: dict[str, str]
    problems: tuple[PlainProblem, ...]
    words: tuple[GlossaryWord, ...]
    method: tuple[str, ...]
    method_compared: tuple[str, ...]

    @property
    def by_problem(self) -> Mapping[str, PlainProblem]:
        """The plain words of each problem by its id."""
        return {one.id: one for one in self.problems}

    def entity(self, kind: str, name: str) -> str:
        """Return an entity as a manager would call it: ``the virtual machine db-prod``."""
        before = self.kinds.get(kind)
        return f"{before} {name}" if before else name

    def explained(self, text: str) -> Sequence[GlossaryWord]:
        """Return the words of the glossary that stand in the text, in the glossary's order.

        A word within a longer one is not meant: the VMware of VMware Tools.
        """
        found = set()
        for one in sorted(self.words, key=lambda one: -max(map(len, (one.word, *one.forms)))):
            text, count = _pattern(one).subn(" ", text)
            if count:
                found.add(one.word)
        return [one for one in self.words if one.word in found]


@cache
def _pattern(word: GlossaryWord) -> re.Pattern[str]:
    forms = sorted((word.word, *word.forms), key=len, reverse=True)
    # A word in capitals is an abbreviation ("DRS"); of others the first letter may be either.
    return re.compile("|".join(rf"(?<![\w-]){_either(form)}(?![\w-])" for form in forms))


def _either(form: str) -> str:
    first = form[0]
    if not first.isalpha() or form[1:2].isupper():
        return re.escape(form)
    return f"[{first.lower()}{first.upper()}]{re.escape(form[1:])}"


@cache
def load_report_words() -> ReportWords:
    """Return the words that ship. Raises KnowledgeError for a file that is not as it should be."""
    path = FOLDER / "words.toml"
    words = checked(read_toml(path), ReportWords, path)
    for problem in words.problems:
        if not problem.what or not problem.effect:
            raise knowledge_error(path, problem.id, "says nothing")
    return words


@cache
def report_style() -> str:
    """Return the style sheet of a report: light, dark and print."""
    return (FOLDER / "report.css").read_text(encoding="utf-8")
