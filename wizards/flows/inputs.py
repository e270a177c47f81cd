"""The inputs of a test: defaults, what somebody chose, and what is typed on a command line."""

from __future__ import annotations

import re
from collections.abc import Mapping

from resources.failures import UsageError
from resources.foreign_text import shown
from resources.guided_tests import GuidedTest, InputValue, LengthOfTest, TestInput

_MAX_LISTED = 64


def input_values(
    test: GuidedTest, length: LengthOfTest, given: Mapping[str, InputValue]
) -> dict[str, InputValue]:
    """Return a value for each input: the given one, else the length's, else the default. Raises
    UsageError."""
    known = test.inputs
    for name in given:
        if name not in known:
            raise UsageError(
                f"{test.title} has no input {shown(name)}.", advice=f"It asks for: {', '.join(known)}."
            )
    return {
        name: _checked(one, given.get(name, length.inputs.get(name, one.default)))
        for name, one in known.items()
    }


def typed_input(test: GuidedTest, text: str) -> tuple[str, InputValue]:
    """Return name and value of ``NAME=VALUE``, a list with commas between. Raises UsageError."""
    name, equals, value = text.partition("=")
    one = test.inputs.get(name)
    if one is None or not equals:
        raise UsageError(
            f"{shown(text)} is no input of {test.title}.",
            advice=f"Write --set NAME=VALUE; it asks for: {', '.join(test.inputs) or 'nothing'}.",
        )
    if one.kind == "flag":
        if value not in ("yes", "no", "true", "false"):
            raise UsageError(f"{one.title}: {shown(value)} is not yes or no.")
        return name, value in ("yes", "true")
    if one.kind in ("choice", "texts"):
        return name, value if one.kind == "choice" else tuple(value.split(","))
    numbers = tuple(_number(one, part) for part in value.split(","))
    return name, numbers if one.kind in ("counts", "bytes list") else numbers[0]


def _number(one: TestInput, text: str) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        raise UsageError(f"{one.title}: {shown(text)} is no whole number.")
    return int(digits)


def _checked(one: TestInput, value: InputValue) -> InputValue:
    problem = ""
    if one.kind == "flag":
        problem = "" if isinstance(value, bool) else "it is yes or no"
    elif one.kind == "choice":
        problem = "" if value in one.choices else f"it is one of {', '.join(one.choices)}"
    elif one.kind in ("counts", "bytes list", "texts"):
        problem = _list_problem(one, value)
    else:
        problem = _number_problem(one, value)
    if problem:
        said = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
        raise UsageError(f"{one.title} can't be {shown(said)}: {problem}.")
    return value


def _list_problem(one: TestInput, value: InputValue) -> str:
    if not isinstance(value, tuple) or not 0 < len(value) <= _MAX_LISTED:
        return f"it is a list of 1 to {_MAX_LISTED} values"
    if len(set(value)) < len(value):
        return "a value stands in it twice"
    if one.kind == "texts":
        return _text_problem(one, value)
    return next(filter(None, (_number_problem(one, part) for part in value)), "")


def _text_problem(one: TestInput, values: tuple[object, ...]) -> str:
    others = [value for value in values if value not in one.choices]
    if not one.choices or all(one.pattern and re.fullmatch(one.pattern, str(each)) for each in others):
        return ""
    return f"known are {', '.join(one.choices)}"


def _number_problem(one: TestInput, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "it is a number"
    least, most = one.least, one.most
    if (least is not None and value < least) or (most is not None and value > most):
        return f"it is from {least or 0:g} to {'any' if most is None else format(most, 'g')}"
    return ""
