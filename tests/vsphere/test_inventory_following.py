"""The filter over everything, on servers that lack some of what we ask for."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from collectors.vsphere.inventory.following import Follower
from connections.vsphere.address import parse_address
from connections.vsphere.faults import SoapFault
from tests.vsphere.inventories import KNOWN, envelope


class Lacking:
    """A connection to a server whose filters refuse one property, which it calls ``name``."""

    def __init__(self, path: str, name: str) -> None:
        self.path, self.name = path, name
        self.generation = 1
        self.address = parse_address("esxi://root@esx01.lab")
        self.filters: list[set[str]] = []

    def ask(self, _what: str, question: Any) -> Any:
        moid = SimpleNamespace(_moId="x")
        content = SimpleNamespace(rootFolder=moid, propertyCollector=moid, viewManager=moid)
        return question(SimpleNamespace(content=content))

    def post(self, request: bytes, what: str = "", *, once: bool = False) -> bytes:
        if b"<CreateFilter " in request:
            asked = set(re.findall(r"<pathSet>([^<]*)<", request.decode()))
            self.filters.append(asked)
            if self.path in asked:
                raise SoapFault("no", type_name="InvalidProperty", detail={"name": self.name})
        return envelope("CreateFilter", '<returnval type="PropertyFilter">filter-1</returnval>')


@pytest.mark.parametrize(
    ("path", "name", "unknown"),
    [
        (
            "runtime.consolidationNeeded",
            "runtime.consolidationNeeded",
            ["VirtualMachine.runtime.consolidationNeeded"],
        ),
        (
            "runtime.consolidationNeeded",
            "consolidationNeeded",
            ["VirtualMachine.runtime.consolidationNeeded"],
        ),
        (
            "iormConfiguration.enabled",
            "iormConfiguration",
            ["Datastore.iormConfiguration.enabled", "Datastore.iormConfiguration.congestionThreshold"],
        ),
    ],
)
def test_a_property_that_the_server_lacks_is_left_out_and_said(
    path: str, name: str, unknown: list[str]
) -> None:
    server = Lacking(path, name)
    follower = Follower(server, KNOWN.reading)  # type: ignore[arg-type]
    follower.start()
    assert follower.unknown == unknown
    assert len(server.filters) == 2
    assert server.filters[0] - server.filters[1] == {one.partition(".")[2] for one in unknown}


def test_what_we_never_asked_for_is_no_property_to_leave_out() -> None:
    with pytest.raises(SoapFault):
        Follower(Lacking("runtime.host", "somethingElse"), KNOWN.reading).start()  # type: ignore[arg-type]
