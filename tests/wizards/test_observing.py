"""What a run looks at of the counters that it records."""

from __future__ import annotations

import numpy as np

from collectors.feed import Tick
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.times import TimeRange
from tests.vsphere.feeds import MemoryFeed
from wizards.flows.observing import ObservingFeed

BUSY, IDLE = EntityRef("datastore", "busy"), EntityRef("datastore", "idle")
DEVICE = EntityRef("device", "naa.1")


def test_of_datastores_only_the_chosen_one_is_looked_at() -> None:
    """A mean over all datastores of a cluster would say that a full one is not."""
    feed = ObservingFeed(MemoryFeed(), {"datastore.size_normalized_latency", "disk.queue_depth"})
    source = feed.add_source(SourceSpec("lab", "lab:congested"))
    feed.add_entities([Entity(BUSY, "ds-busy"), Entity(IDLE, "ds-idle"), Entity(DEVICE, "naa.1")])
    specs = [SeriesSpec(ref, "datastore.size_normalized_latency", "ms", "esx01") for ref in (BUSY, IDLE)]
    layout = feed.add_layout(source, [*specs, SeriesSpec(DEVICE, "disk.queue_depth", "count", "esx01")])
    feed.add_ticks([Tick(layout.id, 5000, np.array([60.0, 1.0, 32.0]))])
    window = TimeRange(0, 10_000)
    assert {one.of for one in feed.observed(window)} == {"ds-busy esx01", "ds-idle esx01", "naa.1 esx01"}
    feed.choose([BUSY])
    assert {one.of for one in feed.observed(window)} == {"ds-busy esx01", "naa.1 esx01"}


def test_the_queue_of_another_lun_proves_nothing() -> None:
    other, esx = EntityRef("device", "d2"), "esx01"
    feed = ObservingFeed(MemoryFeed(), {"disk.queue_depth"})
    source = feed.add_source(SourceSpec("vcenter", "vc01"))
    feed.add_entities([Entity(DEVICE, "naa.1"), Entity(other, "naa.2")])
    layout = feed.add_layout(
        source, [SeriesSpec(ref, "disk.queue_depth", "count", esx) for ref in (DEVICE, other)]
    )
    feed.add_ticks([Tick(layout.id, 5000, np.array([32.0, 4.0]))])
    feed.choose([BUSY], ["naa.1"])
    assert {one.of for one in feed.observed(TimeRange(0, 10_000))} == {"naa.1 esx01"}
    feed.choose([BUSY])
    assert len(feed.observed(TimeRange(0, 10_000))) == 2, "nobody knows its devices, as of NFS"
