"""Records a vCenter or an ESXi host until asked to stop: one connection for inventory and counters."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from collectors.axis import Rank
from collectors.feed import Controls, Feed, Health
from collectors.server_clock import read_clock
from collectors.vsphere.counters.archive import Archive
from collectors.vsphere.counters.counter_selection import REALTIME, CounterSelection
from collectors.vsphere.counters.metrics import Definition
from collectors.vsphere.counters.naming import Subject
from collectors.vsphere.counters.realtime import Realtime
from collectors.vsphere.counters.server import PerfServer
from collectors.vsphere.inventory.objects import HOST, Inventory, Managed
from collectors.vsphere.inventory.watcher import InventoryWatcher, vcenter_of
from collectors.vsphere.options import VSphereOptions
from collectors.vsphere.policies.recording import PolicyRecording
from collectors.vsphere.selection import Selection, unmatched
from collectors.vsphere.vsan.recording import VsanRecording
from connections.address import Address
from connections.failures import ClosedError
from connections.known_hosts import KnownHosts
from connections.untrusted import Ask
from connections.vsphere.faults import ReplacedError
from connections.vsphere.privileges import missing_privileges
from connections.vsphere.retry import is_transient
from connections.vsphere.session import VSphere
from resources.catalogue import Catalogue, load_catalogue
from resources.failures import HyperscopeError, NotFoundError, PrivilegeError, SourceError
from resources.storage_policies import load_policy_service
from resources.units import format_count
from resources.vcenter_limits import load_limits
from resources.vcenter_presets import require_preset
from resources.vsan_service import load_vsan_service
from sessions.model import SourceKind, SourceSpec
from sessions.server_counters import ServerCounter, counter_facts

POLICY_PRIVILEGE = "StorageProfile.View"
_POLICIES = "storage policies"
_STEP_S = 0.2
_USUAL_S = 20
_DAY_S = 86_400
_GRACE_S = 5.0
"""What the last questions may take after we were asked to stop."""

_log = logging.getLogger(__name__)


class VSphereCollector:
    """A ``feed.Collector`` for vCenter and ESXi.

    ``password`` is called for each login; all else as in ``VSphere``.
    """

    def __init__(
        self,
        address: Address,
        password: Callable[[], str],
        options: VSphereOptions,
        *,
        thumbprint: str | None = None,
        known: KnownHosts | None = None,
        ask: Ask | None = None,
    ) -> None:
        self._address, self._password, self._options = address, password, options
        self._thumbprint, self._known, self._ask = thumbprint, known, ask
        self._limits = load_limits(options.extra_dirs)
        self._preset = require_preset(options.preset, options.extra_dirs)

    @property
    def name(self) -> str:
        """The connection's name in messages: ``vcenter://user@host``."""
        return str(self._address)

    def run(self, feed: Feed, controls: Controls) -> None:
        """Record until asked to stop.

        Raises HyperscopeError for any failure at the start, and later for failures that are not transient.
        """
        vsphere = VSphere(
            self._address, self._password, thumbprint=self._thumbprint, known=self._known, ask=self._ask
        )
        shared, over = SharedControls(controls), threading.Event()
        ending = threading.Thread(target=_cut, args=(vsphere, shared, over), name="vsphere-ending")
        ending.start()
        try:
            with vsphere:
                self._record(vsphere, feed, shared)
        except ClosedError:
            if not controls.is_set():
                raise
        finally:
            over.set()
            shared.end()
            ending.join()

    def _record(self, vsphere: VSphere, feed: Feed, shared: SharedControls) -> None:
        rank = Rank.VCENTER if vsphere.about.api_type == "VirtualCenter" else Rank.HOST
        if feed.axis is not None:  # before the inventory is read, which may take minutes
            with contextlib.suppress(SourceError):  # the rounds ask again
                feed.axis.refer(rank, vsphere.address.place, read_clock(vsphere))
        source = feed.add_source(self._source(vsphere))
        feed.report(source, Health("connecting", message="Reading the inventory."))

        def reading(objects: int) -> None:
            words = f"Reading the inventory: {format_count(objects)} objects so far."
            feed.report(source, Health("connecting", message=words))

        lacking: list[tuple[str, str]] = []

        def note() -> None:
            feed.update_source(source, attributes=self._source_attributes(vsphere, watcher, lacking))

        def note_policies(trouble: str) -> None:
            lacking[:] = [one for one in lacking if one[0] != _POLICIES]
            lacking.extend([(_POLICIES, trouble)] if trouble else [])
            note()

        watcher = InventoryWatcher(
            vsphere,
            feed,
            source,
            past_s=self._past_s(),
            noted=note,
        )
        selected = SelectedObjects(self._options.selection, watcher)
        selected.require(watcher.load(reading))
        catalogue = load_catalogue(self._options.extra_dirs)
        counter_selection = self._selection(PerfServer(vsphere), selected.objects(), catalogue)
        _store_definitions(vsphere, feed, watcher.snapshot(), counter_selection.definitions)
        missing = missing_privileges(vsphere)
        lacking += [("privileges", str(one)) for one in missing]
        attributes = self._source_attributes(vsphere, watcher, lacking)
        feed.update_source(source, interval_s=float(counter_selection.interval_s), attributes=attributes)
        realtime = Realtime(
            vsphere,
            feed,
            source,
            selected.objects,
            counter_selection,
            self._limits,
            backfill=self._options.backfill,
        )
        rollups = Archive(
            vsphere,
            feed,
            self._source(vsphere),
            selected.objects,
            counter_selection,
            self._limits,
            history_days=self._options.history_days,
            live=self._options.rollups,
        )
        vsan = VsanRecording(
            vsphere,
            feed,
            self._source(vsphere),
            watcher.snapshot,
            selected.objects,
            load_vsan_service(self._options.extra_dirs),
            catalogue,
            past_s=self._past_s(),
        )
        policies = PolicyRecording(
            vsphere,
            feed,
            selected.objects,
            load_policy_service(self._options.extra_dirs),
            note_policies,
        )
        works: dict[str, Callable[[], None]] = {}
        if rollups.is_wanted:
            works["rollups"] = lambda: rollups.run(shared)
        if vsphere.about.api_type == "VirtualCenter":
            works["vsan"] = lambda: vsan.run(shared)
            if all(one.privilege != POLICY_PRIVILEGE for one in missing):
                works["policies"] = lambda: policies.run(shared)
        with self._beside(vsphere, watcher, works, shared):
            realtime.run(shared)
        shared.check()

    @contextlib.contextmanager
    def _beside(
        self,
        vsphere: VSphere,
        watcher: InventoryWatcher,
        works: Mapping[str, Callable[[], None]],
        shared: SharedControls,
    ) -> Iterator[None]:
        """Run the inventory and other works in threads of their own; all end together: closing cuts what
        waits.
        """
        shared.grace_s = _GRACE_S
        threads = [
            threading.Thread(target=shared.guard, args=(work,), name=f"vsphere-{name}")
            for name, work in {"inventory": lambda: self._follow(watcher, shared), **works}.items()
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            shared.end()
            with contextlib.suppress(SourceError):
                watcher.cancel()
            deadline = time.monotonic() + _GRACE_S
            for thread in threads:  # they tell what happened until now, and ask for what is missing
                thread.join(max(0.0, deadline - time.monotonic()))
            vsphere.close()
            for thread in threads:
                thread.join()

    def _follow(self, watcher: InventoryWatcher, controls: Controls) -> None:
        while not controls.is_set():
            try:
                watcher.run(controls)
            except (ClosedError, ReplacedError):
                raise
            except SourceError as error:
                if is_transient(error):
                    raise
                _log.warning("The inventory is not followed: %s", error.happened)
                controls.wait(self._limits.refused_s)

    def _source(self, vsphere: VSphere) -> SourceSpec:
        kind: SourceKind = "vcenter" if self._address.scheme == "vcenter" else "esxi"
        return SourceSpec(kind, self._address.place, float(_USUAL_S), vsphere.clock_offset_ms)

    def _source_attributes(
        self, vsphere: VSphere, watcher: InventoryWatcher, lacking: Sequence[tuple[str, str]]
    ) -> Iterator[tuple[str, str]]:
        yield "product", vsphere.about.full_name
        yield "preset", self._options.preset
        yield from lacking
        yield from watcher.notes

    def _past_s(self) -> float:
        """How long before now what happened explains the samples that are read, too."""
        hour_s = self._limits.realtime_s if self._options.backfill else 0.0
        return max(hour_s, self._options.history_days * _DAY_S)

    def _selection(
        self, server: PerfServer, objects: Mapping[str, Subject], catalogue: Catalogue
    ) -> CounterSelection:
        definitions = server.definitions()
        return CounterSelection(
            server,
            catalogue,
            self._preset,
            self._limits,
            _interval_s(server, objects, self._limits.sampled),
            definitions,
            server.manager(),
        )


def _store_definitions(
    vsphere: VSphere, feed: Feed, inventory: Inventory, definitions: Iterable[Definition]
) -> None:
    """Store every counter that the vCenter, or the one host of an ESXi, defines: its catalogue, for whoever
    reads the session later.
    """
    vcenter = vcenter_of(vsphere)
    server = vcenter.ref if vcenter else next((host.ref for host in inventory.of(HOST)), None)
    if server is None:
        return
    now_ms = round(time.time() * 1000) + vsphere.clock_offset_ms
    counters = (
        ServerCounter(
            one.id, one.name, one.unit, one.stats, one.level, one.device_level, one.label, one.summary
        )
        for one in definitions
    )
    feed.add_facts(counter_facts(server, counters, now_ms))


def _cut(vsphere: VSphere, shared: SharedControls, over: threading.Event) -> None:
    """Once asked to stop, break off what hangs in the server, after a moment of grace if there is any."""
    shared.wait()
    if not over.wait(shared.grace_s):
        vsphere.close()


def _interval_s(server: PerfServer, objects: Mapping[str, Subject], most: int) -> int:
    """The realtime interval that hosts and VMs have here, by the first that says so of at most ``most``.

    Raises PrivilegeError when the account may read the counters of none of them.
    """
    denied: PrivilegeError | None = None
    there = (one for one in objects.values() if one.type in REALTIME and one.connected)
    for one in islice(there, most):
        try:
            rate = server.refresh_s(one.type, one.moid)
        except PrivilegeError as error:
            denied = error
            continue
        if rate is not None:
            return rate
    if denied is not None:
        raise denied
    return _USUAL_S


@dataclass(slots=True)
class SelectedObjects:
    """The objects of the inventory that were selected for recording.

    Returns the same mapping object as long as the inventory has not changed.
    """

    selection: Selection
    watcher: InventoryWatcher
    _of: Inventory | None = None
    _objects: Mapping[str, Managed] = field(default_factory=dict)

    def objects(self) -> Mapping[str, Managed]:
        """Return the selected objects by moid, as the inventory knows them now."""
        inventory = self.watcher.snapshot()
        if inventory is not self._of:
            self._of, self._objects = inventory, self.selection.of(inventory)
        return self._objects

    def require(self, inventory: Inventory) -> None:
        """Raise NotFoundError for a pattern that matches no object of ``inventory``."""
        nothing = unmatched(self.selection, inventory)
        if nothing:
            raise NotFoundError(
                f"No object of this server is called {' or '.join(nothing)}.",
                advice="Names are those of the vSphere Client; * and ? stand for any characters.",
            )


class SharedControls:
    """Controls shared by several threads: stopping one stops all, and the first failure of
    any thread is kept.
    """

    def __init__(self, controls: Controls) -> None:
        self._controls = controls
        self._ended = threading.Event()
        self._failure: BaseException | None = None
        self.grace_s = 0.0
        """What is under way may take so long after a stop: nothing, while nothing is recorded yet."""

    @property
    def paused(self) -> bool:
        """True if the threads should not poll the source now."""
        return self._controls.paused

    def is_set(self) -> bool:
        """Return True if the threads should stop."""
        return self._ended.is_set() or self._controls.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until asked to stop, at most ``timeout`` seconds; return True if the threads should stop."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.is_set():
            left = _STEP_S if end is None else end - time.monotonic()
            if left <= 0:
                return False
            self._controls.wait(min(_STEP_S, left))
        return True

    def end(self) -> None:
        """Ask all threads to stop."""
        self._ended.set()

    def guard(self, work: Callable[[], None]) -> None:
        """Run one thread's work; an exception of it stops all threads and is raised by ``check``."""
        try:
            work()
        except ClosedError:
            self.end()
        except HyperscopeError as error:
            self._failure = self._failure or error
            self.end()

    def check(self) -> None:
        """Raise the first exception that ended a thread, if any."""
        if self._failure is not None:
            raise self._failure
