"""Records hosts by their esxtop service, through their vCenter or one host itself, until asked to stop."""

from __future__ import annotations

import fnmatch
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from collectors.esxtop_service.polling import HostPolling, Target, by_ssh, counter_info_of, unusable
from collectors.feed import Controls, Feed, Health
from connections.address import Address
from connections.failures import ClosedError
from connections.known_hosts import KnownHosts
from connections.untrusted import Ask
from connections.vsphere.esxtop_service import PRIVILEGE, HostName, find_service, hosts_of, run_command
from connections.vsphere.session import VSphere
from resources.catalogue import load_catalogue
from resources.esxtop_records import EsxtopRecords, load_esxtop_records
from resources.failures import (
    HyperscopeError,
    NoCountersError,
    NotFoundError,
    PrivilegeError,
    SourceError,
    UsageError,
)
from resources.foreign_text import shown
from resources.units import format_count
from sessions.model import SourceSpec

_log = logging.getLogger(__name__)
_STEP_S = 0.2
_FREEING_S = 10.0
_MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class EsxtopOptions:
    """``interval_s``: seconds between samples, None for the usual."""

    interval_s: float | None = None


class EsxtopCollector:
    """A ``feed.Collector`` for ``esxtop://user@server/HOST,HOST…``: a source for each host.

    ``password`` is called for each login; all else as in ``VSphere``.
    """

    def __init__(
        self,
        address: Address,
        password: Callable[[], str],
        options: EsxtopOptions,
        *,
        thumbprint: str | None = None,
        known: KnownHosts | None = None,
        ask: Ask | None = None,
    ) -> None:
        self._address, self._password = address, password
        self._thumbprint, self._known, self._ask = thumbprint, known, ask
        self._records = load_esxtop_records()
        self._interval_s = _interval(options, self._records)

    @property
    def name(self) -> str:
        """The connection's name in messages: ``esxtop://user@server/HOST``."""
        return str(self._address)

    def run(self, feed: Feed, controls: Controls) -> None:
        """Record until asked to stop. Raises HyperscopeError for failures that need a person."""
        pollings: list[HostPolling] = []
        try:
            with self._connection() as vsphere:
                self._record(vsphere, feed, controls, pollings)
        except ClosedError:
            if not controls.is_set():
                raise
        finally:
            self._free_left([one for one in pollings if not one.is_freed])

    def _connection(self, read_s: float = 120.0) -> VSphere:
        return VSphere(
            self._address,
            self._password,
            thumbprint=self._thumbprint,
            known=self._known,
            ask=self._ask,
            read_s=read_s,
        )

    def _record(self, vsphere: VSphere, feed: Feed, controls: Controls, pollings: list[HostPolling]) -> None:
        targets, failures = self._targets(vsphere, controls)
        for host, failure in failures:
            source = feed.add_source(SourceSpec("esxtop", host.name, self._interval_s))
            feed.report(source, Health("failed", message=str(failure)))
        catalogue, shared = load_catalogue(), _Shared(controls)
        for target in targets:
            one = HostPolling(vsphere, feed, target, self._records, catalogue, self._interval_s)
            pollings.append(one)
        threads = [
            threading.Thread(target=shared.guard, args=(one,), name=f"esxtop-{number}")
            for number, one in enumerate(pollings)
        ]
        for thread in threads:
            thread.start()
        try:
            while not shared.wait(_STEP_S) and any(thread.is_alive() for thread in threads):
                pass
        finally:
            shared.end()
            deadline = time.monotonic() + self._records.polling.grace_s
            for thread in threads:  # a host that is still answering is waited for, and frees what it keeps
                thread.join(max(0.0, deadline - time.monotonic()))
            if any(thread.is_alive() for thread in threads):
                vsphere.close()
            for thread in threads:
                thread.join()
        shared.check()

    def _targets(
        self, vsphere: VSphere, controls: Controls
    ) -> tuple[list[Target], list[tuple[HostName, HyperscopeError]]]:
        """The hosts with a service, and those without. Raises the failure if no host's answers."""
        found: list[Target] = []
        failures: list[tuple[HostName, HyperscopeError]] = []
        for host in self._chosen(hosts_of(vsphere)):
            if controls.is_set():
                raise ClosedError
            try:
                found.append(self._target(vsphere, host))
            except PrivilegeError as error:
                raise _without_privilege(vsphere, host.name) from error
            except ClosedError:
                raise
            except NoCountersError as error:
                failures.append((host, error))
        silent = [one.trouble for one in found if one.trouble is not None]
        if len(silent) == len(found):
            raise silent[0] if silent else failures[0][1]
        return found, failures

    def _target(self, vsphere: VSphere, host: HostName) -> Target:
        """The host with its service; one that does not answer now may do so later."""
        service = find_service(vsphere, host.name) if host.is_connected else None
        if service is None:
            why = "has no esxtop service" if host.is_connected else "is not connected to the vCenter"
            raise NoCountersError(
                f"{host.name} {why}.",
                meaning=f"{vsphere.about.full_name} lists none for it.",
                advice=by_ssh(host.name),
            )
        try:
            return Target(host, service, counter_info_of(vsphere, service))
        except (ClosedError, PrivilegeError):
            raise
        except SourceError as error:
            return Target(host, service, trouble=unusable(error, host.name))

    def _chosen(self, hosts: Sequence[HostName]) -> list[HostName]:
        """The hosts that the address names; of a server with one host it need name none."""
        names = [one for one in self._address.path.split(",") if one]
        if not names and len(hosts) == 1:
            return list(hosts)
        there = _some([host.name for host in hosts])
        if not names:
            raise UsageError(
                f"{self._address} names no host.",
                meaning=f"{self._address.place} has {there}.",
                advice="Write them behind a slash, with commas between: …/esx01,esx02 or …/esx*.",
            )
        chosen: dict[str, HostName] = {}
        for name in names:
            matching = [one for one in hosts if fnmatch.fnmatchcase(one.name.lower(), name.lower())]
            if not matching:
                raise NotFoundError(
                    f"{self._address.place} has no host {shown(name)!r}.", advice=f"It has {there}."
                )
            chosen |= {one.moid: one for one in matching}
        most = self._records.polling.most_hosts
        if len(chosen) > most:
            raise UsageError(
                f"{format_count(len(chosen))} hosts are too many for their esxtop services at once.",
                meaning="Each request costs the host that answers.",
                advice=f"Name {format_count(most)} or fewer.",
            )
        return list(chosen.values())

    def _free_left(self, left: Sequence[HostPolling]) -> None:
        """Tell hosts whose request was cut off, over a connection of its own, to free what they keep."""
        if not left:
            return
        try:
            with self._connection(_FREEING_S) as vsphere:
                for one in left:
                    run_command(vsphere, one.service, "FreeStats", once=True)
                    one.is_freed = True
        except (HyperscopeError, ClosedError) as error:
            _log.warning("esxtop services were not freed: %s", type(error).__name__)


class _Shared:
    """Controls of all hosts' threads: what ends one for good ends all, and is kept."""

    def __init__(self, controls: Controls) -> None:
        self._controls = controls
        self._ended = threading.Event()
        self._failure: BaseException | None = None

    @property
    def paused(self) -> bool:
        """True if no host should be asked now."""
        return self._controls.paused

    def is_set(self) -> bool:
        """Return True if the threads should stop."""
        return self._ended.is_set() or self._controls.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until asked to stop, at most ``timeout`` seconds; return True if asked."""
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

    def guard(self, polling: HostPolling) -> None:
        """Run one host; what it raises stops all."""
        try:
            polling.run(self)
        except ClosedError:
            self.end()
        except HyperscopeError as error:
            self._failure = self._failure or error
            polling.report("failed", str(error))
            self.end()

    def check(self) -> None:
        """Raise what ended a thread, if anything did."""
        if self._failure is not None:
            raise self._failure


def _interval(options: EsxtopOptions, records: EsxtopRecords) -> float:
    if options.interval_s is None:
        return records.polling.usual_s
    if options.interval_s < records.polling.least_s:
        raise UsageError(
            f"--interval: a host is asked every {records.polling.least_s:g} s at most.",
            meaning="Its esxtop service publishes that as its least, and each request costs it some.",
        )
    return options.interval_s


def _without_privilege(vsphere: VSphere, host: str) -> PrivilegeError:
    return PrivilegeError(
        f"{vsphere.address.user} may not use the esxtop service of {host}.",
        meaning=f"The account lacks {PRIVILEGE} on {vsphere.address.place}.",
        advice=f"Give it a role with 'Global > Service managers'. {by_ssh(host)}",
    )


def _some(names: Sequence[str]) -> str:
    more = f" and {format_count(len(names) - _MAX_NAMED)} more" if len(names) > _MAX_NAMED else ""
    return (", ".join(shown(name) for name in names[:_MAX_NAMED]) + more) or "no host"
