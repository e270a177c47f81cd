"""Whole replies and requests of the PropertyCollector."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from lxml import etree

from collectors.vsphere.inventory import requests
from collectors.vsphere.inventory.paths import ORDER, PLACES, ROWS
from collectors.vsphere.inventory.replies import contents, reference_of, update_set
from collectors.vsphere.inventory.values import Ref
from connections.vsphere.faults import BadReplyError
from resources.failures import DisconnectedError
from tests.vsphere.inventories import envelope

_CHANGES = """<returnval><version>7</version><truncated>true</truncated><filterSet>
        <filter type="PropertyFilter">f</filter>
<objectSet><kind>enter</kind><obj type="VirtualMachine">vm-1</obj>
  <changeSet><name>name</name><op>assign</op><val xsi:type="xsd:string">a%2fb</val></changeSet>
  <changeSet><name>snapshot</name><op>indirectRemove</op></changeSet>
  <missingSet><path>config.hardware.device</path><fault><fault xsi:type="NoPermission"/></fault>
        </missingSet></objectSet>
<objectSet><kind>leave</kind><obj type="HostSystem">host-2</obj></objectSet>
<objectSet><kind>modify</kind><obj type="VirtualApp">resgroup-v3</obj>
  <changeSet><name>config</name><op>assign</op><val/></changeSet></objectSet>
<objectSet><kind>enter</kind><obj type="Folder">group-v1</obj></objectSet>
</filterSet></returnval>"""


def test_changes_become_values() -> None:
    found = update_set(envelope("WaitForUpdatesEx", _CHANGES))
    assert (found.version, found.truncated) == ("7", True)
    entered, left, vapp = found.updates
    places = PLACES["VirtualMachine"]
    assert entered.values == ((places["name"], "a/b"), (places["snapshot"], None))
    assert entered.refused == (("config.hardware.device", "NoPermission"),)
    assert (left.kind, left.type, left.moid, left.stale) == ("leave", "HostSystem", "host-2", False)
    assert (vapp.type, vapp.moid, vapp.stale) == ("ResourcePool", "resgroup-v3", True)


def test_no_news() -> None:
    assert update_set(envelope("WaitForUpdatesEx", "")).version is None


def test_objects_read_anew_enter() -> None:
    body = """<returnval><objects><obj type="Datastore">datastore-1</obj><propSet><name>name</name>
      <val xsi:type="xsd:string">ds</val></propSet></objects></returnval>"""
    (one,) = contents(envelope("RetrievePropertiesEx", body))
    assert (one.kind, one.moid, one.values) == ("enter", "datastore-1", ((0, "ds"),))


def test_signs_that_xml_forbids_are_taken_out() -> None:
    reply = envelope("WaitForUpdatesEx", _CHANGES.replace("a%2fb", "a&#x1;b&#11;c&#9;d\x02e"))
    assert update_set(reply).updates[0].values[0][1] == "a b c d e"


@pytest.mark.parametrize("data", [b"", b"<html>", b"no xml", envelope("WaitForUpdatesEx", _CHANGES)[:-40]])
def test_half_replies_are_refused(data: bytes) -> None:
    with pytest.raises(BadReplyError):
        update_set(data)


def test_replies_without_an_answer_are_refused() -> None:
    with pytest.raises(DisconnectedError):
        update_set(b"<html><body>hello</body></html>")
    with pytest.raises(DisconnectedError):
        reference_of(envelope("CreateFilter", ""))


def test_new_objects_are_referred_to() -> None:
    reply = envelope("CreateFilter", '<returnval type="PropertyFilter">session[1]2</returnval>')
    assert reference_of(reply) == Ref("PropertyFilter", "session[1]2")


def test_requests_are_xml_and_hold_what_was_asked() -> None:
    hostile = 'a<b>&"c'
    for request in (
        requests.create_view("ViewManager", ("Folder", hostile), list(ROWS)),
        requests.create_filter(
            hostile, hostile, {kind: [row.path for row in rows] for kind, rows in ROWS.items()}
        ),
        requests.retrieve("pc", [("HostSystem", hostile)], {"HostSystem": ["name"]}),
        requests.wait(hostile, hostile, 10, 20),
        requests.create_task_collector(hostile, ["running"]),
        requests.create_task_collector(hostile, ["success"], datetime(2026, 1, 1, tzinfo=UTC)),
        requests.create_event_collector(hostile, ["A", "B"], datetime(2026, 1, 1, tzinfo=UTC)),
    ):
        root = etree.fromstring(request)
        assert hostile in list(root.itertext())
    assert b"<beginTime>2026-01-01T00:00:00.000Z</beginTime>" in request


def test_every_type_has_a_name_and_a_place_in_the_order() -> None:
    assert set(ORDER) == set(ROWS)
    for rows in ROWS.values():
        assert rows[0].path == "name"
        assert len({row.path for row in rows}) == len(rows)
