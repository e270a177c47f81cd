"""A LUN that is lost leaves the inventory and all counters: only events still name it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from diagnosis import diagnose_session
from sessions.findings import Finding
from sessions.model import Entity, EntityRef, Event, SourceSpec
from tests.diagnosis.recordings import START, Recording, catalogue, findings, problems, session
from tests.diagnosis.test_cards_storage import LUN, OTHER, lun

APD = "Device or filesystem with identifier [{}] has entered the All Paths Down state."
BACK = "Device or filesystem with identifier [{}] has exited the All Paths Down state."
PDL = "Device: {} has been removed or is permanently inaccessible. Affected datastores (if any): Unknown."
VOLUME = "8a5a1336-3d574c6d"


def site(*texts: str, source: str = "vcenter") -> Recording:
    recording = Recording(source=source, interval=20.0)  # type: ignore[arg-type]
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 40.0})
    lun(recording)
    for number, text in enumerate(texts):
        recording.event(recording.host, "storage", text, 300.0 + 60 * number)
    return recording


@pytest.mark.parametrize(
    ("text", "name"),
    [(APD, OTHER), (APD, VOLUME), (PDL, OTHER), (PDL, "mpx.vmhba32:C0:T0:L0")],
)
def test_an_event_about_a_device_that_nothing_counts_is_found_with_its_name(text: str, name: str) -> None:
    (found,) = findings(site(text.format(name)), problem="storage.path")
    assert (found.severity, found.entity.kind, found.entity_name) == ("critical", "host", "esx01")
    assert name in found.conclusion
    assert [(one.cause, one.verdict) for one in found.causes] == [("storage_gone", "likely")]
    assert any("mapped to esx01" in step for step in found.remedies)


@pytest.mark.parametrize(
    "text",
    [
        BACK.format(OTHER),
        "Path redundancy to storage device naa.1 degraded.",
        "All Paths Down",
        "Restored connectivity to storage device naa.2 after it was lost.",
    ],
)
def test_what_tells_of_no_loss_or_of_nothing_is_not_found(text: str) -> None:
    assert not findings(site(text), problem="storage.path")


@pytest.mark.parametrize("told", [LUN, f"{LUN}:3"])
def test_a_device_that_has_samples_is_judged_as_itself(told: str) -> None:
    """Also where a partition of it is told of."""
    (found,) = findings(site(APD.format(told)), problem="storage.path")
    assert found.entity == EntityRef("device", LUN)


def of_logs(event: Event, *hosts: str) -> list[Finding]:
    """Findings of storage.path of captures of these hosts beside a log."""
    captures = []
    for name in hosts:
        recording = Recording(name)
        recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 40.0})
        captures.append(recording)
        lun(recording)
    made = session(*captures)
    assert event.entity is not None
    made.add_source(
        SourceSpec("log", "esx01"),
        np.zeros(0, np.int64),
        [],
        np.zeros((0, 0)),
        entities=[Entity(event.entity, event.entity.key)],
        events=[event],
    )
    found = diagnose_session(made, problems(), catalogue()).findings
    return [one for one in found if one.problem == "storage.path"]


def test_a_line_of_a_log_counts_on_the_host_that_wrote_it() -> None:
    lost = EntityRef("device", OTHER)
    text = f"All Paths Down of {OTHER}: nothing on it can be reached"
    event = Event(START + 300_000, "storage", text, lost, START + 330_000, "log:1", log="vmkernel.log")
    (found,) = of_logs(event, "esx01")
    assert f"{text} [vmkernel.log] (30 s)" in found.conclusion
    (of_two,) = of_logs(replace(event, log="esx02: vmkernel.log"), "esx01", "esx02")
    assert of_two.entity_name == "esx02"


def test_a_datastore_that_a_log_knows_by_name_is_found() -> None:
    store = EntityRef("datastore", "prod-ds-01")
    text = "Access to datastore prod-ds-01 was lost: the host's heartbeat on it timed out"
    event = Event(START + 300_000, "storage", text, store, START + 330_000, "log:1", log="vobd.log")
    (found,) = of_logs(event, "esx01")
    assert "prod-ds-01" in found.conclusion
