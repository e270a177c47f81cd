"""What Windows shows of the programs' files: names, the version as text and as four numbers."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from types import ModuleType

import pytest


@pytest.mark.parametrize(
    ("version", "four"), [("0.1.0", (0, 1, 0, 0)), ("1.2.3.4.5", (1, 2, 3, 4)), ("2", (2, 0, 0, 0))]
)
def test_a_version_is_four_numbers(
    script: Callable[[str], ModuleType], version: str, four: tuple[int, ...]
) -> None:
    assert script("file_version").numbers(version) == four


def test_what_pyinstaller_reads_is_python_with_all_names(script: Callable[[str], ModuleType]) -> None:
    struct = namedtuple("struct", "name, text")

    def made(*parts: object, **named: object) -> tuple[object, ...]:
        return (*parts, *named.values())

    names = ("VSVersionInfo", "FixedFileInfo", "StringFileInfo", "StringTable", "VarFileInfo", "VarStruct")
    text = script("file_version").version_text("0.1.0", "hyperscope-cli", "Hyperscope's commands")
    info = eval(text, {**dict.fromkeys(names, made), "StringStruct": struct})

    fixed, [strings, _] = info
    [[language, structs]] = strings[0]
    assert fixed[:2] == ((0, 1, 0, 0), (0, 1, 0, 0))
    assert language == "040904B0"
    assert dict(structs)["FileDescription"] == "Hyperscope's commands"
    assert dict(structs)["ProductVersion"] == "0.1.0"
    assert dict(structs)["OriginalFilename"] == "hyperscope-cli.exe"
