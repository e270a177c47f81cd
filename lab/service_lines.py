"""The lines of a reply of the API's esxtop service: every field that a genuine host has, in its order."""

from __future__ import annotations

from functools import cache

from collectors.esxtop_service.counter_info import CounterInfo, read_counter_info
from resources.esxtop_records import load_esxtop_layouts


@cache
def lab_counter_info() -> CounterInfo:
    """Return the CounterInfo of the lab's hosts, which is a genuine one."""
    return read_counter_info(load_esxtop_layouts()[0].counter_info)


class Lines:
    """The second section: a line for each record. A field that is not given is 0, or has no words."""

    def __init__(self) -> None:
        self._types = lab_counter_info().types
        self._lines: list[str] = []

    def add(self, record: str, **values: object) -> None:
        """Add a record. Raises KeyError for a field that a genuine one does not have."""
        fields = {one.name: one for one in self._types[record].fields}
        texts = {name: _written(value, fields[name].bits) for name, value in values.items()}
        row = [texts.get(name, "" if one.is_text else "0") for name, one in fields.items()]
        self._lines.append("|".join(["", record, *row, ""]))

    def text(self) -> str:
        """Return all lines."""
        return "".join(f"{line}\n" for line in self._lines)


class Objects:
    """The first section: what there is of each kind."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._top: list[str] = []

    def add(self, kind: str, *, top: bool = False, **values: object) -> None:
        """Add a line; ``top`` names its kind in the very first line, too."""
        if top:
            self._top.append(f"{kind},1|")
        self._lines.append("".join([f"|{kind}|", *(f"{name},{value}|" for name, value in values.items())]))

    def text(self) -> str:
        """Return all lines."""
        return "".join(f"{line}\n" for line in [f"|Server|{''.join(self._top)}", *self._lines])


def _written(value: object, bits: int) -> str:
    """A number as a host writes it: one of 32 bits starts again from 0."""
    if isinstance(value, str):
        return value
    number = int(value)  # type: ignore[call-overload]
    return str(number % (1 << bits) if number >= 0 else number)
