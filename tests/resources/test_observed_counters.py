"""The catalogue against lists of counters that others captured; skipped where those are absent."""

import csv
import json
from pathlib import Path

import pytest

from collectors.esxtop_names import columns_by_host, parse_path
from resources.catalogue import Catalogue, load_catalogue

DOMAIN = Path(__file__).resolve().parents[3] / "shared" / "domain"
OBSERVED = DOMAIN / "esxtop-columns-observed.json"
VCENTER = DOMAIN / "counters_vc65.csv"
CAPTURE = DOMAIN.parent / "data" / "esxtop-batch-default.csv"
KIND_OF = {"Vm": "vm", "Host": "host", "Datastore": "datastore", "ResourcePool": "pool", "Cluster": "cluster"}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.mark.skipif(not OBSERVED.is_file(), reason="no list of observed esxtop columns beside the repo")
def test_every_observed_esxtop_counter_is_known(catalogue: Catalogue) -> None:
    observed = json.loads(OBSERVED.read_text(encoding="utf-8"))
    unknown = [
        f"{cls}\\{name}"
        for cls, counters in observed.items()
        for name in counters
        if catalogue.esxtop(cls, name) is None
    ]
    assert unknown == []


@pytest.mark.skipif(not OBSERVED.is_file(), reason="no list of observed esxtop columns beside the repo")
def test_spellings_that_nobody_observed_say_so(catalogue: Catalogue) -> None:
    observed = json.loads(OBSERVED.read_text(encoding="utf-8"))
    seen = {(cls, name) for cls, counters in observed.items() for name in counters}
    unseen = {
        counter.key
        for counter in catalogue.counters()
        for spelling in counter.esxtop
        if "<n>" not in spelling.counter and (spelling.cls, spelling.counter) not in seen
    }
    assert unseen == {"cpu.core_util", "numa.node_used", "power.aperf_mperf"}


@pytest.mark.skipif(not VCENTER.is_file(), reason="no list of vCenter counters beside the repo")
def test_vcenter_twins_are_real(catalogue: Catalogue) -> None:
    with VCENTER.open(encoding="utf-8", newline="") as file:
        known = {row["counter"]: row for row in csv.DictReader(file)}
    for counter in catalogue.counters():
        for twin in counter.vcenter:
            row = known[twin.name]
            said = (twin.unit, str(twin.level), str(twin.level_instance))
            listed = (row["unit"], row["archive_level"], row["archive_level_per_instance"])
            assert said == listed, (counter.key, twin.name)
            assert not twin.packets or twin.packets in known
            if row["vcsim_entities"]:
                assert twin.on in {KIND_OF[kind] for kind in row["vcsim_entities"].split("|")}, twin.name
            if twin.conversion in {"ms_of_interval", "ms_of_interval_per_vcpu", "count_per_interval"}:
                assert row["stats_type"] == "delta", twin.name


@pytest.mark.skipif(not CAPTURE.is_file(), reason="no real capture beside the repo")
def test_a_real_capture_has_only_known_counters_on_the_entities_that_we_say(catalogue: Catalogue) -> None:
    with CAPTURE.open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    (layout,) = columns_by_host([parse_path(name) for name in header[1:-1]], catalogue)
    assert len(layout.specs) == len(header) - 2
    for key, kind in {(spec.counter, spec.entity.kind) for spec in layout.specs}:
        counter = catalogue.get(key)
        assert counter, key
        assert kind in counter.entities, key
