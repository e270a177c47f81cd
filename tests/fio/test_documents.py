"""Documents: what fio prints around them, and what it never prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.fio.documents import read_documents
from resources.failures import BadInputError

SMALL = {"fio version": "fio-3.36", "timestamp_ms": 1_795_000_000_000, "jobs": [{"jobname": "a"}]}


def text(**changes: Any) -> str:
    return json.dumps({**SMALL, **changes}, indent=2)


def test_documents_of_a_real_run(fio_output: Path) -> None:
    documents = read_documents((fio_output / "out.json").read_text(encoding="utf-8"), "out.json")
    assert len(documents) >= 2
    assert [job.jobname for job in documents[-1].workers] == ["db", "web"]
    ios = [document.workers[0].read.total_ios for document in documents]
    assert ios == sorted(ios)
    assert documents[-1].workers[0].read.clat_ns.histogram.total == ios[-1]


def test_warnings_and_unfinished_documents_are_skipped() -> None:
    whole = text()
    found = read_documents(f"note: both iodepth >= 1 {{x}}\n{whole}\n{whole}\n<host> {{}}\n{whole[:-9]}", "a")
    assert [one.version for one in found] == ["fio-3.36", "fio-3.36"]
    assert found[0].workers[0].jobname == "a"


def test_sums_of_fios_own_are_no_workers() -> None:
    clients = [{"jobname": "a", "hostname": "vm1"}, {"jobname": "All clients"}]
    (found,) = read_documents(text(jobs=[], client_stats=clients), "a")
    assert [job.hostname for job in found.workers] == ["vm1"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"timestamp_ms": -1},
        {"timestamp_ms": 10**18},
        {"jobs": [{"read": {"total_ios": -5}}]},
        {"jobs": [{"read": {"clat_ns": {"bins": {"x": 1}}}}]},
        {"jobs": [{"read": {"clat_ns": {"bins": {"1000": -1}}}}]},
        {"jobs": [{"read": {"clat_ns": {"bins": {"9" * 30: 1}}}}]},
        {"jobs": [{"read": {"iops": float("inf")}}]},
        {"jobs": {"a": 1}},
        {"fio version": 3},
    ],
)
def test_figures_that_fio_does_not_write_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInputError, match=r"r\.json has figures that fio does not write"):
        read_documents(text(**wrong), "r.json")


def test_what_is_no_document_of_fio() -> None:
    for nothing in ("", "{}", '{"jobs": []}', text(jobs=[]), "{" * 1000, '{"a": ' * 90_000):
        with pytest.raises(BadInputError):
            read_documents(nothing, "r.json")


@given(st.text(max_size=40), st.integers(0, 400), st.integers(0, 30))
def test_a_damaged_document_is_read_or_refused(inserted: str, start: int, cut: int) -> None:
    whole = text(jobs=[{"jobname": "a", "read": {"total_ios": 5, "clat_ns": {"N": 5, "bins": {"1000": 5}}}}])
    damaged = whole[:start] + inserted + whole[start + cut :]
    try:
        found = read_documents(damaged, "r.json")
    except BadInputError:
        return
    assert all(document.version for document in found) or damaged != whole


def test_a_bomb_of_nested_beginnings_is_refused_at_once() -> None:
    """Each of 300 lines may begin a document; all are cut off at the end of a long list."""
    bomb = '{"a":\n' * 300 + "[" + "1," * 200_000
    with pytest.raises(BadInputError, match="nested as no output of fio"):
        read_documents(bomb, "bomb.json")
