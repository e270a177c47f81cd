"""Curves are named by what tells them apart; a domain that all hosts share does not."""

from __future__ import annotations

import pytest

from viewmodels.host_domains import shared_domain, without


@pytest.mark.parametrize(
    ("name", "among", "expected"),
    [
        ("esx01.lab.local", ["esx01.lab.local", "esx02.lab.local"], "esx01"),
        ("esx01.lab.local/vmnic2", ["esx01.lab.local/vmnic2", "esx02.lab.local/vmnic2"], "esx01/vmnic2"),
        ("esx01.lab.local", ["esx01.lab.local", "esx01.other.site"], "esx01.lab.local"),
        ("10.0.0.5", ["10.0.0.5", "10.0.0.6"], "10.0.0.5"),
        ("esx01", ["esx01", "esx02"], "esx01"),
        ("naa.600508b4", ["naa.600508b4", "naa.624a9370"], "naa.600508b4"),
        ("", ["", ""], ""),
    ],
)
def test_a_shared_domain_is_left_out(name: str, among: list[str], expected: str) -> None:
    assert without(shared_domain(among), name) == expected
