"""The ids of a session's series, looked up by source, counter, entity and instance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sessions.model import EntityRef


class SeriesIndex:
    """The series of a session; ``source_of`` gives the source of each series id."""

    def __init__(self) -> None:
        self.source_of: dict[int, int] = {}
        self._by_counter: dict[tuple[int, str], dict[EntityRef, dict[str, int]]] = {}
        self._alone: dict[tuple[int, str], dict[EntityRef, int]] = {}
        self._by_device: dict[tuple[int, str], dict[str, list[tuple[EntityRef, int]]]] = {}
        self._by_entity: dict[tuple[int, tuple[str, ...]], dict[EntityRef, list[int]]] = {}

    def add(
        self,
        series: int,
        source: int,
        counter: str,
        ref: EntityRef,
        instance: str,
        *,
        is_moment: bool = False,
    ) -> None:
        """Add a series by its id. The instance of a VM's or world's series is the device that it uses.

        A moment of each interval (vCenter's ``.latest``) stands for it only where no mean of it is known.
        """
        self.source_of[series] = source
        table = self._by_counter.get((source, counter))
        if table is None:
            table = self._by_counter[source, counter] = {}
        known = table.get(ref)
        if known is None:
            table[ref] = {instance: series}
        elif not is_moment or instance not in known:
            known[instance] = series
        if instance and ref.kind in ("vm", "world"):
            users = self._by_device.setdefault((source, counter), {})
            users.setdefault(instance, []).append((ref, series))

    def of_counter(self, source: int, counter: str) -> Mapping[EntityRef, Mapping[str, int]]:
        """Return the ids of a source's series of a counter, by entity and instance; empty if it has none."""
        return self._by_counter.get((source, counter), {})

    def alone(self, source: int, counter: str) -> Mapping[EntityRef, int]:
        """Return the ids of a source's series of a counter that have no instance, by entity; to be asked once
        all series are added.
        """
        found = self._alone.get((source, counter))
        if found is None:
            held = self.of_counter(source, counter).items()
            found = self._alone[source, counter] = {ref: ids[""] for ref, ids in held if "" in ids}
        return found

    def of_entity(self, source: int, ref: EntityRef, groups: tuple[str, ...] = ("",)) -> Sequence[int]:
        """Return the ids of the entity's own series in the source, or of those whose counters begin with one
        of the ``groups``; to be asked once all series are added.
        """
        if (source, groups) not in self._by_entity:
            self._by_entity[source, groups] = by_entity = dict[EntityRef, list[int]]()
            for (of, counter), table in self._by_counter.items():
                if of == source and counter.startswith(groups):
                    for one, held in table.items():
                        by_entity.setdefault(one, []).extend(held.values())
            for ids in by_entity.values():
                ids.sort()
        return self._by_entity[source, groups].get(ref, ())

    def entities_by_source(self) -> dict[int, set[EntityRef]]:
        """Return the entities that have a series in each source."""
        found: dict[int, set[EntityRef]] = {}
        for (source, _), table in self._by_counter.items():
            found.setdefault(source, set()).update(table)
        return found

    def of_users(self, source: int, counter: str) -> Mapping[str, Sequence[tuple[EntityRef, int]]]:
        """Return, by device name, the VMs and worlds whose series of the counter has that device as
        instance, with the id.
        """
        return self._by_device.get((source, counter), {})

    def users(self, device: str) -> set[EntityRef]:
        """Return the VMs and worlds that have a series, in any source, with this device as instance, in no
        order.
        """
        return {user for found in self._by_device.values() for user, _ in found.get(device, ())}
