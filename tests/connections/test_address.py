"""Addresses as people type them, and what must never come back out of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import connections.address
from connections.address import Address, AddressForm, AddressParts, split_address
from connections.vsphere.address import parse_address
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


ON_A_HOST = AddressForm("on", 22, "on://root@esx01.lab/part", takes_path=True)


@pytest.mark.parametrize(
    ("text", "place", "path"),
    [
        ("on://root@esx01", "esx01", ""),
        ("on://root@esx01/", "esx01", ""),
        ("on://root@esx01:22/a part", "esx01", "a part"),
        ("on://root@[fd00::10]:2222/esx%3F/two", "[fd00::10]:2222", "esx?/two"),
    ],
)
def test_a_scheme_may_have_another_port_and_a_path(text: str, place: str, path: str) -> None:
    address = connections.address.parse_address(text, [ON_A_HOST])
    assert (address.place, address.path) == (place, path)
    assert connections.address.parse_address(str(address), [ON_A_HOST]) == address


def test_an_address_without_a_server_is_split_by_the_same_grammar() -> None:
    assert split_address("lab:demo") == AddressParts("lab", None, None, "demo", None)
    assert split_address("LAB:demo?seed=7&x") == AddressParts(
        "lab", None, None, "demo", {"seed": "7", "x": ""}
    )
    assert split_address("on://a@b@c:1/d?e=f") == AddressParts("on", "a@b", "c:1", "d", {"e": "f"})
    assert split_address("demo") is None


@pytest.mark.parametrize(
    "text",
    [
        "vc01.lab", "https://root@vc01.lab", "vcenter://vc01.lab", "vcenter://@vc01.lab", "vcenter://root@",
        "vcenter://root@vc01:0", "vcenter://root@vc01:65536", "vcenter://root@vc01/sdk", "vcenter:root@vc01", "vcenter://root@vc01?a=b",
        "vcenter://root@fd00::10",
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
