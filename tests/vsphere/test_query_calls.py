"""Calls that a server refuses: halved, shortened, given up one by one; everything else is still asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from collectors.vsphere.counters.plan import BatchLimits, Member, batches
from collectors.vsphere.counters.query_calls import Answer, QueryCalls
from collectors.vsphere.counters.request import metric_list
from connections.vsphere.faults import SoapFault
from resources.failures import DisconnectedError, TimedOutError
from tests.vsphere.replies import Answer as Row
from tests.vsphere.replies import info, reply

STAMP = "2026-11-21T13:20:00Z"


def member(number: int) -> Member:
    return Member(f"vm-{number}", "VirtualMachine", metric_list([(1, ""), (2, ""), (3, "")]), 3)


@contextmanager
def asking(post: Callable[[bytes], bytes]) -> Iterator[QueryCalls]:
    queries = QueryCalls(post, "PerfMgr", 20, BatchLimits(10**6, 256), 2)
    try:
        yield queries
    finally:
        queries.close()


def answers(queries: QueryCalls, members: int) -> list[Answer]:
    call = tuple(member(number) for number in range(members))
    return list(queries.ask([call], lambda _: (0, 20_000)))


def objects(envelope: bytes) -> list[str]:
    return [moid.decode() for moid in re.findall(rb'type="VirtualMachine">([^<]*)<', envelope)]


def answer(envelope: bytes) -> bytes:
    rows = []
    for part in envelope.split(b"<querySpec>")[1:]:
        ids = re.findall(rb"<counterId>(\d+)<", part)
        rows.append(Row(objects(part)[0], info([STAMP]), [(one.decode(), "", "7") for one in ids]))
    return reply(rows)


def read(found: list[Answer]) -> set[tuple[str, str]]:
    return {
        (entity.moid, counter)
        for one in found
        for got in one.replies
        for block in got.blocks
        for entity in block.entities
        for counter in entity.counters
    }


def test_too_large_a_call_is_halved_and_that_is_learned() -> None:
    def post(envelope: bytes) -> bytes:
        if len(objects(envelope)) > 3:
            text = "XML document element count exceeds configured maximum 500000"
            raise SoapFault("refused", type_name="SystemError", text=text)
        return answer(envelope)

    with asking(post) as queries:
        found = answers(queries, 16)
        assert len({moid for moid, _ in read(found)}) == 16
        assert queries.limits.entities == 2
        assert found[0].error is None


def test_a_limit_of_metrics_that_holds_for_realtime_too_is_learned() -> None:
    calls = []

    def post(envelope: bytes) -> bytes:
        calls.append(envelope)
        if envelope.count(b"<metricId>") > 10:
            text = "This operation is restricted by the administrator - 'vpxd.stats.maxQueryMetrics'."
            raise SoapFault("refused", type_name="RestrictedByAdministrator", text=text)
        return answer(envelope)

    with asking(post) as queries:
        assert len({moid for moid, _ in read(answers(queries, 16))}) == 16
        calls.clear()
        again = batches((member(number) for number in range(16)), queries.limits)
        assert all(one.error is None for one in queries.ask(again, lambda _: (0, 20_000)))
        assert len(calls) == len(again), "one was refused again"


def test_the_one_that_is_gone_is_left_out() -> None:
    def post(envelope: bytes) -> bytes:
        if "vm-5" in objects(envelope):
            raise SoapFault("gone", type_name="ManagedObjectNotFound", detail={"obj": "vm-5"})
        return answer(envelope)

    with asking(post) as queries:
        assert {moid for moid, _ in read(answers(queries, 9))} == {f"vm-{n}" for n in range(9)} - {"vm-5"}


def test_a_metric_that_the_server_refuses_is_asked_no_more() -> None:
    calls = []

    def post(envelope: bytes) -> bytes:
        calls.append(envelope)
        if b"<counterId>2<" in envelope:
            raise SoapFault("no", type_name="InvalidArgument", text="querySpec.metricId")
        return answer(envelope)

    with asking(post) as queries:
        found = answers(queries, 64)
        assert read(found) == {(f"vm-{n}", one) for n in range(64) for one in ("1", "3")}
        assert queries.bad == {("VirtualMachine", 2)}
        assert len(calls) < 40
        calls.clear()
        assert read(answers(queries, 64)) == read(found)
        assert len(calls) == 1


@pytest.mark.parametrize(("words", "most"), [("querySpec.interval", 9), ("querySpec[0]", 14)])
def test_an_object_that_is_refused_anyhow_costs_no_other_its_metrics(words: str, most: int) -> None:
    calls = []

    def post(envelope: bytes) -> bytes:
        calls.append(envelope)
        assert all(b"<metricId>" in part for part in envelope.split(b"<querySpec>")[1:])
        if "vm-5" in objects(envelope):
            raise SoapFault("no", type_name="InvalidArgument", text=words)
        return answer(envelope)

    others = {(f"vm-{n}", one) for n in range(9) if n != 5 for one in ("1", "2", "3")}
    with asking(post) as queries:
        assert read(answers(queries, 9)) == others
        assert (set(queries.refused), queries.bad) == ({"vm-5"}, set())
        assert len(calls) <= most
        queries.retry_refused()
        calls.clear()
        assert read(answers(queries, 9)) == others
        assert len(calls) <= 9, "its metrics are not tried one by one again"


def test_an_object_of_which_every_metric_is_refused_by_others_is_not_asked_for_all_it_has() -> None:
    with asking(answer) as queries:
        queries.bad |= {("VirtualMachine", counter) for counter in (1, 2, 3)}
        assert read(answers(queries, 2)) == set()


def test_half_a_reply_is_asked_again_once() -> None:
    replies = [b"<half", b"ok"]

    def post(envelope: bytes) -> bytes:
        return replies.pop(0) if replies[0] != b"ok" else answer(envelope)

    with asking(post) as queries:
        assert len(read(answers(queries, 2))) == 6
    replies[:] = [b"<half", b"<half", b"ok"]
    with asking(post) as queries:
        (found,) = answers(queries, 2)
        assert isinstance(found.error, DisconnectedError)


@pytest.mark.parametrize(
    "error", [TimedOutError("slow"), SoapFault("down", type_name="DatabaseError", text="down")]
)
def test_what_halving_does_not_help_is_told(error: Exception) -> None:
    calls = []

    def post(envelope: bytes) -> bytes:
        calls.append(envelope)
        raise error

    with asking(post) as queries:
        (found,) = answers(queries, 64)
        assert found.error is error
        assert len(calls) == 1
