"""Answers of VMware Tools: busy is "try again", everything else one clear sentence."""

from __future__ import annotations

import pytest

from connections.vsphere.address import parse_address
from connections.vsphere.faults import NotAllowedError, SoapFault
from connections.vsphere.tools.calls import GuestLogin
from connections.vsphere.tools.faults import (
    GuestBusyError,
    GuestFileThereError,
    NoGuestFileError,
    guest_failure,
)
from resources.failures import DisconnectedError, LoginError, SourceError
from workloads.vsphere.accounts import same_account
from workloads.vsphere.tools.scripts import read_result

ADDRESS = parse_address("vcenter://admin@vc01")
VIX = "A general system error occurred: vix error codes = ({}).\n"


@pytest.mark.parametrize(
    ("type_name", "text", "error"),
    [
        ("GuestOperationsUnavailable", "The guest operations agent could not be contacted.", GuestBusyError),
        ("SystemError", VIX.format("3016, 0"), GuestBusyError),
        ("SystemError", VIX.format("35, 0"), GuestBusyError),
        ("SystemError", VIX.format("1, 0"), SoapFault),
        ("InvalidGuestLogin", "Failed to authenticate", LoginError),
        ("FileNotFound", "File was not found", NoGuestFileError),
        ("FileAlreadyExists", "The file already exists", GuestFileThereError),
        ("GuestPermissionDenied", "", SourceError),
        ("InvalidPowerState", "", SourceError),
        ("OperationDisabledByGuest", "", SoapFault),
    ],
)
def test_each_answer_has_its_meaning(type_name: str, text: str, error: type[SourceError]) -> None:
    fault = SoapFault("vc01 refused it", type_name=type_name, text=text)
    found = guest_failure(fault, "its processes", "web01", ADDRESS)
    assert type(found) is error
    assert "web01" in str(found)
    assert "its processes" in str(found) or error is LoginError


def test_a_missing_privilege_names_those_of_guest_operations() -> None:
    lacking = NotAllowedError("admin may not", meaning="The privilege X is missing.", moid="vm-1")
    found = guest_failure(lacking, "its files", "web01", ADDRESS)
    assert isinstance(found, NotAllowedError)
    assert "VirtualMachine.GuestOperations.Query" in str(found)
    lost = DisconnectedError("gone")
    assert guest_failure(lost, "its files", "web01", ADDRESS) is lost


def test_a_password_is_never_shown() -> None:
    assert "secret" not in repr(GuestLogin("root", lambda: "secret"))


def test_a_result_is_read_as_it_was_written() -> None:
    output = read_result(b"3 6\nhello\nwhat it said\n", "web01")
    assert (output.exit_code, output.out, output.err) == (3, b"hello\n", "what it said\n")
    assert read_result(b"0 0\n", "web01").out == b""


@pytest.mark.parametrize("result", [b"", b"3\n", b"a b\n", b"0 10\nshort", b"-1 0\n"])
def test_a_result_that_was_cut_off_is_an_error(result: bytes) -> None:
    with pytest.raises(DisconnectedError, match="web01 makes no sense"):
        read_result(result, "web01")


def test_one_account_has_two_spellings() -> None:
    assert same_account(r"VSPHERE.LOCAL\Administrator", "administrator@vsphere.local")
    assert not same_account(r"VSPHERE.LOCAL\Backup", "administrator@vsphere.local")
