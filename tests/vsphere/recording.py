"""Runs the collector against a simulated vCenter, in a thread, into memory."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from collectors.vsphere.collector import VSphereCollector
from collectors.vsphere.options import VSphereOptions
from connections.vsphere.address import parse_address
from resources.failures import HyperscopeError
from sessions.model import EntityRef, SeriesSpec
from tests.vcenter.running import PASSWORD, PlainVcsim, TestVCenter
from tests.vsphere.feeds import MemoryFeed, Stop

HASTY = {"look_back_s": 3, "join_s": 1, "refused_s": 1}
"""Limits for a server that samples each second."""


def hasty(folder: Path, **limits: float) -> tuple[Path, ...]:
    """An own knowledge folder with limits for tests."""
    (folder / "vcenter").mkdir(exist_ok=True)
    rows = [
        f'[limits.{name}]\nvalue = {value}\nsource = "test"\n' for name, value in {**HASTY, **limits}.items()
    ]
    (folder / "vcenter" / "limits.toml").write_text("\n".join(rows), encoding="utf-8")
    return (folder,)


class Recording:
    """A collector that runs while the context lasts; leaving it stops it and checks that it ended well."""

    def __init__(
        self,
        server: TestVCenter | PlainVcsim,
        options: VSphereOptions,
        feed: MemoryFeed | None = None,
        scheme: str = "vcenter",
    ) -> None:
        self.feed = feed or MemoryFeed()
        self.stop = Stop()
        self.failure: HyperscopeError | None = None
        self.collector = VSphereCollector(
            parse_address(server.address.replace("vcenter", scheme, 1)),
            lambda: PASSWORD,
            options,
            thumbprint=server.thumbprint,
        )
        self._before = set(threading.enumerate())
        self._thread = threading.Thread(target=self._run, name="recording")

    def _run(self) -> None:
        try:
            self.collector.run(self.feed, self.stop)
        except HyperscopeError as error:
            self.failure = error
        finally:
            self.feed.wake()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        if kind is None:
            assert self.failure is None, self.failure
            assert not self.feed.twice
            assert set(threading.enumerate()) <= self._before

    def end(self) -> None:
        """Stop and wait."""
        self.stop.set()
        self._thread.join(300)
        assert not self._thread.is_alive()

    def rounds(self, more: int, source: int = 1) -> None:
        """Wait for so many more instants."""
        self.until(lambda: self.last(source) > 0)
        start = self.last(source)
        interval = self.interval_ms(source)
        self.until(lambda: self.last(source) >= start + more * interval)

    def last(self, source: int = 1) -> int:
        health = self.feed.health.get(source)
        return (health.last_ms or 0) if health else 0

    def interval_ms(self, source: int = 1) -> int:
        return int((self.feed.sources[source].interval_s or 1) * 1000)

    def until(self, holds: Any, timeout: float = 60.0) -> None:
        """Wait until ``holds``; the collector's failure ends it at once."""
        self.feed.until(lambda: self.failure is not None or not self._thread.is_alive() or holds(), timeout)
        assert self.failure is None, self.failure


def truth(server: TestVCenter, start_ms: int, end_ms: int) -> Mapping[str, Any]:
    """What the server says that it has in (start, end]."""
    return server.samples(start_ms / 1000, end_ms / 1000, values=True)


Key = tuple[str, str, str, str]
"""Kind and name of the object, counter and instance as vCenter spells them."""


def stored(feed: MemoryFeed, source: int = 1) -> dict[Key, dict[int, float]]:
    """What is in the feed, under the server's own names."""
    found: dict[Key, dict[int, float]] = {}
    for key, spec in feed.specs.items():
        if key[0] == source:
            counter, _, rest = spec.label.partition("[")
            found[(*_owner(feed, spec), counter, rest.removesuffix("]"))] = feed.samples[key]
    return found


def _owner(feed: MemoryFeed, spec: SeriesSpec) -> tuple[str, str]:
    """The object that answers for the series: shared devices and datastores name their host as instance."""
    host = feed.entities.get(EntityRef("host", spec.instance))
    if host is not None and spec.entity.kind in ("device", "datastore"):
        return "host", host.name
    entity = feed.entities[spec.entity]
    while entity.ref.kind not in ("vm", "host", "cluster", "datastore"):
        assert entity.parent is not None, entity
        entity = feed.entities[entity.parent]
    return entity.ref.kind, entity.name


def server_samples(server: TestVCenter, start_ms: int, end_ms: int) -> dict[Key, dict[int, float]]:
    """What the server has in (start, end], its −1 left out."""
    return {
        (row["kind"], row["entity"], row["counter"], row["instance"]): {
            t * 1000: float(value) for t, value in zip(row["t"], row["v"], strict=True) if value >= 0
        }
        for row in truth(server, start_ms, end_ms)["listed"]
    }


def differences(feed: MemoryFeed, server: TestVCenter, start_ms: int, end_ms: int) -> list[str]:
    """Where the feed's series differ from the server's samples in (start, end]."""
    there = server_samples(server, start_ms, end_ms)
    wrong = []
    for key, samples in stored(feed).items():
        mine = {t: v for t, v in samples.items() if start_ms < t <= end_ms}
        if mine != there.get(key, {}):
            lacking = sorted(there.get(key, {}).keys() - mine.keys())
            wrong.append(
                f"{key}: lacks {lacking}, has more {sorted(mine.keys() - there.get(key, {}).keys())}"
            )
    return wrong
