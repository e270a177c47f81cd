"""Envelopes of QueryPerf, read back by pyVmomi's own server-side deserialiser and by lxml."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from collectors.vsphere.counters.request import QuerySpec, metric_list, query_perf, stamp

V = "{urn:vim25}"
legal = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=20)


def test_what_a_server_reads() -> None:
    metrics = metric_list([(12, ""), (12, "*"), (180, "datastore-50")])
    raw = query_perf(
        "PerfMgr", [QuerySpec("vm-53", "VirtualMachine", metrics, 1_795_267_200_000, 1_795_267_240_500)], 20
    )
    spec = etree.fromstring(raw).find(f".//{V}querySpec")
    assert spec is not None
    assert [(etree.QName(node).localname, node.text) for node in spec.iter() if node.text] == [
        ("entity", "vm-53"),
        ("startTime", "2026-11-21T13:20:00Z"),
        ("endTime", "2026-11-21T13:20:40.500Z"),
        ("counterId", "12"),
        ("counterId", "12"),
        ("instance", "*"),
        ("counterId", "180"),
        ("instance", "datastore-50"),
        ("intervalId", "20"),
        ("format", "csv"),
    ]


@settings(max_examples=100, deadline=None)
@given(legal, legal, legal)
def test_any_text_arrives(moid: str, type_name: str, instance: str) -> None:
    raw = query_perf("m", [QuerySpec(moid, type_name, metric_list([(1, instance)]), 0, 20_000)], 20)
    tree = etree.fromstring(raw)
    assert (tree.findtext(f".//{V}entity") or "") == legible(moid)
    assert (tree.findtext(f".//{V}instance") or "") == legible(instance)
    entity = tree.find(f".//{V}entity")
    assert entity is not None
    assert entity.get("type") == legible(type_name)


def legible(text: str) -> str:
    return "".join(c for c in text if c not in "\ufffe\uffff")


def test_what_xml_cannot_hold_is_left_out() -> None:
    raw = query_perf("m", [QuerySpec("a\x00b\x1b", "T", metric_list([(1, "\ud800x")]), 0, 1)], 20)
    assert etree.fromstring(raw).findtext(f".//{V}entity") == "ab"


def test_stamps() -> None:
    assert stamp(0) == "1970-01-01T00:00:00Z"
    assert stamp(1_795_267_200_001) == "2026-11-21T13:20:00.001Z"
