"""How the facts of an inventory are called and written, in plain words (resources/facts/facts.toml)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property

import msgspec

from resources.counter_schema import EntityKind
from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml
from resources.units import UNITS, format_value

FILE = RESOURCES / "facts" / "facts.toml"

_MOST_DIGITS = 9  # of a part's number: a longer one is none of vSphere's

Value = str | float | bool | None
"""What a fact holds; None: nothing is set, or nobody said what."""
NameOf = Callable[[EntityKind, str], str]
"""Returns what an entity of a kind and key is called."""


class FactForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the facts of some ``names`` are written; the file says what each field is."""

    names: tuple[str, ...]
    label: str
    unit: str = ""
    none: str = "not set"
    first_part: int | None = None
    kind: EntityKind | None = None
    reading: bool = False
    words: dict[str, str] = msgspec.field(default_factory=dict)

    def part(self, name: str) -> str:
        """Return what a part is called, of which the fact's name has ``name``: ``4001`` is 2."""
        if self.first_part is None or not (name.isascii() and name.isdecimal() and len(name) < _MOST_DIGITS):
            return name
        number = int(name) - self.first_part + 1
        return str(number) if number > 0 else name


class FactForms(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The file: the first form that fits a name counts. A name that none fits is made readable."""

    fact: tuple[FactForm, ...]

    def label(self, name: str) -> str:
        """Return what a fact is called: ``CPU limit``, ``IOPS limit of scsi0:1``."""
        form, part = self._form_of(name)
        if form is None:
            return name.replace("_", " ").replace(".", " ")
        return form.label.replace("{part}", form.part(part))

    def text(self, name: str, value: Value, name_of: NameOf | None = None) -> str:
        """Return a value as an admin writes it: ``3.53 GHz``, ``on``, ``not set``. ``name_of`` tells what the
        entity is called whose key the value is.
        """
        form = self._form_of(name)[0] or FactForm((), name)
        if value is None:
            return form.none
        if isinstance(value, bool):
            return form.words.get(str(value).lower(), "on" if value else "off")
        if isinstance(value, str):
            return name_of(form.kind, value) if form.kind and name_of else form.words.get(value, value)
        return format_value(value, form.unit) if form.unit else f"{value:,.10g}"

    def change(self, name: str, before: Value, after: Value, name_of: NameOf | None = None) -> str:
        """Return a change as a part of a sentence: ``CPU limit: 3.53 GHz → unlimited``."""
        return f"{self.label(name)}: {self.step(name, before, after, name_of)}"

    def step(self, name: str, before: Value, after: Value, name_of: NameOf | None = None) -> str:
        """Return both values of a change: ``3.53 GHz → unlimited``."""
        return " → ".join(self.text(name, one, name_of) for one in (before, after))

    def is_reading(self, name: str) -> bool:
        """Return True for what changes by itself, like free space: another value is no other setting."""
        form = self._form_of(name)[0]
        return form is not None and form.reading

    def _form_of(self, name: str) -> tuple[FactForm | None, str]:
        """Return how a fact is written, and the name of the part that stands for the star."""
        if form := self._exact.get(name):
            return form, ""
        for before, after, form in self._patterns:
            if name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after):
                return form, name[len(before) : len(name) - len(after)]
        return None, ""

    @cached_property
    def _exact(self) -> Mapping[str, FactForm]:
        return {name: form for form in self.fact for name in form.names if "*" not in name}

    @cached_property
    def _patterns(self) -> Sequence[tuple[str, str, FactForm]]:
        """What is before and behind the star."""
        starred = [(name.partition("*"), form) for form in self.fact for name in form.names if "*" in name]
        return [(before, after, form) for (before, _, after), form in starred]


@cache
def load_fact_forms() -> FactForms:
    """Load the file. Raises KnowledgeError, also for an unknown unit and a part that no name has."""
    forms = checked(read_toml(FILE), FactForms, FILE)
    for form in forms.fact:
        if form.unit and form.unit not in UNITS:
            raise knowledge_error(FILE, form.label, f"no unit is called {form.unit}")
        if any(("{part}" in form.label) != ("*" in name) for name in form.names):
            raise knowledge_error(FILE, form.label, "{part} stands for the * of each of its names")
    return forms
