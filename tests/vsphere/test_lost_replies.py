"""Replies that are lost or cut off: the server may have done what was asked, and does not tell it twice."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec
import pytest

from collectors.vsphere.inventory.objects import VM
from collectors.vsphere.inventory.watcher import InventoryWatcher
from connections.vsphere.address import parse_address
from connections.vsphere.retry import is_transient
from connections.vsphere.session import SDK_PATH, Envelope, VSphere
from connections.vsphere.soap import call
from resources.failures import DisconnectedError, SourceError
from resources.vcenter_events import EventKnowledge, load_events
from tests.vcenter.running import PASSWORD, TestVCenter
from tests.vsphere.inventories import KeptFeed, kinds

WAIT = "WaitForUpdatesEx"
Fault = tuple[str, dict[str, object]]


def fault(kind: str, method: str = WAIT, **options: object) -> Fault:
    return kind, {"method": method, "count": 1, **options}


LOST: dict[str, Sequence[Fault]] = {
    "lost": [fault("lost")],
    "half": [fault("half", bytes=-30)],
    "only the head": [fault("half", bytes=0)],
    "lost twice": [fault("lost", count=2)],
    "cut before, lost after": [fault("disconnect"), fault("lost")],
    "the session ends, and the new reading is lost": [fault("not_authenticated"), fault("lost", skip=1)],
    "lost, then the session ends": [fault("lost"), fault("not_authenticated")],
    "half, then an error page": [fault("half", bytes=100), fault("status", status=503)],
    "the filter's reply is lost": [fault("lost", "CreateFilter")],
    "the filter is not made": [fault("disconnect", "CreateFilter"), fault("lost")],
    "the view's reply is lost": [fault("lost", "CreateContainerView"), fault("half", bytes=-1)],
    "the last page is lost": [fault("lost", skip=1)],
}


class BehindAProxy(VSphere):
    """A connection through something that sends slow requests twice, and passes the last reply on."""

    repeats = 0

    def post(
        self,
        envelope: Envelope,
        action: str = "",
        what: str = "counters",
        *,
        once: bool = False,
        path: str = SDK_PATH,
    ) -> bytes:
        if isinstance(envelope, bytes) and WAIT.encode() in envelope and self.repeats:
            self.repeats -= 1
            super().post(envelope, action, what, once=once, path=path)
        return super().post(envelope, action, what, once=once, path=path)


@contextmanager
def connected(server: TestVCenter) -> Iterator[BehindAProxy]:
    address = parse_address(server.address)
    with BehindAProxy(address, lambda: PASSWORD, thumbprint=server.thumbprint, read_s=30) as vsphere:
        yield vsphere


@contextmanager
def watcher_of(
    server: TestVCenter, events: EventKnowledge | None = None
) -> Iterator[tuple[InventoryWatcher, KeptFeed]]:
    with connected(server) as vsphere:
        feed = KeptFeed()
        yield InventoryWatcher(vsphere, feed, 1, events=events), feed


def asked_for_each_second() -> EventKnowledge:
    """What is known of events, asked for ten times as often."""
    known = load_events()
    return dataclasses.replace(known, reading=msgspec.structs.replace(known.reading, poll_s=1))


def follow(server: TestVCenter, watcher: InventoryWatcher, until: Callable[[], bool]) -> None:
    """Rounds as ``run`` makes them, each a second at most, whatever fails in them."""
    for _ in range(60):
        try:
            watcher.follow(1)
        except SourceError as error:
            if not is_transient(error):
                raise
        else:
            if until():
                return
    raise AssertionError("it never came")


@pytest.mark.parametrize("what", LOST)
def test_the_first_reading_is_whole(vcenter: TestVCenter, what: str) -> None:
    with watcher_of(vcenter) as (whole, _):
        there = set(whole.load().objects)
    with watcher_of(vcenter) as (watcher, feed):
        for kind, options in LOST[what]:
            vcenter.fault(kind, **options)
        assert set(watcher.load().objects) == there
        follow(vcenter, watcher, lambda: True)
        assert set(watcher.snapshot().objects) == there
        assert not kinds(feed.events)


@pytest.mark.parametrize("what", LOST)
def test_nothing_vanishes_and_nothing_is_missed(vcenter: TestVCenter, what: str) -> None:
    """Also when nothing changes after the loss that would tell us of it."""
    with watcher_of(vcenter) as (watcher, feed):
        there = set(watcher.load().objects)
        own = next(iter(watcher.snapshot().of(VM)))
        follow(vcenter, watcher, lambda: True)
        for kind, options in LOST[what]:
            vcenter.fault(kind, **options)
        vcenter.fault("vm_power", vm=own.name, on=False)
        follow(vcenter, watcher, lambda: not watcher.snapshot().objects[own.moid].powered_on)
        for _ in range(3):
            follow(vcenter, watcher, lambda: True)
        assert set(watcher.snapshot().objects) == there
        assert [value for value, _, _ in feed.history(own.ref, "power_state")] == ["poweredOn", "poweredOff"]


def test_a_page_of_events_that_is_lost_is_read_again(vcenter: TestVCenter) -> None:
    with watcher_of(vcenter, asked_for_each_second()) as (watcher, feed):
        watcher.load()
        follow(vcenter, watcher, lambda: True)
        own = next(iter(watcher.snapshot().of(VM)))
        vcenter.fault("lost", method="ReadNextEvents", count=1)
        vcenter.fault("lost", method="ReadNextTasks", count=1, skip=1)
        vcenter.fault("event", type="VmResettingEvent", vm=own.name, text="reset")
        vcenter.fault("vm_power", vm=own.name, on=False)
        follow(vcenter, watcher, lambda: len(kinds(feed.events, own.ref)) >= 2)
        assert kinds(feed.events, own.ref).count("power") == 2


def test_a_request_that_may_have_been_served_is_sent_once_where_that_matters(vcenter: TestVCenter) -> None:
    question = call("CurrentTime", ("ServiceInstance", "ServiceInstance"))
    with connected(vcenter) as vsphere:
        vsphere.post(question)
        sent = vcenter.stats()["requests"]["CurrentTime"]
        vcenter.fault("lost", method="CurrentTime", count=1)
        assert b"CurrentTimeResponse" in vsphere.post(question)
        assert vcenter.stats()["requests"]["CurrentTime"] == sent + 2
        vcenter.fault("lost", method="CurrentTime", count=1)
        with pytest.raises(DisconnectedError):
            vsphere.post(question, once=True)
        assert vcenter.stats()["requests"]["CurrentTime"] == sent + 3


@pytest.mark.parametrize("repeats", [1, 9])
def test_what_the_server_lists_and_does_not_tell_is_not_gone(vcenter: TestVCenter, repeats: int) -> None:
    """The list says that a reading was not whole, whoever swallowed it. What never comes stays, noted."""
    with connected(vcenter) as vsphere:
        watcher = InventoryWatcher(vsphere, KeptFeed(), 1)
        there = set(watcher.load().objects)
        vcenter.fault("expire")
        vsphere.check()
        vsphere.repeats = repeats
        watcher.follow(0)
        assert set(watcher.snapshot().objects) == there
        assert [name for name, _ in watcher.notes] == (["inventory.incomplete"] if repeats > 1 else [])


def test_what_is_gone_from_the_list_is_gone(vcenter: TestVCenter) -> None:
    with watcher_of(vcenter) as (watcher, _):
        there = set(watcher.load().objects)
        own = next(iter(watcher.snapshot().of(VM)))
        vcenter.fault("not_authenticated", method=WAIT, count=1)
        vcenter.fault("vm_destroyed", vm=own.name)
        follow(vcenter, watcher, lambda: own.moid not in watcher.snapshot().objects)
        assert set(watcher.snapshot().objects) == there - {own.moid}
