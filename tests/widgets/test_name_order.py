"""Names with numbers in them, in the order of the numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from viewmodels.name_order import natural


def test_numbers_count() -> None:
    names = ["web10", "Web2", "web1", "10.0.0.12", "10.0.0.9", "PCPU 11", "PCPU 3", "", "db"]
    assert sorted(names, key=natural) == [
        "", "10.0.0.9", "10.0.0.12", "db", "PCPU 3", "PCPU 11", "web1", "Web2", "web10",
    ]  # fmt: skip


@given(st.lists(st.text(alphabet=st.characters(categories=["L", "N", "P", "Zs"])), max_size=9))
def test_any_names_have_an_order(names: list[str]) -> None:
    assert len(sorted([*names, "9" * 5_000], key=natural)) == len(names) + 1
