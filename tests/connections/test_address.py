"""Addresses as people type them, and what must never come back out of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connections.vsphere.address import Address, parse_address
from resources.failures import UsageError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("vcenter://root@vc01.lab", Address("vcenter", "root", "vc01.lab")),
        (
            "vcenter://administrator@vsphere.local@vc01.lab",
            Address("vcenter", "administrator@vsphere.local", "vc01.lab"),
        ),
        (r"vcenter://LAB\ops@vc01.lab:8443", Address("vcenter", r"LAB\ops", "vc01.lab", 8443)),
        ("vcenter://LAB%5Cops@vc01", Address("vcenter", r"LAB\ops", "vc01")),
        ("esxi://root@[fd00::10]:9443/", Address("esxi", "root", "fd00::10", 9443)),
        ("ESXI://root@10.0.0.7", Address("esxi", "root", "10.0.0.7")),
        ("vcenter://odd%3Aname@vc01", Address("vcenter", "odd:name", "vc01")),
    ],
)
def test_what_an_address_says(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        "vc01.lab", "https://root@vc01.lab", "vcenter://vc01.lab", "vcenter://@vc01.lab", "vcenter://root@",
        "vcenter://root@vc01:0", "vcenter://root@vc01:65536", "vcenter://root@vc01/sdk", "vcenter://root@fd00::10",
        "vcenter://root@[fd00::zz]", "vcenter://root@a b", "vcenter://%0a@vc01", "", "://", "@",
    ],
)  # fmt: skip
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UsageError):
        parse_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "vcenter://root:{}@vc01.lab", "https://root:{}@vc01.lab", "root:{}@vc01.lab",
        "vcenter:root:{}@vc01.lab",
        "vcenter://root:{}@vc01.lab:notaport", "vcenter://a@b:{}@vc01",
    ],
)  # fmt: skip
@given(secret=st.text(st.characters(exclude_categories=["Cs"])).map("Tr0ub4dor".__add__))
def test_a_password_in_it_is_refused_and_not_repeated(text: str, secret: str) -> None:
    try:
        parse_address(text.format(secret))
    except UsageError as error:
        said = str(error) + repr(error) + repr(error.args)
        assert "Tr0ub4dor" not in said
    else:
        pytest.fail("it went through")


@given(
    user=st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1),
    host=st.from_regex(r"[a-z0-9][a-z0-9.-]{0,20}", fullmatch=True) | st.ip_addresses(v=6).map(str),
    port=st.integers(1, 65535),
)
def test_an_address_can_be_written_and_read_again(user: str, host: str, port: int) -> None:
    address = Address("vcenter", user, host, port)
    assert parse_address(str(address)) == address
