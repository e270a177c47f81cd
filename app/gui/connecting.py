"""Connecting to servers: the connect dialog, profiles, keyring, and the recorder's questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

from app.gui.changed_certificates import ChangedCertificates
from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.profile_check import address_of, kinds_offered, login_of, parsed, refused_login, trouble_of
from app.gui.profiles import Profiles
from app.gui.recorder_process import RecorderProcess, RecordRequest, Request
from app.gui.recording import Recordings, ignore_result
from app.gui.refused_logins import RefusedLogins
from app.gui.session_files import recordings_folder, session_for
from app.gui.window import Window
from app.recording.schemes import scheme_of
from connections.address import Address
from connections.core_dumps import forbid_core_dumps
from connections.fingerprints import CERTIFICATE, HOST_KEY, Proof
from connections.known_hosts import KnownHosts
from connections.ssh.address import SSH
from connections.vsphere.address import GUESTS
from recorder.protocol import AddSource, CertificateWanted, Ended, PasswordWanted
from resources.failures import HyperscopeError, LoginError, UntrustedError
from resources.vcenter_presets import load_presets
from widgets.connect import (
    Certificate,
    ConnectDialog,
    PasswordDialog,
    Place,
    Profile,
    TrustDialog,
    Wanted,
)

if TYPE_CHECKING:
    from app.gui.test_process import TestProcess  # what it is about takes long to load

_THUMBPRINT = re.compile(r"(?:[0-9A-F]{2}:){31}[0-9A-F]{2}|(?:[a-z0-9-]+ )?SHA256:[A-Za-z0-9+/]{43}")
HELP = "window#connecting"
"""The page of the help about the dialog."""


class Connecting(QObject):
    """Starts recordings from the connect dialog, and answers the recorder's questions for passwords and
    trust.

    Typed passwords are kept in this object for a resume; they are sent only to the recorder's stdin.
    """

    def __init__(
        self, desk: Desk, window: Window, recordings: Recordings, profiles: Profiles, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._desk, self._window = desk, window
        self._recordings, self._profiles = recordings, profiles
        self._typed: dict[str, str] = {}
        self._known = KnownHosts()
        self._again: Request | None = None
        self._in_vain: Profile | None = None
        recordings.first_samples.connect(self._forget_vain)
        recordings.began.connect(self._began)
        desk.tests.asks.connect(self._began)
        recordings.refused.connect(self._refused)
        recordings.over.connect(self._start_again)
        ChangedCertificates(desk, window, recordings, self._ask_about_change, self)
        self._refused_logins = RefusedLogins(desk, recordings, self._ask_again, self)
        self._asking: dict[tuple[bool, str, str, int], PasswordDialog] = {}

    def ask(self) -> None:
        """Show the connect dialog."""
        settings = self._desk.settings
        usual = self._in_vain or Profile(
            preset=settings.text("record.preset"), backfill=settings.flag("record.backfill")
        )
        dialog = connect_dialog(self._desk, self._window, usual, self._profiles.entries())
        dialog.wanted.connect(self._connect)
        dialog.forgotten.connect(self._profiles.forget)
        _open_beside(dialog, self._window)

    def ask_more(self, place: Place | None = None) -> None:
        """Show the dialog for sources that are added to the running recording, with this one filled in."""
        usual = Profile(places=(place,) if place is not None else ())
        dialog = connect_dialog(self._desk, self._window, usual, adds=True)
        dialog.wanted.connect(self._add)
        _open_beside(dialog, self._window)

    def _add(self, wanted: Wanted) -> None:
        """Add sources to the running recording."""
        process = self._recordings.process
        if process is None:
            self._desk.notify("Nothing is being recorded any more: connect instead.", "warning")
            return
        sources = [str(parsed(place.address)) for place in wanted.profile.places]
        typed = {address_of(sources[number]): text for number, text in wanted.passwords.items()}
        self._typed.update({str(address): text for address, text in typed.items()})

        def add() -> None:
            for source in sources:
                process.change_sources(AddSource(source, wanted.profile.interval_s))

        if typed:
            self._keep(typed, keep=wanted.keep_passwords, then=add)
        else:
            add()

    def forget_restart(self) -> None:
        """Do not restart the recording after it ends: the user has stopped it."""
        self._again = None

    def _connect(self, wanted: Wanted) -> None:
        profile = wanted.profile
        if wanted.keep_profile:
            self._profiles.used(profile)
        self._in_vain = None if wanted.keep_profile else replace(profile, name="")
        sources = [str(parsed(place.address)) for place in profile.places]
        typed = {address_of(sources[number]): text for number, text in wanted.passwords.items()}
        self._typed.update({str(address): text for address, text in typed.items()})
        folder = recordings_folder(self._desk.settings.text("record.folder"))
        session = session_for(profile.name or profile.label, folder, datetime.now().astimezone())
        request = RecordRequest(
            tuple(sources),
            str(session),
            speed=float(self._desk.settings.number("lab.speed")),
            preset=profile.preset,
            select=profile.select,
            backfill=profile.backfill,
            interval_s=profile.interval_s,
        )
        start = partial(self._start, request)
        if typed:
            self._keep(typed, keep=wanted.keep_passwords, then=start)
        else:
            start()

    def _start(self, request: Request) -> None:
        ignore_result(self._recordings.start(request))

    def _keep(self, typed: dict[Address, str], *, keep: bool, then: Callable[[], None]) -> None:
        """Store passwords in the keyring, or with ``keep`` False delete older ones from it; then call
        ``then``.
        """

        def work(_job: Job) -> bool:
            # Asking the keyring may open a question of the system's; and who does not record needs none.
            from connections.secrets import Password, delete_password, store_password  # noqa: PLC0415

            if not keep:
                for address in typed:
                    delete_password(address)
                return True
            kept = [store_password(address, Password(text, "prompt")) for address, text in typed.items()]
            return all(kept)

        def done(kept: bool) -> None:
            if not kept:
                self._desk.notify(
                    "This computer's keyring did not take the password: you will be asked for it again.",
                    "warning",
                )
            then()

        self._desk.jobs.start("connecting.keyring", "Asking the keyring", work, done)

    def forget_password(self, source: str, then: Callable[[], None]) -> None:
        """Ask for the password of an address again when it is next needed; delete it from the keyring, and
        call ``then``.
        """
        for one in (source, str(address_of(source))):
            self._typed.pop(one, None)
        self._keep({address_of(source): ""}, keep=False, then=then)

    def _began(self, process: RecorderProcess | TestProcess) -> None:
        process.password_wanted.connect(partial(self._password_wanted, process))
        process.certificate_wanted.connect(partial(self._certificate_wanted, process))

    def _password_wanted(self, process: RecorderProcess | TestProcess, event: PasswordWanted) -> None:
        known = _typed_for(event.source, self._typed)
        if known is not None:
            process.give_password(event.source, known)
            return

        def given(password: str, keep: bool) -> None:
            self._typed[event.source] = password
            process.give_password(event.source, password)
            if keep:
                self._keep({address_of(event.source): password}, keep=True, then=lambda: None)

        dialog = self._password_dialog(event.source, "")
        dialog.given.connect(given)
        dialog.rejected.connect(process.stop)
        process.ended.connect(dialog.close)
        _open(dialog)

    def _certificate_wanted(self, process: RecorderProcess | TestProcess, event: CertificateWanted) -> None:
        place = _place(event.source)
        is_host_key = _proof(event.source) is HOST_KEY
        shown = Certificate(place, event.sha256, event.why, is_host_key=is_host_key)
        dialog = TrustDialog(self._desk.theme, shown, self._window)
        dialog.trusted.connect(lambda: process.trust(event.source, event.sha256))
        dialog.rejected.connect(lambda: process.trust(event.source, ""))
        dialog.rejected.connect(partial(self._distrusted, process, place, shown.thing))
        process.ended.connect(dialog.close)
        _open(dialog)

    def _distrusted(self, process: RecorderProcess | TestProcess, place: str, thing: str) -> None:
        """When this process ends, say that the certificate is not trusted, and offer to try again.

        The recorder's own message is advice for users without a window.
        """

        def say(ended: Ended) -> None:
            if ended.code != UntrustedError.exit_code:
                return
            text = f"Not connected to {place}: its {thing} is not trusted."
            if isinstance(process, RecorderProcess):
                again = partial(self._start, process.request)
                self._window.messages.show_message(text, "warning", button="Try again", act=again)
            else:
                self._desk.notify(text, "warning")

        process.ended.connect(say)

    def _forget_vain(self, _path: object, _request: object) -> None:
        self._in_vain = None

    def _refused(self, process: RecorderProcess, source: str, failure: Ended) -> None:
        """After a wrong password or a changed certificate: ask the user, then record again."""
        self._again = None
        if failure.code == LoginError.exit_code:
            self._ask_again(process, source, failure.message)
        else:
            again = partial(self._record_again, process)
            message = failure.message
            self._ask_about_change(source, message, again, lambda: self._desk.notify(message, "critical"))

    def _ask_again(self, process: RecorderProcess, source: str, message: str) -> None:
        """Ask for the password once for each login, though several sources may have been refused with it."""
        login = refused_login(source, message)
        for one in (login, str(address_of(login))):
            self._typed.pop(one, None)
        whose = login_of(address_of(login))
        if whose in self._asking:
            self._asking[whose].raise_()
            return

        def again(password: str) -> None:
            if not self._refused_logins.begin_again(process, login, password):
                self._record_again(process)

        def given(password: str, keep: bool) -> None:
            self._typed[login] = password
            self._keep({address_of(login): password}, keep=keep, then=partial(again, password))

        self._asking[whose] = dialog = self._password_dialog(login, message)
        dialog.given.connect(given)
        dialog.finished.connect(lambda _result: self._asking.pop(whose, None))

        def over(ended: Ended) -> None:
            """Ask no more for a recording that is over, unless it is over since this password was refused."""
            if self._asking.get(whose) is dialog and ended.code != LoginError.exit_code:
                dialog.reject()

        if process is self._recordings.process:
            process.ended.connect(over)
        _open(dialog)

    def _ask_about_change(
        self, source: str, message: str, then: Callable[[], None], refused: Callable[[], None]
    ) -> None:
        found = _THUMBPRINT.findall(message)
        if len(found) < 2:
            self._desk.notify(message, "critical")
            return
        shown, before = found[:2]
        address = address_of(source)

        def trusted() -> None:
            try:
                known = self._known.for_proof(_proof(source) or CERTIFICATE)
                known.remember(address.host, address.port, shown)
            except HyperscopeError as error:
                self._desk.notify(str(error), "critical")
            else:
                then()

        asked = Certificate(address.place, shown, before=before, is_host_key=_proof(source) is HOST_KEY)
        dialog = TrustDialog(self._desk.theme, asked, self._window)
        dialog.trusted.connect(trusted)
        dialog.rejected.connect(refused)
        _open(dialog)

    def _record_again(self, process: RecorderProcess) -> None:
        """Record again now, or when the recorder that still records other sources has ended."""
        if self._recordings.process is process:
            self._again = process.request
            self._recordings.stop()
        else:
            self._start(process.request)  # beside another recording this says that one is running

    def _start_again(self) -> None:
        request, self._again = self._again, None
        if request is not None:
            self._start(request)

    def _password_dialog(self, source: str, trouble: str) -> PasswordDialog:
        forbid_core_dumps()
        address = address_of(source)
        place = f"the guests of {address.place}" if address.scheme == GUESTS.scheme else address.place
        return PasswordDialog(self._desk.theme, address.user, place, trouble, self._window)


def _typed_for(source: str, typed: Mapping[str, str]) -> str | None:
    """Return the password that was typed for a source, or for another one with the same user and server."""
    wanted = address_of(source)
    same = (text for one, text in typed.items() if login_of(address_of(one)) == login_of(wanted))
    return typed.get(source) or next(same, None)


def connect_dialog(
    desk: Desk, window: Window, usual: Profile, known: Sequence[Profile] = (), *, adds: bool = False
) -> ConnectDialog:
    """Return the dialog for a new recording, or for sources that are added to one."""
    forbid_core_dumps()  # a password may be typed into it
    presets = [(name, preset.title) for name, preset in load_presets().items()]
    dialog = ConnectDialog(
        desk.theme, known, presets, usual, trouble_of, window,
        kinds=kinds_offered(adds=adds), scenarios=_scenarios(), adds=adds,
    )  # fmt: skip
    dialog.help_wanted.connect(lambda: desk.topics.wanted.emit(HELP))
    return dialog


def _proof(source: str) -> Proof | None:
    """How the server of a source proves who it is; the machines of a test are reached over ssh."""
    if source.startswith(f"{SSH.scheme}:"):
        return HOST_KEY
    try:
        return scheme_of(source).proof
    except HyperscopeError:
        return None


def _scenarios() -> list[tuple[str, str]]:
    """Return names and titles of the lab's scenarios, the demonstration first."""
    from lab import load_scenarios  # noqa: PLC0415 - the lab takes long to load; the window starts without it

    found = sorted(load_scenarios().items(), key=lambda one: (one[0] != "demo", one[0]))
    return [(name, f"{name}: {scenario.title}") for name, scenario in found]


def _place(source: str) -> str:
    try:
        return address_of(source).place
    except HyperscopeError:
        return source


def _open_beside(dialog: ConnectDialog, window: Window) -> None:
    """Show it in the place of another one; the window stays usable, and so does the help beside it."""
    for before in window.findChildren(ConnectDialog):
        if before is not dialog and before.isVisible():
            before.reject()
    dialog.finished.connect(dialog.deleteLater)
    dialog.show()
    dialog.raise_()
    dialog.activateWindow()


def _open(dialog: QDialog) -> None:
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
