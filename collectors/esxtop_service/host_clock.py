"""A host's clock beside that of the server it is asked through, on whose time its samples are stored.

A vCenter's own counters carry the vCenter's time, an esxtop reply the host's: on one axis
(``collectors.axis``) they would be apart by what the clocks are. The reply's stamp tells whole seconds, the
host's DateTimeSystem milliseconds. That somebody sets the host's clock is noticed by the time since its boot,
which the reply has, too.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from pyVmomi import vim

from collectors.axis import Axis, Placement, Rank, Reference, SourceClock, ahead_sentence
from collectors.esxtop_service.reply import Reply
from collectors.esxtop_service.sampling import time_ms
from collectors.server_clock import read_clock
from connections.failures import ClosedError
from connections.vsphere.logged_in import Connection
from connections.vsphere.session import VSphere
from resources.failures import SourceError

_HALF_SECOND_MS = 500
"""A stamp of whole seconds is half a second late on average, and off by as much at most."""
_OLD_MS = 5000
"""So old a stamp may be when its reply comes: a host takes seconds to collect what it tells."""
_EVERY_S = 600.0


@dataclass(frozen=True, slots=True)
class Skew:
    """How far a host's clock is ahead of its server's (ms), and the largest possible error of that."""

    ms: int = 0
    doubt_ms: int = 0

    def sentence(self, place: str) -> str:
        """Return the skew in words: ``3.2 s ahead of vc01's, ± 100 ms``."""
        return ahead_sentence(self.ms, self.doubt_ms, place)


@dataclass(frozen=True, slots=True)
class Told:
    """When a reply was stamped by the host (ms), and how long the host was up by then (ms)."""

    t_ms: int
    up_ms: float

    @classmethod
    def of(cls, reply: Reply) -> Told:
        """Read both from a reply."""
        return cls(time_ms(reply), float(reply["Server"].numbers("TimeStampInUsec")[0]) / 1000)

    def jump_ms(self, before: Told) -> int:
        """Return by how much the clock was set since ``before``; 0 if the host was booted meanwhile."""
        passed = self.up_ms - before.up_ms
        return 0 if passed < 0 else round(self.t_ms - before.t_ms - passed)


class HostClock:
    """Measures one host's clock: at the first reply, after an outage, after it was set, every ten minutes.

    ``skew`` is what was measured last; ``shift_ms`` is what is taken from the host's times, 0 for clocks that
    are as equal as a stamp of whole seconds can tell. Without an ``axis`` they come to the server's time.
    """

    def __init__(self, vsphere: VSphere, moid: str, jump_s: float, axis: Axis | None = None) -> None:
        self._vsphere, self._moid, self._jump_ms = vsphere, moid, jump_s * 1000
        self._axis, self._server = axis, SourceClock(self._jump_ms)
        self._placement = Placement(axis, self._servers_clock)
        self._before: Told | None = None
        self._measured = 0.0
        self.skew = Skew()

    @property
    def shift_ms(self) -> int:
        """What is taken from the host's times."""
        return self._placement.shift_ms

    @property
    def reference(self) -> str:
        """Whose time the samples are on; empty for that of our own clock."""
        reference = self._placement.reference
        return "" if reference is None else reference.place

    @property
    def ahead_of_ours_ms(self) -> int:
        """By how much the stored times are ahead of our clock."""
        best = self._server.best
        here_ms = self._vsphere.clock_offset_ms if best is None else round(best.ahead_ms)
        return here_ms + self.skew.ms - self.shift_ms

    def _servers_clock(self) -> Reference:
        best = self._server.best
        place = self._vsphere.address.place
        return Reference(place) if best is None else Reference(place, best.ahead_ms, best.doubt_ms)

    def forget(self) -> None:
        """Measure anew with the next reply: the connection was lost meanwhile."""
        self._before = None

    def follow(self, reply: Reply, took_s: float) -> int:
        """Follow the clock by a reply that came just now and took so long.

        Return by how many ms the clock was set since the last one, 0 for no jump. Raises SourceError.
        """
        told, before = Told.of(reply), self._before
        jump_ms = told.jump_ms(before) if before is not None else 0
        jump_ms = jump_ms if abs(jump_ms) > self._jump_ms + 2 * _HALF_SECOND_MS else 0
        is_new = before is None or told.up_ms < before.up_ms  # it was booted, or somebody else answers
        if is_new or jump_ms or time.monotonic() - self._measured > _EVERY_S:
            self._measure(told, took_s, was_set=is_new or bool(jump_ms))
        self._before = told
        return jump_ms

    def _measure(self, told: Told, took_s: float, *, was_set: bool) -> None:
        replied = time.time() - took_s / 2
        server = read_clock(self._vsphere)
        server_jump_ms = self._server.add(server)
        best, asked_s = self._server.best or server, server.doubt_ms / 500
        if self._axis is not None and self._vsphere.about.api_type == "VirtualCenter":
            place = self._vsphere.address.place
            self._axis.refer(Rank.BEHIND_SERVICE, place, best, was_set=bool(server_jump_ms))
        here = round(server.ahead_ms)
        by_stamp = round(told.t_ms + _HALF_SECOND_MS - replied * 1000) - here
        doubt = round(took_s * 500 + asked_s * 500) + _HALF_SECOND_MS + _OLD_MS
        exact = self._exact(here, asked_s)
        agrees = exact is not None and abs(exact.ms - by_stamp) <= doubt + exact.doubt_ms
        self.skew = exact if exact is not None and agrees else Skew(by_stamp, doubt)
        self._placement.place(
            best.ahead_ms + self.skew.ms, self.skew.doubt_ms, self._jump_ms, was_set=was_set
        )
        self._measured = time.monotonic()

    def _exact(self, here_ms: int, asked_s: float) -> Skew | None:
        """What the host's own time service says; None where it may not be asked."""
        began = time.time()
        try:
            there = self._vsphere.ask("a host's clock", self._question)
        except ClosedError:
            raise
        except SourceError:
            return None
        took_s = time.time() - began
        if there is None:
            return None
        ahead = round((there - began - took_s / 2) * 1000)
        return Skew(ahead - here_ms, round((took_s + asked_s) * 500))

    def _question(self, connection: Connection) -> float | None:
        clock = vim.HostSystem(self._moid, connection.stub).configManager.dateTimeSystem
        return None if clock is None else float(clock.QueryDateTime().timestamp())
