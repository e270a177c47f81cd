"""Reads TOML files of knowledge into typed values, with errors that name file, entry and problem."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Sequence
from functools import cache, wraps
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from resources.failures import KnowledgeError
from resources.files import is_device_or_pipe
from resources.foreign_text import shown
from resources.typed_data import ready

_PART = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_LONG_KEY = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*\.[ \t]*{_PART}){{32}}")
"""A dotted key of so many parts. tomllib takes time with their square: a minute for 100 KB of them."""
_EXPECTED = re.compile(
    r"Expected `(?P<kinds>[\w |]+)`(?P<length> of length)?(?: (?P<sign>[<>]=?) (?P<limit>\S+))?"
    r"(?:, got `(?P<got>\w+)`)?"
)
_OTHER_FAULTS = (
    (re.compile("Object contains unknown field `(?P<name>.*)`", re.DOTALL), "has an unknown field {name}"),
    (re.compile("Object missing required field `(?P<name>.*)`", re.DOTALL), "lacks the field {name}"),
    (re.compile("Invalid enum value '(?P<name>.*)'", re.DOTALL), "can't be {name}"),
    (re.compile("Number out of range"), "is too large a number"),
)
_KINDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "date": "a date",
    "datetime": "a date with a time",
    "time": "a time",
}
_SIGNS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
_MAX_SHOWN = 60
_MAX_BYTES = 8 << 20
_PLACE = re.compile(r"\.(?P<name>\w+)(?:\[(?P<index>\d+|\.\.\.)\])?")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Loader(Protocol[T_co]):
    """Loads knowledge: what ships with Hyperscope, then what is in ``extra_dirs``."""

    def __call__(self, extra_dirs: Sequence[Path] = ()) -> T_co:
        """Return the knowledge. Raises KnowledgeError."""


RESOURCES = Path(__file__).parent
"""The folder that ships with the program, with ``counters``, ``problems``, ``lab`` and others in it."""


def shipped_once(load: Callable[[Sequence[Path]], T]) -> Loader[T]:
    """Return ``load`` so that a process reads only once what ships with Hyperscope: it does not change.

    The caller may not change what it gets. With ``extra_dirs`` everything is read anew at each call.
    """

    @cache
    def shipped() -> T:
        return load(())

    @wraps(load)
    def loaded(extra_dirs: Sequence[Path] = ()) -> T:
        return load(extra_dirs) if extra_dirs else shipped()

    return loaded


def knowledge_files(folder: str, extra_dirs: Sequence[Path] = ()) -> list[list[Path]]:
    """Return the TOML files of ``folder``: those that ship with Hyperscope, then those in ``extra_dirs``.

    There is one list for each directory, sorted by name; entries of a later directory may replace earlier
    ones. An extra directory may lack ``folder`` but must exist. Raises KnowledgeError.
    """
    places = [_toml_in(RESOURCES / folder)]
    for extra in extra_dirs:
        if not extra.is_dir():
            raise KnowledgeError(
                f"There is no knowledge directory {extra}.",
                advice=f"Create it with a folder {folder} in it, or leave the option out.",
            )
        places.append(_toml_in(extra / folder))
    return places


def _toml_in(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.toml"))


def read_toml(path: Path) -> dict[str, object]:
    """Return the tables of a TOML file (UTF-8; a byte order mark is allowed). Raises KnowledgeError, also for
    ``nan``, which no rule can compare with.
    """
    try:
        if is_device_or_pipe(path):  # opening one may wait for ever
            raise knowledge_error(path, "", "is not a regular file")
        if path.stat().st_size > _MAX_BYTES:
            raise knowledge_error(path, "", "is larger than 8 MB")
        return tables_of(path.read_text(encoding="utf-8-sig"), _number)
    except OSError as error:
        raise knowledge_error(path, "", f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise knowledge_error(path, "", f"is not UTF-8 at byte {error.start}") from error
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is no TOMLDecodeError
        raise knowledge_error(path, "", f"is not TOML: {error}") from error


def tables_of(text: str, number: Callable[[str], float] = float) -> dict[str, object]:
    """Return the tables of TOML, soon whatever the text is; ``number`` reads those with decimals. Raises
    ValueError, RecursionError.
    """
    if _LONG_KEY.search(text):
        raise ValueError("a key of it has too many parts")
    return tomllib.loads(text, parse_float=number)


def _number(text: str) -> float:
    value = float(text)
    if math.isnan(value):
        raise ValueError(f"{text} is no number")
    return value


def parse_toml(data: bytes) -> dict[str, object]:
    """Return the tables of a TOML file's bytes. Raises ValueError that says what is wrong with it."""
    try:
        return tables_of(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except ValueError as error:  # a number of 5,000 digits is no TOMLDecodeError
        raise ValueError(f"it is not TOML: {error}") from error


def checked(data: object, kind: type[T], path: Path, entry: str = "") -> T:
    """Return ``data`` converted to ``kind``, a msgspec struct. Raises KnowledgeError naming ``path`` and
    ``entry``.
    """
    try:
        return msgspec.convert(data, ready(kind))
    except msgspec.ValidationError as error:
        raise knowledge_error(path, entry, str(error)) from error


def plain_fault(error: msgspec.ValidationError) -> str:
    """Return what msgspec found, as a part of a sentence: "entry 1 of sets: version must be a whole number of
    at least 1". Entries are counted from 1.
    """
    message = str(error)
    what, separator, where = message.rpartition(" - at `$")
    places = [_place(one) for one in _PLACE.finditer(where)] if separator else []
    return f"{': '.join(places) or 'it'} {_fault(what if separator else message)}"


def _place(found: re.Match[str]) -> str:
    name, index = found["name"], found["index"]
    if index is None:
        return name
    return f"entry {int(index) + 1} of {name}" if index.isdigit() else f"a value of {name}"


def _fault(what: str) -> str:
    """What is wrong with a place, in words that follow its name."""
    if found := _EXPECTED.fullmatch(what):
        kinds = " or ".join(_KINDS.get(kind, kind) for kind in found["kinds"].split(" | "))
        limit = f" of {_SIGNS[found['sign']]} {found['limit']}" if found["sign"] else ""
        if found["length"]:
            limit += (" character" if "str" in found["kinds"] else " item") + "s" * (found["limit"] != "1")
        got = _KINDS.get(found["got"], found["got"])
        got = "one with decimals" if (found["kinds"], found["got"]) == ("int", "float") else got
        return f"must be {kinds}{limit}" + (f", not {got}" if got else "")
    for pattern, text in _OTHER_FAULTS:
        if found := pattern.fullmatch(what):
            return text.format(name=repr(shown(found.groupdict().get("name", ""), _MAX_SHOWN)))
    return f"is not as it has to be: {what}"


def knowledge_error(path: Path, entry: str, problem: str) -> KnowledgeError:
    """Return the error to raise for ``entry`` of the file ``path``."""
    where = f"{path.parent.name}/{path.name}"
    return KnowledgeError(
        f"{where}: {entry}: {problem}." if entry else f"{where}: {problem}.",
        meaning=f"The knowledge in {path} is not used, because half of it could mislead.",
        advice="Correct the file or take it away; CONTRIBUTING shows what an entry looks like.",
    )
