"""Plans as TOML files: written so that an admin can read and edit them, read back strictly."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from resources.failures import BadInputError, TooNewError
from resources.files import opened_for_reading
from resources.foreign_text import shown
from resources.toml_files import tables_of
from resources.typed_data import ready
from wizards.flows.plan import FORMAT, Plan

MAX_BYTES = 16 << 20
_ADVICE = "Correct it, or make the plan again with 'hyperscope test plan'."
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WHERE = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<where>.*)`)?$", re.DOTALL)
_NO_TEXT = re.compile("[\ud800-\udfff]")

_COMMENTS = {
    "order": "The phases in the order in which they are run; one that stands here several times is repeated.",
    "guards": "What ends the run by itself. 0 switches a guard off.",
    "objects": "What the changes below refer to, by id.",
    "changes": "Settings for the whole run. Every change is undone at the end, the newest first.",
    "workers": "The workers and their disks. A disk with a UUID must still be that one at the start.",
    "phases": "What happens in each phase. Settings that a phase does not name are put back before.",
}


def read_plan(path: Path) -> Plan:
    """Return the plan in a file. Raises BadInputError naming what is wrong, NotFoundError, AccessDeniedError,
    TooNewError.
    """
    with opened_for_reading(path, BadInputError, "Name a file that 'test plan' wrote.") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise BadInputError(f"{path.name} is no plan: it is larger than any.", advice=_ADVICE)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path.name} is not UTF-8 at byte {error.start}.", advice=_ADVICE) from None
    return parse_plan(text, path.name)


def parse_plan(text: str, name: str = "The plan") -> Plan:
    """Return the plan in a text that is called ``name`` in errors. Raises BadInputError, TooNewError."""
    try:
        tables = tables_of(text)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{shown(name)} is not TOML: {shown(str(error))}.", advice=_ADVICE) from None
    number = tables.get("format")
    if isinstance(number, int) and number > FORMAT:
        raise TooNewError(
            f"{shown(name)} was written by a newer Hyperscope.", advice="Update this one to run the plan."
        )
    try:
        return msgspec.convert(tables, ready(Plan))
    except (msgspec.ValidationError, RecursionError) as error:
        raise BadInputError(f"{shown(name)}: {_sentence(str(error))}.", advice=_ADVICE) from None


def plan_text(plan: Plan) -> str:
    """Return the plan as TOML, with comments."""
    tables: dict[str, Any] = msgspec.to_builtins(plan)
    lines = [f"# A plan of the test {shown(plan.test)}: 'test check' looks, 'test run' runs it."]
    nested = [key for key, value in tables.items() if isinstance(value, Mapping) or _is_tables(value)]
    for key, value in tables.items():
        if key not in nested:
            lines += [*_comment(key), f"{key} = {_value(value)}"]
    for key in nested:
        if tables[key]:
            lines += ["", *_comment(key), *_table(key, tables[key])]
    return "\n".join(lines) + "\n"


def _table(key: str, value: Any) -> Iterator[str]:
    """Yield a table, or an array of tables whose own arrays of tables stand below each."""
    for number, one in enumerate(value if isinstance(value, Sequence) else [value]):
        if number:
            yield ""
        yield f"[[{key}]]" if isinstance(value, Sequence) else f"[{key}]"
        below = [name for name, inner in one.items() if _is_tables(inner)]
        for name, inner in one.items():
            if name not in below and inner is not None:
                yield f"{_key(name)} = {_value(inner)}"
        for name in below:
            for inner in one[name]:
                yield f"[[{key}.{name}]]"
                yield from (f"{_key(k)} = {_value(v)}" for k, v in inner.items() if v is not None)


def _comment(key: str) -> list[str]:
    return [f"# {_COMMENTS[key]}"] if key in _COMMENTS else []


def _is_tables(value: Any) -> bool:
    return isinstance(value, Sequence) and bool(value) and isinstance(value[0], Mapping)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(_NO_TEXT.sub("\ufffd", value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items() if one is not None)
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)


def _sentence(error: str) -> str:
    """Turn a message of msgspec into where and what."""
    found = _WHERE.match(error)
    where, what = (found["where"] or "", found["what"]) if found else ("", error)
    what = shown(what.replace("Object ", "it "))
    return f"{shown(where)}: {what[:1].lower()}{what[1:]}" if where else f"{what[:1].lower()}{what[1:]}"
