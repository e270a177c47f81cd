"""What vSAN's performance service answers, decoded: times, numbers, labels; built from documented replies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from lxml import etree

from collectors.vsphere.vsan.replies import decode, missing_label
from resources.catalogue import load_catalogue
from resources.vsan_service import load_vsan_service


def entity(times: str, name: str = "disk-group:52a1", **series: str) -> etree._Element:
    values = "".join(
        f"<value><metricId><label>{label}</label></metricId><values>{text}</values></value>"
        for label, text in series.items()
    )
    return etree.fromstring(
        f'<returnval xmlns="urn:vsan"><entityRefId>{name}</entityRefId><sampleInfo>{times}</sampleInfo>'
        f"{values}</returnval>"
    )


def test_times_are_utc_and_values_stand_beside_them() -> None:
    times = "2026-03-01 12:00:00,2026-03-01 12:05:00"
    (one,) = decode([entity(times, iopsRead="5,7.5", congestion="0,61")])
    assert (one.type, one.id, one.uuid) == ("disk-group", "52a1", "52a1")
    assert one.times.tolist() == [1772366400000, 1772366700000]
    assert {label: values.tolist() for label, values in one.values.items()} == {
        "iopsRead": [5.0, 7.5],
        "congestion": [0.0, 61.0],
    }


def test_samples_of_year_one_are_no_samples() -> None:
    (one,) = decode([entity("0001-01-01 00:00:00,2026-03-01 12:05:00", iopsRead="9,5")])
    assert one.times.tolist() == [1772366700000]
    assert one.values["iopsRead"].tolist() == [5.0]
    assert list(decode([entity("0001-01-01 00:00:00", iopsRead="9")])) == []


def test_what_is_no_number_is_absent() -> None:
    times = ",".join(f"2026-03-01 12:{minute:02}:00" for minute in range(0, 30, 5))
    (one,) = decode([entity(times, oio="1,,None,-1,inf,nan")])
    assert np.isnan(one.values["oio"]).tolist() == [False, True, True, True, True, True]


def test_values_without_their_times_are_left_out() -> None:
    (one,) = decode([entity("2026-03-01 12:00:00,2026-03-01 12:05:00", oio="1,2,3", iopsRead="1,2")])
    assert list(one.values) == ["iopsRead"]


def test_an_uplink_belongs_to_its_host() -> None:
    (one,) = decode([entity("2026-03-01 12:00:00", "vsan-pnic-net:5afa|vmnic1", rxCrcErr="1")])
    assert (one.id, one.uuid) == ("5afa|vmnic1", "5afa")


@pytest.mark.parametrize(
    "broken", [entity(""), entity("yesterday", oio="1"), entity("2026-03-01 12:00:00", "nonsense", oio="1")]
)
def test_entities_without_samples_are_left_out(broken: etree._Element) -> None:
    assert list(decode([broken])) == []


def test_the_label_that_older_hosts_lack() -> None:
    assert missing_label("A general system error occurred: no such column: portRxpkts") == "portRxpkts"
    assert missing_label("A specified parameter was not correct: entityRefId") == ""


def test_every_label_is_a_counter_with_a_fitting_unit() -> None:
    service, catalogue = load_vsan_service(), load_catalogue()
    units = {"us_to_ms": "ms", "bytes_to_mb": "MB/s", "permille_to_percent": "%"}
    for group in service.labels.values():
        for label, metric in group.items():
            counter = catalogue.get(metric.counter)
            assert counter is not None, label
            assert "vsan" in counter.entities, label
            assert counter.unit == units.get(metric.conversion, counter.unit), label
    for one in service.datastore:
        known = catalogue.get(one.counter)
        assert known is not None
        assert "datastore" in known.entities
        assert set(one.types) <= {kind.id for kind in service.type}


def test_per_mille_and_microseconds() -> None:
    metrics = {label: one for group in load_vsan_service().labels.values() for label, one in group.items()}
    assert math.isclose(4 * metrics["rxPacketsLossRate"].factor, 0.4)
    assert math.isclose(25_000 * metrics["latencyDevRead"].factor, 25.0)
    assert math.isclose(3 * 1024 * 1024 * metrics["throughputRead"].factor, 3.0)
