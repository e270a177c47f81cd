"""Which counters are asked: the server's catalogue against ours and a preset."""

from __future__ import annotations

from pathlib import Path

import pytest

from collectors.vsphere.counters.metrics import (
    Definition,
    MetricSet,
    choose_realtime,
    choose_rollups,
    state_numbers,
    undefined,
)
from resources.catalogue import load_catalogue
from resources.failures import KnowledgeError
from resources.problem_cards import load_problems
from resources.vcenter_limits import load_limits
from resources.vcenter_presets import DEFAULT_PRESET, ByKind, Preset, load_presets

CATALOGUE = load_catalogue()
PRESETS = load_presets()


def definitions(*names: str) -> list[Definition]:
    return [Definition(number, name, "number") for number, name in enumerate(names, 1)]


def asked(chosen: MetricSet) -> list[tuple[int, str]]:
    return list(chosen.ids)


def test_own_value_and_instances_are_asked_apart() -> None:
    chosen = choose_realtime(
        "vm", definitions("cpu.ready.summation"), CATALOGUE, PRESETS[DEFAULT_PRESET], None
    )
    assert asked(chosen) == [(1, ""), (1, "*")]
    own, each = chosen.meaning("1", ""), chosen.meaning("1", "0")
    assert own is not None
    assert each is not None
    assert (own.key, own.unit, own.scale(20, 4)) == ("cpu.ready", "%", 1 / 800)
    assert (each.place, each.scale(20, 4)) == ("vcpu", 1 / 200)


def test_only_what_is_available() -> None:
    both = definitions("cpu.ready.summation", "cpu.costop.summation")
    chosen = choose_realtime("vm", both, CATALOGUE, PRESETS[DEFAULT_PRESET], {(1, True), (10042, False)})
    assert asked(chosen) == [(1, "*")]
    assert undefined(both, {(1, True), (10042, False), (10042, True)}) == [10042]


def test_the_first_available_spelling_is_taken() -> None:
    latency = definitions("virtualDisk.readLatencyUS.latest", "virtualDisk.totalReadLatency.average")
    preset = PRESETS[DEFAULT_PRESET]
    both = choose_realtime("vm", latency, CATALOGUE, preset, None)
    assert asked(both) == [(2, "*")]
    one = choose_realtime("vm", latency, CATALOGUE, preset, {(1, True)})
    meaning = one.meaning("1", "scsi0:0")
    assert meaning is not None
    assert (meaning.key, meaning.scale(20, 1)) == ("vdisk.latency_read", 1 / 1000)


def test_one_series_for_each_counter_and_place() -> None:
    """Two ids may never mean the same series: one would overwrite the other."""
    names = sorted({twin.name for counter in CATALOGUE.counters() for twin in counter.vcenter})
    for preset in PRESETS.values():
        for kind in ("vm", "host"):
            chosen = choose_realtime(kind, definitions(*names), CATALOGUE, preset, None)
            meant = [(meaning.key, meaning.place) for meaning in chosen.meanings.values()]
            assert len(meant) == len(set(meant))


def test_everything_keeps_the_unknown_raw() -> None:
    some = definitions("sys.heartbeat.latest", "cpu.usage.average")
    chosen = choose_realtime("vm", some, CATALOGUE, PRESETS["everything"], {(1, False), (2, False)})
    meaning = chosen.meaning("1", "")
    assert meaning is not None
    assert (meaning.key, meaning.unit, meaning.scale(20, 8)) == (
        "raw/vcenter/sys.heartbeat.latest",
        "number",
        1.0,
    )
    assert choose_realtime("vm", some[:1], CATALOGUE, PRESETS[DEFAULT_PRESET], None).ids == ()


def test_a_percentage_that_is_kept_raw_is_in_percent() -> None:
    """vCenter's are hundredths of one, also a cluster's, which the catalogue does not know."""
    usage = [Definition(1, "clusterServices.cpufairness.latest", "percent")]
    meaning = choose_realtime("cluster", usage, CATALOGUE, PRESETS["everything"], {(1, False)}).meaning(
        "1", ""
    )
    assert meaning is not None
    assert meaning.key == "raw/vcenter/clusterServices.cpufairness.latest"
    assert (meaning.unit, meaning.scale(300, 1)) == ("percent", 0.01)


def test_what_has_no_factor_is_kept_raw() -> None:
    chosen = choose_realtime(
        "vm", definitions("cpu.wait.summation"), CATALOGUE, PRESETS[DEFAULT_PRESET], {(1, False)}
    )
    meaning = chosen.meaning("1", "")
    assert meaning is not None
    assert meaning.key == "raw/vcenter/cpu.wait.summation"


def test_the_default_reads_all_that_diagnosis_reads() -> None:
    names = sorted({twin.name for counter in CATALOGUE.counters() for twin in counter.vcenter})
    asked = {
        meaning.name
        for kind in ("vm", "host")
        for meaning in choose_realtime(
            kind, definitions(*names), CATALOGUE, PRESETS[DEFAULT_PRESET], None
        ).meanings.values()
    }
    keys = {key for key in read_by_cards() if (counter := CATALOGUE.get(key)) and counter.vcenter}
    assert len(keys) > 20
    unread = {key for key in keys if not asked & {twin.name for twin in CATALOGUE.get(key).vcenter}}  # type: ignore[union-attr]
    assert unread == set()


def read_by_cards() -> set[str]:
    read = set()
    for card in load_problems().cards:
        signals = [*card.signals.values(), *(s for rule in card.rules for s in rule.signals.values())]
        read |= {key for signal in signals for key in (signal.counter, *signal.counters.values())}
    return {key for key in read if key and not key.startswith("fact:")}


def test_states_by_their_words() -> None:
    state = CATALOGUE.get("mem.state")
    assert state is not None
    assert state_numbers(state, "Possible values are high, clear, soft, hard, low. The state …") == ()
    assert state_numbers(state, "0 (high), 1 (soft), 2 (hard), 3 (low)") == (0, 2, 3, 4)
    assert state_numbers(state, "Free state") == ()


def test_rollups() -> None:
    both = definitions("cpu.usage.average", "mem.usage.average", "cpu.usage.maximum")
    chosen = choose_rollups("cluster", both, PRESETS[DEFAULT_PRESET], {(1, False), (3, False)})
    assert asked(chosen) == [(1, "")]


def test_own_presets_and_limits(tmp_path: Path) -> None:
    folder = tmp_path / "vcenter"
    folder.mkdir()
    (folder / "presets.toml").write_text(
        '[presets.mine]\ntitle = "Mine"\nsource = "me"\ncounters = ["cpu.ready"]\n', encoding="utf-8"
    )
    (folder / "limits.toml").write_text('[limits.workers]\nvalue = 2\nsource = "me"\n', encoding="utf-8")
    assert load_presets([tmp_path])["mine"] == Preset("Mine", "me", ("cpu.ready",), raw=ByKind())
    assert load_limits([tmp_path]).workers == 2
    assert load_limits([tmp_path]).entities == load_limits().entities
    (folder / "presets.toml").write_text('[presets.mine]\ntitle = "Mine"\n', encoding="utf-8")
    with pytest.raises(KnowledgeError, match=r"vcenter/presets\.toml"):
        load_presets([tmp_path])
