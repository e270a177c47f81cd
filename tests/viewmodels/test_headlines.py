"""The one number that stands for an entity: of which counter, and of the entity as a whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from resources.views import Headline
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionWriter
from tests.viewmodels.sessions import add_source, reading
from viewmodels.headlines import common_headline, headline_of, headlines_of

HOST, VM, DISK = EntityRef("host", "esx01"), EntityRef("vm", "db"), EntityRef("device", "naa.1")
WANTED = {
    "host": Headline("host", ("cpu.pcpu_util", "cpu.pcpu_used")),
    "vm": Headline("vm", ("cpu.ready", "cpu.used"), "rdy"),
    "device": Headline("device", ("disk.device_latency",)),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A host with numbers of its CPUs before its own, a VM without ready, a disk that two hosts see."""
    found = tmp_path / "s.hscope"
    with SessionWriter.create(found) as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in (HOST, VM, DISK)])
        specs = [
            SeriesSpec(HOST, "cpu.pcpu_util", "%", "PCPU 0"),
            SeriesSpec(HOST, "cpu.pcpu_used", "%"),
            SeriesSpec(HOST, "cpu.pcpu_util", "%"),
            SeriesSpec(VM, "cpu.used", "%"),
            SeriesSpec(DISK, "disk.device_latency", "ms", "esx01"),
            SeriesSpec(DISK, "disk.device_latency", "ms", "esx02"),
        ]
        add_source(writer, SourceSpec("vcenter", "vc", 20), specs, np.ones((3, 6)), every_s=20)
        second = [SeriesSpec(HOST, "cpu.pcpu_util", "%")]
        add_source(writer, SourceSpec("esxtop", "esx01", 5), second, np.ones((3, 1)), every_s=5)
    return found


def test_a_host_is_not_its_first_cpu(path: Path) -> None:
    with reading(path) as (_, snapshot):
        found = headline_of(HOST, snapshot, WANTED)
    assert found is not None
    assert [(one.counter, one.spec.instance) for one in found.series] == [("cpu.pcpu_util", "")] * 2


def test_a_host_of_which_only_cpus_are_counted_has_no_number(path: Path) -> None:
    with reading(path) as (_, snapshot):
        only = {"host": Headline("host", ("cpu.core_util",))}
        assert headline_of(HOST, snapshot, only) is None
        assert headlines_of(snapshot, only) == {}


def test_the_first_source_with_a_current_value_gives_the_number(path: Path) -> None:
    with reading(path) as (_, snapshot):
        found = headline_of(HOST, snapshot, WANTED)
    assert found is not None
    first, second = (one.id for one in found.series)
    assert found.text({first: 12.0, second: 99.0}) == "12 %"
    assert found.text({second: 99.0}) == "99 %"
    assert found.text({}) == ""


def test_what_hosts_share_has_the_number_of_the_host_that_waits_longest(path: Path) -> None:
    with reading(path) as (_, snapshot):
        found = headline_of(DISK, snapshot, WANTED)
    assert found is not None
    first, second = (one.id for one in found.series)
    assert found.text({first: 2.0, second: 40.0}) == "40 ms"
    assert found.text({first: 2.0}) == "2 ms"


def test_the_suffix_is_of_the_first_counter_only(path: Path) -> None:
    with reading(path) as (_, snapshot):
        found = headlines_of(snapshot, WANTED)
    assert set(found) == {HOST, VM, DISK}
    assert (found[VM].series[0].counter, found[VM].suffix) == ("cpu.used", "")


def test_several_entities_have_one_counter_in_common(path: Path) -> None:
    with reading(path) as (_, snapshot):
        assert {one.counter for one in common_headline([HOST, VM], snapshot, WANTED)} == {"cpu.pcpu_util"}
        assert [one.spec.instance for one in common_headline([DISK], snapshot, WANTED)] == ["esx01", "esx02"]
        assert common_headline([EntityRef("nic", "x")], snapshot, WANTED) == ()
