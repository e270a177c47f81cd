"""The query planner: every entity and metric in exactly one call, each call within its limits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from collectors.vsphere.counters.plan import (
    UNLIMITED,
    BatchLimits,
    Member,
    batches,
    halves,
    historical,
    query_metrics,
)
from collectors.vsphere.counters.request import metric_list


def member(number: int, metrics: int = 3, series: int = 5, kind: str = "VirtualMachine") -> Member:
    return Member(f"x-{number}", kind, metric_list((number, "") for number in range(metrics)), series)


members = st.lists(
    st.tuples(
        st.integers(1, 30), st.integers(0, 200), st.sampled_from(["Datastore", "ClusterComputeResource"])
    ),
    max_size=30,
).map(lambda rows: [member(i, m, s, kind) for i, (m, s, kind) in enumerate(rows)])


@given(members, st.integers(1, 2000), st.integers(1, 20))
def test_every_entity_is_asked_once_within_the_limits(
    rows: list[Member], elements: int, entities: int
) -> None:
    calls = batches(rows, BatchLimits(elements, entities))
    assert [m for call in calls for m in call] == rows
    for call in calls:
        assert len(call) <= entities
        assert len(call) == 1 or sum(m.elements for m in call) <= elements


@given(
    members,
    st.one_of(st.just(UNLIMITED), st.integers(1, 70)),
    st.one_of(st.just(UNLIMITED), st.integers(1, 12)),
)
def test_every_metric_of_history_is_asked_once_as_the_server_counts(
    rows: list[Member], most: int, cluster: int
) -> None:
    calls = historical(rows, BatchLimits(10**9, 10, most, cluster))
    asked = [(m.moid, pair) for call in calls for m in call for pair in m.metrics.ids]
    assert sorted(asked) == sorted((m.moid, pair) for m in rows for pair in m.metrics.ids)
    for call in calls:
        total = sum(len(m.metrics) for m in call)
        assert most == UNLIMITED or total <= most
        if call[0].type == "ClusterComputeResource":
            assert len(call) == 1
            assert cluster == UNLIMITED or total <= cluster


def test_a_refused_call_is_halved_until_one_metric_is_left() -> None:
    assert [[m.moid for m in half] for half in halves([member(i) for i in range(5)])] == [
        ["x-0", "x-1"],
        ["x-2", "x-3", "x-4"],
    ]
    one, two = halves([member(0, metrics=4)])
    assert one[0].metrics.ids + two[0].metrics.ids == member(0, metrics=4).metrics.ids
    assert halves([member(0, metrics=1)]) == []


def test_what_was_refused_is_learned() -> None:
    refused = [member(i) for i in range(8)]
    learned = BatchLimits(100_000, 256).halved(refused)
    assert max(len(call) for call in batches([member(i) for i in range(100)], learned)) == 4
    assert BatchLimits(1, 1, UNLIMITED).fewer_metrics(refused).metrics == 12
    assert BatchLimits(1, 1, 10).fewer_metrics(refused).metrics == 5


def test_the_servers_option() -> None:
    assert query_metrics("64", 256) == 64
    assert query_metrics(-1, 256) == UNLIMITED
    assert query_metrics(None, 256) == 256
    assert query_metrics("many", 256) == 256
    assert query_metrics("0", 256) == 256
