"""Records guests through VMware Tools, by way of their vCenter: no network into the guests is needed."""

from __future__ import annotations

import fnmatch
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from collectors.feed import Controls, Feed
from collectors.guest.options import GuestOptions, guest_interval
from collectors.guest.tools_guest import GuestThroughTools
from collectors.guest.tools_sampler import pace_of
from collectors.guest.watching import GuestWatching, Watched
from connections.address import Address
from connections.failures import ClosedError
from connections.known_hosts import KnownHosts
from connections.untrusted import Ask
from connections.vsphere.guest_vms import GuestVm, guest_vms
from connections.vsphere.session import VSphere
from connections.vsphere.tools.calls import GuestLogin
from resources.failures import HyperscopeError, NoCountersError, NotFoundError, SourceError, UsageError
from resources.foreign_text import shown
from resources.guest_counters import GuestCounters, load_guest_counters
from resources.units import format_count

_log = logging.getLogger(__name__)
_STEP_S = 0.2
_READ_S, _REMOVING_S = 30.0, 10.0
_GRACE_S = 15.0
_MAX_NAMED = 5


class ToolsCollector:
    """A ``feed.Collector`` for ``tools://guestuser@vcenter/VM,VM…``: a source for each VM.

    ``account`` logs in to the vCenter with ``password``, the address's user to the guests with
    ``guest_password``; both are called for each use, and their results are not kept. All else as in
    ``VSphere``.
    """

    def __init__(
        self,
        address: Address,
        account: str,
        password: Callable[[], str],
        guest_password: Callable[[], str],
        options: GuestOptions,
        *,
        thumbprint: str | None = None,
        known: KnownHosts | None = None,
        ask: Ask | None = None,
        counters: GuestCounters | None = None,
    ) -> None:
        self._address, self._password = address, password
        self._server = replace(address, user=account, path="", account="")
        self._login = GuestLogin(address.user, guest_password)
        self._thumbprint, self._known, self._ask = thumbprint, known, ask
        self._counters = counters or load_guest_counters()
        self._interval_s = guest_interval(options, self._counters.limits)

    @property
    def name(self) -> str:
        """The connection's name in messages: ``tools://root@vc01.lab/app01``."""
        return str(self._address)

    def run(self, feed: Feed, controls: Controls) -> None:
        """Record until asked to stop. Raises HyperscopeError for failures that need a person."""
        guests: list[GuestThroughTools] = []
        try:
            with self._connection(_READ_S) as vsphere:
                self._record(vsphere, feed, controls, guests)
        except ClosedError:
            if not controls.is_set():
                raise
        finally:
            self._remove_left([one for one in guests if one.is_left])

    def _connection(self, read_s: float) -> VSphere:
        return VSphere(
            self._server,
            self._password,
            thumbprint=self._thumbprint,
            known=self._known,
            ask=self._ask,
            read_s=read_s,
        )

    def _record(
        self, vsphere: VSphere, feed: Feed, controls: Controls, guests: list[GuestThroughTools]
    ) -> None:
        pace = pace_of(self._interval_s, self._counters.tools, self._counters.limits)
        for vm in self._chosen(guest_vms(vsphere)):
            place = f"{vm.name} (VMware Tools)"
            watched = Watched(place, vm.name, vm.uuid)
            watching = GuestWatching(feed, watched, self._counters, self._interval_s)
            guests.append(GuestThroughTools(vsphere, vm, self._login, watching, self._counters, pace))
        threads = [_Guarded(one, self._usable, controls) for one in guests]
        for thread in threads:
            thread.start()
        try:
            while not controls.wait(_STEP_S) and any(thread.is_alive() for thread in threads):
                pass
        finally:
            for thread in threads:  # one that is still answering is waited for, and takes its loop out
                thread.over.set()
            for thread in threads:
                thread.join(_GRACE_S)
            if any(thread.is_alive() for thread in threads):
                vsphere.close()
            for thread in threads:
                thread.join()
        failures = [thread.failure for thread in threads if thread.failure is not None]
        ours = [one for one in failures if not isinstance(one, SourceError)]
        if ours or (failures and len(failures) == len(threads)):
            raise (ours or failures)[0]

    def _usable(self, vm: GuestVm) -> None:
        """Raise SourceError for a VM whose guest can't be recorded so."""
        name = shown(vm.name)
        over_ssh = f"guest://{self._address.user}@… records it over ssh, where its network can be reached."
        if not vm.is_on:
            raise SourceError(f"{name} is not running.", advice="Power it on, and wait for VMware Tools.")
        if vm.is_windows:
            raise NoCountersError(
                f"{name} is a Windows guest.",
                meaning="Through VMware Tools only Linux guests are recorded.",
                advice=over_ssh,
            )
        if not vm.has_tools:
            raise SourceError(
                f"VMware Tools do not run in {name}.",
                meaning="Without them there is no way into a guest but its network.",
                advice=f"Start them there (open-vm-tools). {over_ssh}",
            )

    def _chosen(self, vms: Sequence[GuestVm]) -> list[GuestVm]:
        """The VMs that the address names. Raises UsageError, NotFoundError."""
        chosen: dict[str, GuestVm] = {}
        for name in [one for one in self._address.path.split(",") if one]:
            wanted = name.lower()
            matching = [one for one in vms if wanted in (one.name.lower(), one.moid)] or [
                one for one in vms if fnmatch.fnmatchcase(one.name.lower(), wanted)
            ]
            if not matching:
                raise NotFoundError(
                    f"{self._address.place} has no VM {shown(name)!r}.", advice=f"It has {_some(vms)}."
                )
            chosen |= {one.moid: one for one in matching}
        most = self._counters.tools.most_guests
        if not 0 < len(chosen) <= most:
            raise UsageError(
                f"{format_count(len(chosen))} VMs are too many for VMware Tools at once."
                if chosen
                else f"{self._address} names no VM.",
                meaning="Each takes some calls of the vCenter every ten seconds." if chosen else "",
                advice=f"Name {format_count(most)} or fewer, with commas between: …/app01,app02.",
            )
        return list(chosen.values())

    def _remove_left(self, left: Sequence[GuestThroughTools]) -> None:
        """Take loops out of guests from which that could not be done yet, over a connection of its own."""
        if not left:
            return
        try:
            with self._connection(_REMOVING_S) as vsphere:
                for one in left:
                    one.remove(vsphere)
        except (HyperscopeError, ClosedError) as error:
            _log.warning("a guest's loop was left to end by itself: %s", type(error).__name__)


class _Guarded(threading.Thread):
    """One guest's thread; ``failure`` is what ended it, which the others outlive. ``over`` ends it."""

    def __init__(
        self, guest: GuestThroughTools, check: Callable[[GuestVm], None], controls: Controls
    ) -> None:
        super().__init__(name=f"tools-{guest.vm.moid}")
        self.failure: HyperscopeError | None = None
        self.over = threading.Event()
        self._guest, self._check, self._controls = guest, check, controls

    @property
    def paused(self) -> bool:
        """True if the guest should not be looked at now."""
        return self._controls.paused

    def is_set(self) -> bool:
        """Return True if the thread should stop."""
        return self.over.is_set() or self._controls.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until asked to stop, at most ``timeout`` seconds; return True if asked."""
        return self.over.wait(timeout) or self._controls.is_set()

    def run(self) -> None:
        """Record the guest; what ends it for good is kept."""
        try:
            self._check(self._guest.vm)
            self._guest.run(self)
        except ClosedError as error:
            if not self.is_set():
                self.failure = error
        except HyperscopeError as error:
            self.failure = error
            self._guest.watching.report("failed", str(error))


def _some(vms: Sequence[GuestVm]) -> str:
    more = f" and {format_count(len(vms) - _MAX_NAMED)} more" if len(vms) > _MAX_NAMED else ""
    return (", ".join(shown(vm.name) for vm in vms[:_MAX_NAMED]) + more) or "no VM"
