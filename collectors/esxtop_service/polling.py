"""Asks one host's esxtop service for samples, one request at a time, until asked to stop."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from collectors.axis import clock_jump_message
from collectors.esxtop_service.checks import check
from collectors.esxtop_service.counter_info import CounterInfo, read_counter_info
from collectors.esxtop_service.host_clock import HostClock
from collectors.esxtop_service.reply import Reply, decode
from collectors.esxtop_service.sampling import Sample, Sampler, time_ms
from collectors.esxtop_service.series import HostSeries
from collectors.esxtop_service.vm_book import VmBook
from collectors.feed import PAUSED, Controls, Feed, Health, State
from collectors.gap_book import GapBook
from connections.failures import ClosedError
from connections.vsphere.esxtop_service import EsxtopService, HostName, find_service, run_command
from connections.vsphere.faults import SoapFault
from connections.vsphere.retry import is_transient
from connections.vsphere.session import VSphere
from resources.catalogue import Catalogue
from resources.esxtop_records import EsxtopRecords
from resources.failures import DisconnectedError, NoCountersError, SourceError
from resources.units import format_duration
from sessions.identities import MOID, UUID
from sessions.model import Event, Fact, SourceSpec

_NOT_SAMPLED = "no sample was taken"
_COLLECTION = "collection time"
_CLOCK = "its clock"
_SLOW = 0.5
"""A host that takes this part of an interval for its answer is not asked more often to catch up."""
_CATCH_UP = 10
"""So many intervals are caught up; what is longer was a sleep of this machine."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Target:
    """A host to record: its service, and its CounterInfo, or why that could not be read yet."""

    host: HostName
    service: EsxtopService
    info: CounterInfo | None = None
    trouble: SourceError | None = None


def counter_info_of(vsphere: VSphere, service: EsxtopService) -> CounterInfo:
    """Ask a service for its CounterInfo. Raises SourceError."""
    return read_counter_info(run_command(vsphere, service, "CounterInfo").decode("utf-8", "replace"))


def next_request(
    due: float, began: float, now: float, interval_s: float, least_s: float
) -> tuple[float, float]:
    """Return when the next sample is due, and when it is asked for: both are ``due`` unless we are late.

    ``began`` is when the last request, due at ``due``, was sent; it is ``now``. Where this machine was busy
    and the host was not, no instant is left out: it is asked late, at least half an interval (and
    ``least_s``) after the one before, until we are in time again. A host that takes long has its next instant
    to come.
    """
    due += interval_s
    is_slow = now - began > interval_s * _SLOW
    if due < now and (is_slow or now - due > _CATCH_UP * interval_s):
        due += (int((now - due) // interval_s) + 1) * interval_s
        return due, due
    return due, max(due, began + max(least_s, interval_s / 2))


class HostPolling:
    """The recording of one host; ``run`` works in a thread of its own.

    ``is_freed``: the host was told to free what it keeps for us, or has nothing.
    """

    def __init__(
        self,
        vsphere: VSphere,
        feed: Feed,
        target: Target,
        known: EsxtopRecords,
        catalogue: Catalogue,
        interval_s: float,
    ) -> None:
        self._vsphere, self._feed, self._target, self._known = vsphere, feed, target, known
        self._wanted_s = interval_s
        self._interval_s = interval_s
        self._least_s = known.polling.least_s
        self._info = target.info
        self._service = target.service
        self._generation = vsphere.generation
        host = target.host
        self._name = host.name
        spec = SourceSpec("esxtop", host.name, interval_s, vsphere.clock_offset_ms)
        self._source = feed.add_source(spec)
        ref = feed.identify("host", [value for _, value in _identities(vsphere, host)], host.name)
        self._sampler = Sampler(ref.key)
        self._vms = VmBook(vsphere, host.moid, ref, host.name)
        self._series = HostSeries(feed, self._source, catalogue, self._vms)
        self._ref = ref
        self._health = Health("connecting", interval_s=interval_s)
        self._book = GapBook(feed, self._source, _NOT_SAMPLED)
        self._longest_s = self._took_s = 0.0
        self._is_known = False
        self._clock = HostClock(vsphere, host.moid, known.polling.clock_jump_s, feed.axis)
        self.is_freed = True
        self.report("connecting")

    @property
    def service(self) -> EsxtopService:
        """The host's service."""
        return self._service

    def run(self, controls: Controls) -> None:
        """Take samples until asked to stop; get over what passes.

        Raises HyperscopeError for what does not pass, ClosedError when the connection was closed.
        """
        due = time.monotonic()
        try:
            while not controls.is_set():
                began = time.monotonic()
                pause_s = self._step(controls)
                now = time.monotonic()
                due, at = next_request(due, began, now, self._interval_s, self._least_s)
                if pause_s > self._interval_s:
                    due = at = max(due, now + pause_s)
                controls.wait(at - now)
        finally:
            self.free()
        self._book.finish(self._now_ms(), self._interval_s * 1000)
        self._health = self._book.counted(self._health)
        self.report("ended")

    def free(self) -> None:
        """Tell the host to free what it keeps for us; it may be told again."""
        if self.is_freed:
            return
        try:
            run_command(self._vsphere, self.service, "FreeStats", once=True)
        except (SourceError, ClosedError) as error:
            _log.info("The esxtop service was not freed: %s", type(error).__name__)
        else:
            self.is_freed = True

    def report(self, state: State, message: str = "") -> None:
        """Hand over the source's state."""
        details = ((_COLLECTION, format_duration(round(self._longest_s, 2))),) if self._longest_s else ()
        self._health = replace(self._health, state=state, message=message, details=details)
        self._feed.report(self._source, self._health)

    def _step(self, controls: Controls) -> float:
        """One instant; return how long to wait at least before the next one (s)."""
        if controls.paused:
            self._sampler.forget()
            self._miss(PAUSED)
            self.report("paused")
            return 0.0
        try:
            self._take()
        except SourceError as error:
            if isinstance(error, ClosedError) or not is_transient(error):
                raise
            return self._failed(error)
        return 0.0

    def _failed(self, error: SourceError) -> float:
        self._info = None  # a host that was upgraded, or a session that is new, may have other records
        self._clock.forget()
        self._miss(error.happened)
        if self._book.missed >= self._known.polling.missed:
            self._sampler.forget()
        self.report("reconnecting", error.happened if self._is_known else str(unusable(error, self._name)))
        is_refusal = isinstance(error, SoapFault | NoCountersError)
        return self._known.polling.refused_s if is_refusal else 0.0

    def _take(self) -> None:
        """Ask for a reply and store the sample that it ends."""
        if self._info is None or self._generation != self._vsphere.generation:
            self._service = _found_again(self._vsphere, self._name)
            self._info = counter_info_of(self._vsphere, self._service)
            self._generation = self._vsphere.generation
        self.is_freed = False
        began = time.monotonic()
        raw = run_command(self._vsphere, self.service, "FetchStats")
        took_s = time.monotonic() - began
        reply = decode(raw, self._info, self._known)
        self._follow_interval(reply)
        if self._vms.learn(reply):
            self._series.forget_plan()
        self._follow_clock(reply, took_s)
        if not self._is_known:
            self._tell_who_it_is(reply)
        sample = self._sampler.add(reply)
        if sample is not None and self._is_of_what_was_missed(sample):
            sample = None
        self._note_duration(took_s)
        trouble = _trouble(reply, self._known)
        if sample is not None:
            sample = replace(sample, t_ms=sample.t_ms - self._clock.shift_ms)
            trouble = self._store(sample, reply) or trouble
        self.report("recording", trouble)

    def _is_of_what_was_missed(self, sample: Sample) -> bool:
        """Whether a sample would be the mean of a stall that nobody reported: of the network or of us.

        A host that takes long for each reply has samples of that length.
        """
        usual_s = max(self._interval_s, self._took_s)
        return sample.interval_s >= (self._known.polling.missed + 1) * usual_s

    def _store(self, sample: Sample, reply: Reply) -> str:
        """Store a sample; return why it can't be, empty if it was."""
        self._book.resume_after(self._series.prepare(sample, reply))
        last_ms = self._book.last_ms
        if last_ms is not None and sample.t_ms <= last_ms:
            back = format_duration(round((last_ms - sample.t_ms) / 1000))
            return f"The host's clock was set back by {back}: its samples count again from where they ended."
        count = self._series.add(sample, reply)
        since_ms = sample.t_ms - sample.interval_s * 1000
        self._book.take(sample.t_ms, count, self._interval_s * 1000, since_ms=since_ms)
        self._health = replace(
            self._book.counted(self._health), entities=self._series.entities, series=self._series.series
        )
        return ""

    def _follow_interval(self, reply: Reply) -> None:
        """The host's own least interval holds, whatever was asked for."""
        server = reply["Server"]
        least_s = self._known.polling.least_s
        if "MinFetchIntervalInUsec" in server:
            least_s = max(least_s, float(server.numbers("MinFetchIntervalInUsec")[0]) / 1e6)
        self._least_s = least_s
        interval_s = max(self._wanted_s, least_s)
        if interval_s != self._interval_s:
            self._interval_s = interval_s
            self._feed.update_source(self._source, interval_s=interval_s)
            self._health = replace(self._health, interval_s=interval_s)

    def _follow_clock(self, reply: Reply, took_s: float) -> None:
        """Keep the samples on the server's time; a host's clock that was set is an event."""
        before = self._clock.skew
        jump_ms = self._clock.follow(reply, took_s)
        if self._clock.skew != before:
            self._feed.update_source(self._source, clock_offset_ms=self._clock.ahead_of_ours_ms)
            self._tell_about()
        if jump_ms:
            at = time_ms(reply) - self._clock.shift_ms
            text = clock_jump_message(self._name, jump_ms)
            self._feed.add_events([Event(at, "clock", text, self._ref, id=f"{self._ref.key}/clock/{at}")])

    def _tell_about(self) -> None:
        """Tell the source's attributes as they are now."""
        about = [("product", self._vsphere.about.full_name)]
        if self._longest_s:
            about.append((_COLLECTION, f"up to {format_duration(round(self._longest_s, 2))}"))
        how = self._clock.skew.sentence(self._vsphere.address.place)
        about.append((_CLOCK, how + self._on_whose_time()))
        self._feed.update_source(self._source, attributes=about)

    def _on_whose_time(self) -> str:
        if not self._clock.shift_ms:
            return ""
        place, server = self._clock.reference, self._vsphere.address.place
        return f"; samples are on {'that one' if place == server else place or 'this computer'}'s time"

    def _tell_who_it_is(self, reply: Reply) -> None:
        t_ms = time_ms(reply) - self._clock.shift_ms
        self._tell_about()
        self._series.add_host(self._vms.above, self._vms.host())
        facts = [
            Fact(self._ref, name, value, t_ms)
            for name, value in _identities(self._vsphere, self._target.host)
        ]
        self._feed.add_facts(facts)
        self._is_known = True

    def _note_duration(self, took_s: float) -> None:
        """Keep how long the host took, and the longest of it, which the source tells."""
        self._took_s = took_s
        if took_s > self._longest_s * 1.1:
            self._longest_s = took_s
            self._tell_about()

    def _miss(self, reason: str) -> None:
        """No sample now: the gap since the last one grows, up to the host's present time."""
        self._book.miss(self._now_ms(), reason, self._interval_s * 1000)
        self._health = self._book.counted(self._health)

    def _now_ms(self) -> float:
        """The present time of the stored samples."""
        return time.time() * 1000 + self._clock.ahead_of_ours_ms


def _trouble(reply: Reply, known: EsxtopRecords) -> str:
    """What the checks of the reply find, in a sentence; empty if all holds."""
    most = known.limits.broken_part
    broken = [one for one in check(reply, known) if one.broken > most * one.records]
    return broken[0].sentence() if broken else ""


def _found_again(vsphere: VSphere, host: str) -> EsxtopService:
    """The host's service, which has another id after its server was restarted."""
    found = find_service(vsphere, host)
    if found is None:
        raise NoCountersError(f"{host} has no esxtop service any more.")
    return found


def _identities(vsphere: VSphere, host: HostName) -> Sequence[tuple[str, str]]:
    """The facts by which a host is recognised, as a recording of its vCenter has them, the surest first."""
    found = []
    uuid = host.uuid.strip().lower()
    uuid = uuid if uuid.strip("0-f") else ""
    if vsphere.about.api_type == "VirtualCenter" or not uuid:
        site = vsphere.about.instance_uuid or vsphere.address.host
        found.append((MOID, f"{site}/{host.moid}"))
    if uuid:
        found.append((UUID, uuid))
    return found


def unusable(error: SourceError, host: str) -> DisconnectedError:
    """Return the failure of a host whose service does not answer, with the way that is left."""
    return DisconnectedError(
        f"The esxtop service of {host} does not answer: {error.happened}",
        meaning=error.meaning,
        advice=by_ssh(host),
    )


def by_ssh(host: str) -> str:
    """Return how to get the same numbers without the service."""
    return f"Or record the host's own esxtop over ssh: ssh://root@{host}."
