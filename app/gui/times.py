"""The clock that the whole window shows times in: chosen in one place, told to all views."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimeZone, Signal

from app.gui.session_model import SessionModel
from app.gui.settings import Settings
from viewmodels.time_labels import HOST, LOCAL, UTC_ZONE, Clock, clock_of, host_clock

SETTING = "look.times"


@dataclass(frozen=True, slots=True)
class ZoneChoice:
    """A zone that is offered: the value of the setting, its title, and what stands behind it now."""

    value: str
    title: str
    is_known: bool = True


class Times(QObject):
    """The clock of the chosen zone; ``changed`` carries the new one.

    The zone of the hosts is that which the session's sources tell; where they tell none, it is UTC.
    """

    changed = Signal(object)

    def __init__(self, settings: Settings, session: SessionModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings, self._session = settings, session
        self._clock = self._chosen()
        settings.changed.connect(lambda key: self._renew() if key == SETTING else None)
        session.opened.connect(lambda _snapshot: self._renew())
        session.changed.connect(lambda _change: self._renew())
        session.closed.connect(self._renew)

    @property
    def clock(self) -> Clock:
        """The clock that times are shown in and typed in."""
        return self._clock

    @property
    def setting(self) -> str:
        """The zone as the user chose it: ``local``, ``utc``, ``host`` or an IANA name."""
        return self._settings.text(SETTING)

    def choose(self, setting: str) -> None:
        """Show times in another zone: ``local``, ``utc``, ``host`` or an IANA name."""
        self._settings.set(SETTING, setting)

    @property
    def choices(self) -> tuple[ZoneChoice, ...]:
        """The zones that every menu offers; the user's own one comes last, if it is none of the others."""
        host = self._host()
        title = f"The hosts' ({host.about()})" if host else "The hosts' (no source tells it: UTC)"
        own = self.setting
        found = (
            ZoneChoice(LOCAL, f"This computer's ({local_zone_name()})"),
            ZoneChoice(UTC_ZONE, "UTC"),
            ZoneChoice(HOST, title, host is not None),
        )
        return found if own in {one.value for one in found} else (*found, ZoneChoice(own, own))

    def _host(self) -> Clock | None:
        snapshot = self._session.whole or self._session.snapshot
        return host_clock(snapshot.sources) if snapshot is not None else None

    def _chosen(self) -> Clock:
        return clock_of(self.setting, self._host())

    def _renew(self) -> None:
        clock = self._chosen()
        if clock != self._clock:
            self._clock = clock
            self.changed.emit(clock)


def local_zone_name() -> str:
    """Return the IANA name of this computer's zone: ``Europe/Berlin``."""
    return bytes(QTimeZone.systemTimeZoneId().data()).decode("ascii", "replace") or "unknown"
