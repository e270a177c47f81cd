"""Reads and checks the files of resources/counters, one entry at a time, so that errors name the
entry's key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from resources.counter_schema import Counter, CounterEntry, CounterFile
from resources.toml_files import checked, knowledge_error, read_toml
from resources.units import UNITS

_KEY = re.compile(r"[a-z]+\.[a-z0-9_]+")
_WHOLE_NUMBER = re.compile(r"-?[0-9]+")
_VCENTER_NAME = re.compile(r"[A-Za-z]+(\.[A-Za-z0-9]+)+\.(average|latest|summation|maximum|minimum|none)")
_LEVELS = range(1, 5)


def read_counters(path: Path) -> Iterator[Counter]:
    """Yield the counters of one file in its order. Raises KnowledgeError naming file, key and problem."""
    file = checked(read_toml(path), CounterFile, path)
    for position, data in enumerate(file.counter, start=1):
        key = data.get("key")
        name = key if isinstance(key, str) and key else f"counter number {position}"
        entry = checked(data, CounterEntry, path, name)
        for problem in _problems(entry):
            raise knowledge_error(path, name, problem)
        yield _counter(entry, file.classes)


def _problems(entry: CounterEntry) -> Iterator[str]:
    """Yield what is wrong with an entry beyond what its msgspec schema checks."""
    if not _KEY.fullmatch(entry.key):
        yield "a key is area.name in small letters, digits and _"
    if entry.unit not in UNITS:
        yield f"unit {entry.unit!r} is none of {', '.join(UNITS)}"
    for field in ("label", "meaning", "source", "entities"):
        if not getattr(entry, field):
            yield f"{field} must not be empty"
    if not all(_WHOLE_NUMBER.fullmatch(number) for number in entry.value_names):
        yield "words must be keyed by whole numbers"
    for spelling in entry.esxtop:
        if spelling.counter.count("<n>") != spelling.tail.count("<n>"):
            yield f"{spelling.counter}: counter and tail have one <n> each, or none"
    yield from _twin_problems(entry)


def _twin_problems(entry: CounterEntry) -> Iterator[str]:
    for twin in entry.vcenter:
        if not _VCENTER_NAME.fullmatch(twin.name):
            yield f"{twin.name}: a vCenter name is group.name.rollup"
        if twin.level not in _LEVELS or twin.level_instance not in _LEVELS:
            yield f"{twin.name}: a statistics level is 1 to 4"
        if bool(twin.packets) != (twin.conversion == "dropped_of_packets"):
            yield f"{twin.name}: 'with' names the packets of dropped_of_packets, and only of it"


def _counter(entry: CounterEntry, classes: dict[str, tuple[str, ...]]) -> Counter:
    spellings = tuple(
        msgspec.structs.replace(written, cls=cls)
        for written in entry.esxtop
        for cls in classes.get(written.cls, (written.cls,))
    )
    return Counter(
        key=entry.key,
        label=entry.label,
        short=entry.short,
        unit=entry.unit,
        kind=entry.kind,
        entities=entry.entities,
        better=entry.better,
        meaning=entry.meaning,
        source=entry.source,
        value_names={int(number): word for number, word in entry.value_names.items()},
        esxtop=spellings,
        vcenter=entry.vcenter,
        setting=entry.setting,
        recorded_by=entry.recorded_by,
    )
