"""Texts of a vCenter's events name what is no entity of the session: nothing of it is left either."""

# ruff: noqa: E501 - one record a line

from __future__ import annotations

from pathlib import Path

import pytest

from resources.anonymity_rules import load_anonymity_rules
from resources.event_forms import load_event_forms
from resources.vcenter_events import load_events
from sessions.anonymous import write_anonymised
from sessions.anonymous.anonymiser import Anonymiser
from sessions.model import Entity, EntityRef, Event
from sessions.store import SessionReader, SessionWriter

VM, HOST = EntityRef("vm", "vm-1"), EntityRef("host", "host-1")
KNOWN = [Entity(VM, "payroll-db"), Entity(HOST, "esx-gold.acme.corp")]


def said(text: str, kind: str = "reconfigure", key: str = "event/7/1") -> str:
    """What an event of a server says in the anonymised session."""
    event = Event(1, kind, text, VM, id=key)
    return Anonymiser(KNOWN, [], [], [event], [], [], load_anonymity_rules()).record(event).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("payroll-db on esx-gold.acme.corp in Frankfurt is powered on", "vm-1 on host-1 in datacenter-1 is powered on"),
        ("DRS migrated jewels from esx-gold to brass in cluster Gold in Kronberg",
         "DRS migrated vm-2 from host-1 to host-2 in cluster cluster-1 in datacenter-1"),
        ("Reconfigured payroll-db on esx-gold in Kronberg.  \n \nModified: \n config.annotation: \"ask Mara\" -> \"\"",
         "Reconfigured vm-1 on host-1 in datacenter-1."),
        ("Physical NIC vmnic3 linkstate is down", "Physical NIC vmnic3 linkstate is down"),
        ("payroll-d... was reconfigured by the admin of Kronberg", "Something was reconfigured"),
        ("Die Konfiguration von Lohnabrechnung wurde geändert", "Something was reconfigured"),
    ],
)  # fmt: skip
def test_arguments_are_replaced_by_place_and_other_texts_by_a_plain_sentence(
    text: str, expected: str
) -> None:
    assert said(text) == expected


def test_a_name_with_a_forms_word_is_cut_elsewhere_and_gone_as_well() -> None:
    found = said("Removed Old mail on esx-gold in Crown on Rhine from Kronberg.")
    assert not {"mail", "Crown", "Rhine", "Kronberg"} & set(found.split())


def test_a_task_keeps_what_it_did_and_not_why_it_failed() -> None:
    text = "Reconfigure virtual machine (Old mail): error: Cannot open [crown] by mara"
    assert said(text, key="task/3/1") == "Reconfigure virtual machine (object-1): error"
    assert said("Migrate (Old mai", kind="task", key="task/3/1") == "A task ran"


def test_no_byte_of_a_name_that_only_an_event_knows_is_left(tmp_path: Path) -> None:
    """Also where another text quotes the event."""
    quoted = "Clone of Kronjuwel completed"
    with SessionWriter.create(tmp_path / "a.hscope", durable=False) as writer:
        writer.add_entities(KNOWN)
        writer.add_events([
            Event(1, "inventory", quoted, VM, id="event/1/1"),
            Event(2, "note", f"Seen: {quoted}, of kronjuwel", VM),
            Event(3, "drs", "Regel Bernstein verletzt", VM, id="event/2/1"),
            Event(4, "note", "It said: Regel Bernstein verletzt", VM),
        ])  # fmt: skip
    with SessionReader.open(tmp_path / "a.hscope") as reader:
        write_anonymised(reader, tmp_path / "b.hscope")
    raw = (tmp_path / "b.hscope").read_bytes().lower()
    assert b"kronjuwel" not in raw
    assert b"bernstein" not in raw
    with SessionReader.open(tmp_path / "b.hscope") as reader:
        texts = [one.text for one in reader.events()]
    assert texts == [
        "Clone of vm-2 completed", "Seen: Clone of vm-2 completed, of vm-2", "DRS acted", "It said: DRS acted",
    ]  # fmt: skip


def test_every_kind_that_a_vcenter_tells_has_its_sentence() -> None:
    known = load_events()
    kinds = {one.kind for one in (*known.events.values(), *known.tasks.values())}
    assert kinds <= load_event_forms().plain.keys()
