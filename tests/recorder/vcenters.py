"""The recorder on the test vCenter: given its password, its session held against the server's samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from sessions.model import Entity, EntityRef, Series
from sessions.store import SessionReader
from tests.recorder.running import Event, Recorder
from tests.vcenter.running import PASSWORD, TestVCenter
from tests.vsphere.recording import Key, hasty, server_samples

Start = Callable[..., Recorder]


def record_vcenter(
    start: Start,
    session: Path,
    server: TestVCenter,
    *words: str,
    password: str = PASSWORD,
    port: int | None = None,
) -> Recorder:
    """A recorder that has the server's certificate and password, with limits for samples of each second.

    ``port``: that of a network between it and the server.
    """
    (knowledge,) = hasty(session.parent)
    place = server.place if port is None else replace(server.place, host="127.0.0.1", port=port)
    recorder = start(
        session, place.address, "--thumbprint", server.thumbprint, "--password-stdin", "--attached",
        "--keep-free", "0", "--knowledge", str(knowledge), *words,
    )  # fmt: skip
    recorder.write(password + "\n")
    return recorder


def rounds(recorder: Recorder, more: int) -> Event:
    """Wait for so many more instants of every realtime source."""
    start = recorder.wait_for(has_begun)
    last = {source["source"]: source["last_ms"] for source in realtime(start)}

    def has_more(event: Event) -> bool:
        return event["event"] == "status" and all(
            source["last_ms"] >= last[source["source"]] + more * 1000 * source["interval_s"]
            for source in realtime(event)
        )

    return recorder.wait_for(has_more)


def has_begun(event: Event) -> bool:
    """Whether it is a status in which all realtime sources have samples."""
    return (
        event["event"] == "status"
        and bool(realtime(event))
        and all(source["last_ms"] and source["state"] == "recording" for source in realtime(event))
    )


def realtime(document: Event) -> list[Event]:
    """The sources of a status, or of what info says, but for those that hold rollups."""
    return [source for source in document["sources"] if not source["name"].endswith(" rollups")]


def stored(session: Path) -> dict[Key, dict[int, int]]:
    """What is in the session, under the server's own names, as the server's numbers."""
    found: dict[Key, dict[int, int]] = {}
    with SessionReader.open(session) as reader:
        entities = reader.entities()
        live = {source.id for source in reader.sources() if not source.spec.name.endswith(" rollups")}
        by_id = {one.id: one for one in reader.series() if one.source in live}
        for frame in reader.read(np.array(list(by_id), np.int64)):
            for column, number in enumerate(frame.ids.tolist()):
                one, values = by_id[number], frame.values[:, column]
                there = np.flatnonzero(~np.isnan(values))
                numbers = np.rint(values[there] / one.spec.scale).astype(int).tolist()
                found[server_key(one, owner_of(one, entities))] = dict(
                    zip(frame.times[there].tolist(), numbers, strict=True)
                )
    return found


def differences(session: Path, server: TestVCenter, start_ms: int, end_ms: int) -> list[str]:
    """Where the session's series differ from the server's samples in (start, end]."""
    there = server_samples(server, start_ms, end_ms)
    wrong = []
    for key, samples in stored(session).items():
        mine = {at: value for at, value in samples.items() if start_ms < at <= end_ms}
        wanted = {at: round(value) for at, value in there.get(key, {}).items()}
        if mine != wanted:
            lacks, more = sorted(wanted.keys() - mine.keys()), sorted(mine.keys() - wanted.keys())
            wrong.append(f"{key}: lacks {lacks}, has {more} too many")
    return wrong


def owner_of(one: Series, entities: dict[EntityRef, Entity]) -> Entity:
    """The object that answers for it: of a shared device or datastore, the host that the instance names."""
    host = entities.get(EntityRef("host", one.spec.instance))
    if host is not None and one.entity.kind in ("device", "datastore"):
        return host
    entity = entities[one.entity]
    while entity.ref.kind not in ("vm", "host", "cluster", "datastore"):
        assert entity.parent is not None, entity
        entity = entities[entity.parent]
    return entity


def server_key(one: Series, owner: Entity) -> Key:
    """What the server calls a series."""
    counter, _, rest = one.spec.label.partition("[")
    return owner.ref.kind, owner.name, counter, rest.removesuffix("]")
