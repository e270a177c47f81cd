"""Follows one guest through VMware Tools: its loop is started, fetched from, and started again."""

from __future__ import annotations

import time
from random import random as _chance

from collectors.feed import PAUSED, Controls
from collectors.guest.frames import FrameReader
from collectors.guest.tools_sampler import Pace, SamplerGoneError, ToolsSampler
from collectors.guest.watching import GuestWatching
from connections.failures import ClosedError
from connections.vsphere.guest_vms import GuestVm
from connections.vsphere.retry import FIRST_BACKOFF_S, MAX_BACKOFF_S, is_transient
from connections.vsphere.session import VSphere
from connections.vsphere.tools.calls import GuestCalls, GuestLogin
from connections.vsphere.tools.faults import GuestBusyError
from connections.vsphere.tools.files import GuestFiles
from resources.failures import LoginError, SourceError
from resources.guest_counters import GuestCounters
from resources.vcenter_acting import load_acting
from sessions.journal import ChangedObject

_STEP_S = 0.5


class GuestThroughTools:
    """One VM's guest; its samples go to ``watching``."""

    def __init__(
        self,
        vsphere: VSphere,
        vm: GuestVm,
        login: GuestLogin,
        watching: GuestWatching,
        counters: GuestCounters,
        pace: Pace,
    ) -> None:
        self.vm, self.watching = vm, watching
        self._login, self._counters, self._pace = login, counters, pace
        self._calls, self._files = self._ways_in(vsphere)
        self._reader = FrameReader(vm.name, counters.limits.frame_bytes)
        self._sampler: ToolsSampler | None = None
        self._old: list[ToolsSampler] = []
        self._printed_ms: float | None = None
        self._due = 0.0

    @property
    def is_left(self) -> bool:
        """True while something of ours may be in the guest."""
        return any(one.is_left for one in self._old)

    def run(self, controls: Controls) -> None:
        """Record until asked to stop, then take the loop out. Raises SourceError for what needs a person."""
        ready_by = time.monotonic() + self._counters.tools.ready_s
        failures = 0
        try:
            while not controls.is_set():
                before_ms = self.watching.last_ms
                try:
                    self._step(controls)
                except LoginError:
                    # What is in the guest ends by itself: more tries would lock the account.
                    self._sampler, self._old = None, []
                    raise
                except SourceError as error:
                    if isinstance(error, SamplerGoneError):
                        self._sampler = None
                    is_early = isinstance(error, GuestBusyError) and time.monotonic() < ready_by
                    if not is_transient(error) or not (self.watching.has_begun or is_early):
                        raise
                    failures = failures + 1 if self.watching.last_ms == before_ms else 1
                    self._lost(error)
                    pause = min(MAX_BACKOFF_S, FIRST_BACKOFF_S * 2 ** min(failures - 1, 6))
                    controls.wait(pause * (0.5 + _chance() / 2))  # noqa: S311 - many must not return at once
                else:
                    failures = 0
            self._take_last()
            self.watching.end()
        finally:
            self._take_out()

    def remove(self, vsphere: VSphere) -> None:
        """Take what is left out of the guest, over another connection."""
        calls, files = self._ways_in(vsphere)
        for one in self._old:
            one.over(calls, files)
        self._take_out()

    def _ways_in(self, vsphere: VSphere) -> tuple[GuestCalls, GuestFiles]:
        vm = ChangedObject(str(vsphere.address), "VirtualMachine", self.vm.moid, self.vm.name)
        calls = GuestCalls(vsphere, self.vm.moid, self.vm.name, self._login)
        return calls, GuestFiles(vsphere, vm, calls, load_acting().guests.transfer_s)

    def _step(self, controls: Controls) -> None:
        """Fetch what is new, and wait until there can be more; while paused no loop runs in the guest."""
        if controls.paused:
            self._take_last()
            self._take_out()
            self.watching.miss(PAUSED)
            self.watching.report("paused")
            controls.wait(self._pace.interval_s)
            return
        sampler = self._sampler or self._started()
        if self._fetched(sampler):
            self._due = time.monotonic() + self._pace.part_s + self._counters.tools.grace_s
        elif time.monotonic() > self._due:
            sampler.check()
            self._due = time.monotonic() + self._counters.tools.grace_s
        first = self._counters.tools.first_poll_s
        _rest(controls, max(first, self._pace.part_s) if sampler.parts > 1 else first)

    def _started(self) -> ToolsSampler:
        """Start a loop; what an earlier one left is removed."""
        self._take_out()
        limits, left_s = self._counters.limits, self._counters.tools.left_s
        sampler = ToolsSampler(self._calls, self._files, self._pace, limits, left_s)
        self._old.append(sampler)
        self._reader = FrameReader(self.vm.name, limits.frame_bytes)
        self.watching.forget()
        self._printed_ms = sampler.start()
        self._due = time.monotonic() + self._counters.tools.grace_s
        self._sampler = sampler
        return sampler

    def _fetched(self, sampler: ToolsSampler) -> bool:
        """Hand over the samples that are new; return True if there were any."""
        before = sampler.parts
        for part in sampler.fetch():
            for frame in self._reader.feed(part):
                self.watching.take(frame, self._printed_ms)
            self._printed_ms = None  # the first sample alone was taken when the loop was started
        return sampler.parts > before

    def _take_last(self) -> None:
        """Hand over what the loop has kept until now, as far as the guest can be asked."""
        sampler = self._sampler
        if sampler is None:
            return
        try:
            self._fetched(sampler)
            for frame in self._reader.feed(sampler.unfinished()):
                self.watching.take(frame, self._printed_ms)
        except SourceError:
            return

    def _take_out(self) -> None:
        """End the loop and remove what it left, as far as the guest can be asked."""
        self._sampler = None
        try:
            self._old = [one for one in self._old if not one.end()]
        except ClosedError:
            return

    def _lost(self, error: SourceError) -> None:
        self.watching.miss(error.happened)
        self.watching.report("reconnecting" if self.watching.has_begun else "connecting", error.happened)


def _rest(controls: Controls, seconds: float) -> None:
    """Wait so long, or until asked to stop or to pause."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0 and not controls.paused:
        if controls.wait(min(_STEP_S, left)):
            return
