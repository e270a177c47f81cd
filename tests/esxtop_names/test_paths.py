"""The path grammar: what is a column's name, and what hostile names do to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.esxtop_names import LONGEST_PATH, ColumnPath, PathReader, format_path, parse_path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (r"\\esx01\Memory\Free MBytes", ("esx01", "Memory", "", "Free MBytes")),
        (
            r"\\esx01\Physical Cpu Load\Cpu Load (1 Minute Avg)",
            ("esx01", "Physical Cpu Load", "", "Cpu Load (1 Minute Avg)"),
        ),
        (
            r"\\a.b.c\Virtual Disk(SQL02 (df09-11):scsi0:0)\Reads/sec",
            ("a.b.c", "Virtual Disk", "SQL02 (df09-11):scsi0:0", "Reads/sec"),
        ),
        (
            r"\\h\Group Cpu(7:a\b)\% Effective Min (MHz)",
            ("h", "Group Cpu", r"7:a\b", "% Effective Min (MHz)"),
        ),
        (
            r"\\h\Vcpu(8:my:vm:9:vmx-vcpu-0:my:vm)\% Run",
            ("h", "Vcpu", "8:my:vm:9:vmx-vcpu-0:my:vm", "% Run"),
        ),
    ],
)
def test_paths_are_taken_apart_from_their_ends(text: str, path: tuple[str, str, str, str]) -> None:
    assert parse_path(text) == ColumnPath(*path)
    assert format_path(ColumnPath(*path)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Memory",
        r"\\host",
        r"\\host\Memory",
        r"\\host\Memory" + "\\",
        r"\\\Memory\Free",
        r"\\h\Memory(x\Free",
        r"\\h\(x)\c",
    ],
)
def test_other_texts_are_no_paths(text: str) -> None:
    assert parse_path(text) is None


def test_a_name_of_absurd_length_is_no_path() -> None:
    assert parse_path(r"\\h\Group Cpu(1:" + "x" * LONGEST_PATH + r")\% Run") is None


NAMES = st.text(min_size=1, max_size=30).filter(lambda text: "\\" not in text)


@given(
    host=NAMES,
    cls=NAMES.filter(lambda text: "(" not in text),
    instance=st.text(max_size=30),
    counter=NAMES,
)
def test_what_is_formatted_reads_back(host: str, cls: str, instance: str, counter: str) -> None:
    path = ColumnPath(host, cls, instance, counter)
    assert parse_path(format_path(path)) == path


@given(st.lists(st.text(alphabet="\\()ab: ", max_size=20)))
def test_reading_many_is_reading_each(texts: list[str]) -> None:
    reader = PathReader()
    assert [reader.read(text) for text in texts] == [parse_path(text) for text in texts]
