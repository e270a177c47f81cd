"""The state of each entity: never green before it was judged, nor beside a number over its limit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from diagnosis import Diagnosis, diagnose_session
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from resources.views import load_headlines, load_limits
from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.store import SessionReader
from sessions.times import TimeRange
from sessions.verdicts import NOT_JUDGED
from tests.gui.recordings import record
from tests.viewmodels.sessions import reading
from viewmodels.entity_limits import EntityLimits
from viewmodels.entity_states import EntityStates, Judged
from viewmodels.headlines import HeadlineCache, HeadlineNumbers, headline_numbers
from viewmodels.health import Symbol
from viewmodels.last_values import last_values
from viewmodels.snapshot import Snapshot

CATALOGUE, PROBLEMS = load_catalogue(), load_problems()
HEADLINES, LIMITS = load_headlines(CATALOGUE), load_limits(PROBLEMS)


class Demo:
    """15 minutes of the demo: a CPU limit binds from 5:10 on, a shared device is slow from 12:00 on."""

    def __init__(self, reader: SessionReader, snapshot: Snapshot) -> None:
        self.reader, self.snapshot = reader, snapshot
        assert snapshot.span is not None
        self.start = snapshot.span.start

    def named(self, name: str) -> EntityRef:
        return next(one.ref for one in self.snapshot.entities.values() if one.name == name)

    def judged(self, seconds: float) -> Diagnosis:
        window = TimeRange(self.start, self.start + round(1000 * seconds))
        return diagnose_session(self.reader, PROBLEMS, CATALOGUE, window)

    def numbers(self, seconds: float) -> HeadlineNumbers:
        found = HeadlineCache().of(self.snapshot, HEADLINES, LIMITS)
        moment = self.start + round(1000 * seconds)
        series = [self.snapshot.by_id[number] for number in found.ids]
        last = last_values(self.reader, series, moment, self.snapshot.intervals)
        return headline_numbers(found.chosen, found.loads, last, moment, EntityLimits(LIMITS))

    def states(
        self, judged_s: float, shown_s: float | None = None, extra: tuple[Finding, ...] = ()
    ) -> EntityStates:
        found, numbers = self.judged(judged_s), self.numbers(judged_s if shown_s is None else shown_s)
        judged = Judged((*found.findings, *extra), found.verdict, found.reach)
        return EntityStates(judged, self.snapshot, PROBLEMS, moment=numbers.moment, over=numbers.over)

    def why(self, states: EntityStates, ref: EntityRef) -> str:
        return "\n".join(states.why(ref, lambda t: f"{(t - self.start) // 1000} s", _label))


def _label(key: str) -> str:
    known = CATALOGUE.get(key)
    return known.label if known else key


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with reading(record(tmp_path_factory.mktemp("demo") / "demo.hscope", seconds=900)) as (reader, snapshot):
        yield Demo(reader, snapshot)


def test_nothing_is_green_before_it_was_judged(demo: Demo) -> None:
    states = EntityStates(Judged(), demo.snapshot, PROBLEMS)
    assert {states.health(ref) for ref in demo.snapshot.entities if ref.kind in {"vm", "host"}} == {"none"}
    assert demo.why(states, demo.named("web01")) == "Not judged yet."


def test_what_is_shorter_than_any_problem_lasts_is_not_judged(demo: Demo) -> None:
    """Of 30 s only aborts and swapping can be judged: two samples of these are a problem."""
    states = demo.states(30)
    assert "ok" not in {states.health(ref) for ref in demo.snapshot.entities}
    assert "a problem must last 1 min" in demo.why(states, demo.named("web01"))


def test_a_judged_entity_is_green_and_says_how_far_that_reaches(demo: Demo) -> None:
    states = demo.states(300)
    assert states.health(demo.named("web01")) == "ok"
    text = demo.why(states, demo.named("web01"))
    assert text.startswith("No problem found. Judged to 300 s: ")
    assert re.search(r": looked for \d+ of \d+ known problems\.$", text)


def test_a_number_over_its_limit_is_not_green_though_it_has_not_lasted_long_enough(demo: Demo) -> None:
    """A click on a green VM showed 38 % ready: the rule waits for a minute of it, the number does not."""
    vm = demo.named("JBOSS 11 (billing)")
    states = demo.states(345)
    assert not [one for one in demo.judged(345).findings if one.entity == vm]
    assert states.health(vm) == "over"
    first, second, third = demo.why(states, vm).split("\n")
    assert first.startswith("CPU ready is ")
    assert first.endswith(" %, over its limit of 10 %.")
    assert second.endswith("asks for must hold for 1 min of 1 min 40 s.")
    assert third.startswith("Judged to 345 s: ")
    assert states.symbols[vm] == Symbol("over")


def test_a_latency_without_load_is_neither_green_nor_a_warning(demo: Demo) -> None:
    """A CD-ROM that answers a probe twice a second took 30 ms: its card asks for 20 I/Os a second."""
    states = demo.states(300)
    idle = [ref for ref in demo.snapshot.entities if ref.kind == "device" and "mpx" in ref.key]
    assert len(idle) == 4
    for ref in idle:
        assert states.health(ref) == "none"
        first, second, *_ = demo.why(states, ref).split("\n")
        assert "over its limit of" in first
        assert second.startswith("Not judged: it does ")
        assert second.endswith(" now, and under 20 /s a latency says little.")


def test_an_all_clear_denies_nothing_that_the_tooltip_tells(demo: Demo) -> None:
    cause = next(one for one in demo.judged(780).findings if one.severity == "critical")
    vm, before = demo.named("web01"), TimeRange(demo.start, demo.start + 90_000)
    past = replace(
        cause, entity=vm, entity_name="web01", severity="warning", windows=(before,),
        consequence_of=(cause.problem, cause.entity),
    )  # fmt: skip
    states = demo.states(780, extra=(past,))
    assert states.health(vm) == "ok"
    assert "Follows from another problem" in demo.why(states, vm)
    assert "No problem at this time. Judged to 780 s: " in demo.why(states, vm)
    host = demo.why(states, demo.named("esx02.lab.local"))
    assert "No problem of its own found. Judged to 780 s: " in host
    assert "No problem found" not in demo.why(states, vm) + host


def test_the_host_shows_the_worst_of_what_is_on_it(demo: Demo) -> None:
    states = demo.states(780)
    vm, host = demo.named("JBOSS 11 (billing)"), demo.named("esx02.lab.local")
    assert states.symbols[vm] == Symbol("critical")
    assert states.symbols[host] == Symbol("critical", is_below=True)
    assert states.health(host) == "ok"
    assert "JBOSS 11 (billing) on it is critical: Held back by a CPU limit." in demo.why(states, host)
    assert demo.named("esx01.lab.local") not in states.symbols


def test_a_shared_device_is_shown_by_the_hosts_that_its_evidence_names(demo: Demo) -> None:
    states = demo.states(840)
    (device,) = {one.entity for one in demo.judged(840).findings if one.problem == "storage.device_latency"}
    assert states.symbols[device].health == "warning"
    for name in ("esx02.lab.local", "esx04.lab.local"):
        assert f"{device.key}, which it uses, has a problem: " in demo.why(states, demo.named(name))
    assert device.key not in demo.why(states, demo.named("esx01.lab.local"))


def test_a_problem_at_another_time_than_the_numbers_is_hollow(demo: Demo) -> None:
    states = demo.states(780, shown_s=200)
    vm = demo.named("JBOSS 11 (billing)")
    assert states.symbols[vm] == Symbol("was critical")
    assert demo.why(states, vm).startswith("Held back by a CPU limit (310 s to ")


def changed(demo: Demo, name: str, **to: object) -> Finding:
    """Return a finding of another entity, otherwise like the CPU limit's."""
    (limit,) = [one for one in demo.judged(780).findings if one.problem == "cpu.limit"]
    return replace(limit, entity=demo.named(name), entity_name=name, **to)  # type: ignore[arg-type]


def test_severity_counts(demo: Demo) -> None:
    root = ("cpu.limit", demo.named("JBOSS 11 (billing)"))
    states = demo.states(
        780,
        extra=(
            changed(demo, "web01", severity="info"),
            changed(demo, "web02", severity="warning", consequence_of=root),
            changed(demo, "web05", severity="critical", consequence_of=root),
            changed(demo, "DC03", severity="warning", consequence_of=("cpu.limit", EntityRef("vm", "gone"))),
        ),
    )
    names = ("web01", "web02", "web05", "DC03")
    assert [states.health(demo.named(name)) for name in names] == ["ok", "affected", "critical", "warning"]
    assert demo.why(states, demo.named("web01")).startswith("To know: ")
    assert demo.why(states, demo.named("web02")).startswith("Follows from another problem: ")
    past = demo.states(
        780, shown_s=200, extra=(changed(demo, "web02", severity="warning", consequence_of=root),)
    )
    assert past.health(demo.named("web02")) == "ok"  # what followed from something then colours nothing now


def test_what_lacks_samples_is_not_green(demo: Demo) -> None:
    few = changed(demo, "web01", problem="data.insufficient", severity="info", conclusion="It has 3 of 9.")
    states = demo.states(780, extra=(few,))
    assert states.health(demo.named("web01")) == "none"
    assert "It has 3 of 9." in demo.why(states, demo.named("web01"))


def test_parts_and_what_no_card_is_about_say_so(demo: Demo) -> None:
    states = demo.states(300)
    part = next(ref for ref in demo.snapshot.entities if ref.kind == "vcpu")
    adapter = next(ref for ref in demo.snapshot.entities if ref.kind == "adapter")
    assert states.health(part) == "part"
    assert demo.why(states, part) == "Judged with the VM that it is a part of."
    assert states.health(adapter) in {"none", "over"}
    assert "no known problem is looked for here by itself" in demo.why(states, adapter)


def test_a_verdict_that_nobody_gave_is_none_of_health(demo: Demo) -> None:
    states = EntityStates(Judged((), NOT_JUDGED, {}), demo.snapshot, PROBLEMS)
    assert states.symbols == {}
    assert not states.judged


def test_what_has_had_no_samples_for_a_while_is_no_longer_green(demo: Demo) -> None:
    """Of a dead source, or a VM that was powered off: the time after its last sample was not judged."""
    found = demo.judged(780)
    vm = demo.named("web01")
    reach = {**found.reach, vm: replace(found.reach[vm], to=demo.start + 600_000)}
    judged = Judged(found.findings, found.verdict, reach)
    states = EntityStates(judged, demo.snapshot, PROBLEMS, moment=demo.start + 780_000)
    assert states.health(vm) == "none"
    assert vm not in states.judged
    assert demo.named("web02") in states.judged
    assert demo.why(states, vm).startswith("Not judged after 600 s: it has had no samples since. ")
    before = EntityStates(judged, demo.snapshot, PROBLEMS, moment=demo.start + 590_000)
    assert before.health(vm) == "ok"


def test_a_host_is_not_green_where_whole_areas_were_not_judged(demo: Demo) -> None:
    found = demo.judged(250)
    only_cpu = replace(
        found.verdict,
        checks=tuple(
            one if one.problem.startswith("cpu.") else replace(one, judged=0) for one in found.verdict.checks
        ),
    )
    states = EntityStates(Judged((), only_cpu, found.reach), demo.snapshot, PROBLEMS)
    host, device = demo.named("esx01.lab.local"), next(ref for ref in found.reach if ref.kind == "device")
    assert states.health(host) == "partly"
    assert states.symbols[host] == Symbol("partly")
    assert states.health(device) == "ok", "CPU and memory are no concern of a device"
    why = demo.why(states, host)
    assert why.startswith("Judged in part. This is no all-clear for memory, storage and network")
    assert "No problem" not in why
