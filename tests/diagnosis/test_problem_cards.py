"""The cards as knowledge: complete, each number with a source, nothing left over, clear when one is wrong."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from diagnosis import diagnose
from diagnosis.compiled import CompiledRule, compile_problems
from resources.failures import KnowledgeError
from resources.problem_cards import Card, load_problems
from tests.diagnosis.recordings import Recording, catalogue, diagnosed, problems, session

IDS = [
    "mem.limit",
    "net.adapter_type",
    "net.noisy_neighbour",
    "storage.first_write",
    "storage.noisy_neighbour",
    "cpu.host_saturated",
    "cpu.guest_saturated",
    "cpu.ready_high",
    "cpu.limit",
    "cpu.costop",
    "cpu.single_vcpu",
    "cpu.system_time",
    "cpu.vmwait",
    "guest.tools_not_running",
    "numa.migrations",
    "numa.remote_memory",
    "mem.guest_demand",
    "mem.host_cache",
    "mem.host_demand",
    "mem.latency",
    "mem.tiering",
    "pool.cpu",
    "pool.memory_limit",
    "mem.host_state",
    "mem.ballooning",
    "mem.compressing",
    "mem.swapping",
    "mem.swap_wait",
    "mem.swapped_past",
    "storage.device_latency",
    "storage.queueing",
    "storage.aborts",
    "storage.nfs_latency",
    "net.rx_drops",
    "net.tx_drops",
    "net.saturated",
    "data.insufficient",
    "cpu.power_management",
    "net.errors",
    "storage.reservation_conflicts",
    "storage.vm_latency",
    "storage.sioc_throttling",
    "storage.snapshots",
    "storage.path",
    "cluster.imbalance",
    "vmotion.slow",
    "svmotion.impact",
    "vsan.congestion",
    "storage.iops_limit",
    "vsan.cache_miss",
    "vsan.network",
    "vsan.resync",
    "vsan.dedup_hot_block",
    "vsan.slow_disk",
    "cluster.recommendations_ignored",
    "cluster.drs_score",
    "ft.slow",
    "vcenter.slow",
    "storage.queue_depth",
]
SHIPPED = Path(__file__).parents[2] / "resources" / "problems"
CONDITION = 'condition = "limited > limited_warn"'
CARDS = problems().cards
RULES = compile_problems(problems())


def test_there_are_these_cards() -> None:
    assert sorted(card.id for card in CARDS) == sorted(IDS)


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_a_card_is_complete(card: Card) -> None:
    assert card.question.endswith("?")
    assert card.meaning.endswith(".")
    assert card.traps
    assert card.causes
    for cause in card.causes:
        assert cause.because
        assert cause.otherwise
        assert cause.remedies, cause.id
        assert cause.unknown or card.id == "data.insufficient", cause.id
    for threshold in card.thresholds.values():
        assert catalogue().get("cpu.ready") is not None
        assert threshold.source


@pytest.mark.parametrize(
    "rule", RULES, ids=lambda rule: f"{rule.card.id}-{rule.rule.entity}-{rule.rule.severity}"
)
def test_every_counter_that_a_rule_reads_is_in_the_catalogue(rule: CompiledRule) -> None:
    unknown = {key for key in rule.counters() if not key.startswith("fact:") and catalogue().get(key) is None}
    assert not unknown


@pytest.mark.parametrize("card", [card for card in CARDS if card.rules], ids=lambda card: card.id)
def test_no_signal_threshold_or_value_is_left_over(card: Card) -> None:
    own = [rule for rule in RULES if rule.card.id == card.id]
    used = {name for rule in own for name in (*rule.detecting(), *rule.explaining())}
    way = [card.way.signal, card.way.around, card.way.limit, card.way.part] if card.way else []
    used.update(way)
    assert not set(card.signals) - used
    signals = [signal for rule in own for signal in card.signals_for(rule.rule).values()]
    stated = [cause.stated for cause in card.causes if cause.stated]
    texts = [
        *(f"{one.rule.condition} {one.rule.critical} {one.rule.conclusion}" for one in own),
        *(note for one in own for note in one.rule.notes),
        *card.values.values(),
        *(f"{cause.likely} {cause.possible} {cause.because} {cause.otherwise}" for cause in card.causes),
        *(f"{cause.because_possible} {cause.unknown}" for cause in card.causes),
        *(f"{one.known} {one.test} {one.because} {one.otherwise}" for one in stated),
        *(f"{signal.expr} {signal.weight}" for signal in signals),
        *(item.threshold for rule in own for item in rule.rule.evidence),
        *way,
    ]
    named = re.findall(r"\w+", " ".join(texts))
    assert not {name for name in (*card.thresholds, *card.values) if name not in named}


@pytest.mark.parametrize(
    "rule", RULES, ids=lambda rule: f"{rule.card.id}-{rule.rule.entity}-{rule.rule.severity}"
)
def test_evidence_shows_a_number_against_its_limit(rule: CompiledRule) -> None:
    assert any(item.threshold for item, _ in rule.evidence)


def changed(folder: Path, name: str, *pairs: tuple[str, str]) -> Path:
    """A knowledge directory with one shipped file, changed."""
    text = (SHIPPED / name).read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "problems").mkdir(exist_ok=True)
    (folder / "problems" / name).write_text(text, encoding="utf-8")
    return folder


def test_an_admin_may_change_a_threshold(tmp_path: Path) -> None:
    recording = Recording()
    recording.vm("web01", {"cpu.ready": 7.0, "cpu.max_limited": 0.0})
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 40.0})
    assert diagnosed(recording).findings
    mine = changed(
        tmp_path,
        "cpu.ready_high.toml",
        ("[thresholds.ready_warn]\nvalue = 5.0", "[thresholds.ready_warn]\nvalue = 8.0"),
    )
    assert diagnose(session(recording), load_problems([mine]), catalogue()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_among_the_cards_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "problems").mkdir()
    os.mkfifo(tmp_path / "problems" / "mine.toml")
    with pytest.raises(KnowledgeError, match="is not a regular file"):
        load_problems([tmp_path])


def test_a_card_as_large_as_a_capture_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "problems").mkdir()
    with (tmp_path / "problems" / "mine.toml").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(KnowledgeError, match="is larger than 8 MB"):
        load_problems([tmp_path])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('value = 0.1', 'value = "a tenth"'), "value"),
        (('value = 0.1', 'value = nan'), "nan is no number"),
        (('value = 0.1', 'value = inf'), "value"),
        ((CONDITION, 'condition = "limited > nothing"'), "no signal or threshold 'nothing'"),
        ((CONDITION, 'condition = "limited"'), "must be true or false"),
        ((CONDITION, 'condition = "mean(limited) > 1"'), "statistics"),
        (('likely = "usual(limit) > 0"', 'likely = "limit > 0"'), "needs statistics"),
        (('likely = "usual(limit) > 0"', 'likely = "__import__(limit)"'), "__import__"),
        (('sustained = "contention"', 'sustained = "forever"'), "no sustained rule 'forever'"),
        (('source = "VMN: ≥ 1 %"', 'source = "a friend"'), "'a friend' does not begin with a source"),
        (('id = "pool_limit"', 'id = "vm_limit"'), "an id is there twice"),
        (('id = "cpu.limit"', 'id = "cpu.limits"'), "must be named cpu.limits.toml"),
        (('{usual(limit):MHz}.', '{limit:MHz}.'), "is not one number"),
        (('{mean(host_util):%}', '{who(limited)}'), "'limited' is not a measured signal"),
        (('of = "host", counter', 'of = "moon", counter'), "'moon' is not a scope"),
        (('[[rules]]', '[[rulez]]'), "rulez"),
        (('[[causes]]', '[values]\nx = "limited"\n\n[[causes]]'), "value x: needs statistics"),
        (('[[causes]]', '[values]\nrun = "mean(limited)"\n\n[[causes]]'), "value run: is also a signal"),
        (('[[rules]]', '[[rules'), "is not TOML"),
        (('expr = "coalesce(vcpu_limited, vm_limited)"', 'expr = "limited + 1"'), "made of itself"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_file(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    mine = changed(tmp_path, "cpu.limit.toml", change)
    with pytest.raises(KnowledgeError, match=re.escape(says)) as caught:
        compile_problems(load_problems([mine]))
    assert "cpu.limit" in str(caught.value)
    assert "\n\n" not in str(caught.value)


def test_consequences_name_problems_and_causes_that_exist(tmp_path: Path) -> None:
    mine = changed(tmp_path, "_consequences.toml", ('causes = ["sibling_ready"]', 'causes = ["sibling"]'))
    with pytest.raises(KnowledgeError, match=r"cpu\.costop has no cause 'sibling'"):
        load_problems([mine])


def test_every_number_that_is_shown_has_a_name_that_says_whose_it_is() -> None:
    """A raw key is no name, and a number of several members must say whose."""
    nameless, nobodys = [], []
    for card in load_problems().cards:
        for rule in card.rules:
            signals = card.signals_for(rule)
            for item in rule.evidence:
                signal = signals[item.signal]
                counter = item.counter or signal.counter or next(iter(signal.counters.values()), item.signal)
                if not item.what and catalogue().get(counter.removeprefix("host:")) is None:
                    nameless.append(f"{card.id}: {item.signal}")
                shared = signal.of not in ("", "self", "host", "port") and not signal.each_instance
                if not item.what and shared and signal.reduce not in ("max", "min", "second"):
                    nobodys.append(f"{card.id}: {item.signal}")
    assert (nameless, nobodys) == ([], [])


def test_no_step_begins_with_if_since_steps_of_possible_causes_do() -> None:
    steps = [step for card in load_problems().cards for cause in card.causes for step in cause.remedies]
    assert [step for step in steps if step.startswith("If ")] == []


def test_a_fact_has_no_mean(tmp_path: Path) -> None:
    """It is told as it was for most of the time: nobody sets a limit to the mean of two limits."""
    told = '{ signal = "limit", statistic = "usual", counter = "cpu.alloc_max"'
    wrong = changed(tmp_path, "pool.cpu.toml", (told, told.replace("usual", "mean")))
    with pytest.raises(KnowledgeError, match=r"evidence limit: a fact is told as it was most of the time"):
        compile_problems(load_problems([wrong]))


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (
            "{entity} ([reads {usual(limit):MHz}]) waits",
            "DFS-05 (archive) waits",
        ),  # nothing is left
        ("{entity} (a {mean(limited):%}) (b {mean(limited):%})", "DFS-05 (archive) (a 20 %; b 20 %)"),
        ("It waits (as {entity}, {usual(limit):MHz})", "It waits"),  # not the name's brackets
        ("{host} is {last(host_state):mem.state}", "esx01 is soft"),
    ],
)
def test_brackets_and_states_in_a_sentence(tmp_path: Path, sentence: str, said: str) -> None:
    conclusion = (
        "{entity} was held back by a CPU limit for {mean(limited):%} of the time on its worst vCPU"
        "[; {host} was {mean(host_util):%} busy]."
    )
    state = 'host_state = { of = "host", counter = "mem.state" }'
    mine = changed(tmp_path, "cpu.limit.toml", (conclusion, sentence), ("[signals]", f"[signals]\n{state}"))
    recording = Recording()
    recording.on_host({"cpu.pcpu_util": 40.0, "mem.state": 2.0})
    recording.vm("DFS-05 (archive)", {"cpu.max_limited": 20.0})
    found = diagnose(session(recording), load_problems([mine]), catalogue())
    assert [one.conclusion for one in found if one.problem == "cpu.limit"] == [said]
