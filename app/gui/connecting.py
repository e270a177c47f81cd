"""Connecting to servers: the connect dialog, profiles, keyring, and the recorder's questions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.profiles import Profiles
from app.gui.recorder_process import RecorderProcess, RecordRequest, Request
from app.gui.recording import Recordings, ignore_result
from app.gui.session_files import recordings_folder, session_for
from app.gui.window import Window
from collectors.vsphere.selection import parse_selection
from connections.address import Address
from connections.address import parse_address as parse_any
from connections.core_dumps import forbid_core_dumps
from connections.known_hosts import KnownHosts
from connections.ssh.address import SSH
from connections.vsphere.address import ESXI, GUESTS, VCENTER, parse_address
from recorder.protocol import CertificateWanted, Ended, PasswordWanted
from resources.failures import HyperscopeError, LoginError, UntrustedError
from resources.vcenter_presets import load_presets
from widgets.connect import Certificate, ConnectDialog, PasswordDialog, Profile, TrustDialog, Wanted

if TYPE_CHECKING:
    from app.gui.test_process import TestProcess  # what it is about takes long to load

_THUMBPRINT = re.compile(r"(?:[0-9A-F]{2}:){31}[0-9A-F]{2}")


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
        recordings.first_samples.connect(lambda _path, _request: self._forget_vain())
        recordings.began.connect(self._began)
        desk.tests.asks.connect(self._began)
        recordings.refused.connect(self._refused)
        recordings.over.connect(self._start_again)

    def ask(self) -> None:
        """Show the connect dialog."""
        forbid_core_dumps()  # a password may be typed into it
        settings = self._desk.settings
        presets = [(name, preset.title) for name, preset in load_presets().items()]
        usual = self._in_vain or Profile(
            preset=settings.text("record.preset"), backfill=settings.flag("record.backfill")
        )
        dialog = ConnectDialog(
            self._desk.theme, self._profiles.entries(), presets, usual, trouble_of, self._window
        )
        dialog.wanted.connect(self._connect)
        dialog.forgotten.connect(self._profiles.forget)
        _open(dialog)

    def forget_restart(self) -> None:
        """Do not restart the recording after it ends: the user has stopped it."""
        self._again = None

    def _connect(self, wanted: Wanted) -> None:
        profile = wanted.profile
        if wanted.keep_profile:
            self._profiles.used(profile)
        self._in_vain = None if wanted.keep_profile else replace(profile, name="")
        addresses = [parse_address(place.address) for place in profile.places]
        typed = {addresses[number]: text for number, text in wanted.passwords.items()}
        self._typed.update({str(address): text for address, text in typed.items()})
        folder = recordings_folder(self._desk.settings.text("record.folder"))
        session = session_for(profile.name or profile.label, folder, datetime.now().astimezone())
        request = RecordRequest(
            tuple(str(address) for address in addresses),
            str(session),
            preset=profile.preset,
            select=profile.select,
            backfill=profile.backfill,
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
        self._typed.pop(source, None)
        self._keep({_address_of(source): ""}, keep=False, then=then)

    def _began(self, process: RecorderProcess | TestProcess) -> None:
        process.password_wanted.connect(partial(self._password_wanted, process))
        process.certificate_wanted.connect(partial(self._certificate_wanted, process))

    def _password_wanted(self, process: RecorderProcess | TestProcess, event: PasswordWanted) -> None:
        known = self._typed.get(event.source)
        if known is not None:
            process.give_password(event.source, known)
            return

        def given(password: str, keep: bool) -> None:
            self._typed[event.source] = password
            process.give_password(event.source, password)
            if keep:
                self._keep({_address_of(event.source): password}, keep=True, then=lambda: None)

        dialog = self._password_dialog(event.source, "")
        dialog.given.connect(given)
        dialog.rejected.connect(process.stop)
        process.ended.connect(dialog.close)
        _open(dialog)

    def _certificate_wanted(self, process: RecorderProcess | TestProcess, event: CertificateWanted) -> None:
        place = _place(event.source)
        is_host_key = event.source.startswith(f"{SSH.scheme}:")
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

    def _forget_vain(self) -> None:
        self._in_vain = None

    def _refused(self, process: RecorderProcess, source: str, failure: Ended) -> None:
        """After a wrong password or a changed certificate: ask the user, then record again."""
        self._again = None
        if failure.code == LoginError.exit_code:
            self._ask_again(process, source, failure.message)
        else:
            self._ask_about_change(process, source, failure.message)

    def _ask_again(self, process: RecorderProcess, source: str, message: str) -> None:
        self._typed.pop(source, None)

        def given(password: str, keep: bool) -> None:
            self._typed[source] = password
            again = partial(self._record_again, process.request)
            self._keep({_address_of(source): password}, keep=keep, then=again)

        dialog = self._password_dialog(source, message)
        dialog.given.connect(given)
        _open(dialog)

    def _ask_about_change(self, process: RecorderProcess, source: str, message: str) -> None:
        found = _THUMBPRINT.findall(message)
        if len(found) < 2:
            self._desk.notify(message, "critical")
            return
        shown, before = found[:2]
        address = _address_of(source)

        def trusted() -> None:
            try:
                self._known.remember(address.host, address.port, shown)
            except HyperscopeError as error:
                self._desk.notify(str(error), "critical")
            else:
                self._record_again(process.request)

        dialog = TrustDialog(self._desk.theme, Certificate(address.place, shown, before=before), self._window)
        dialog.trusted.connect(trusted)
        dialog.rejected.connect(lambda: self._desk.notify(message, "critical"))
        _open(dialog)

    def _record_again(self, request: Request) -> None:
        """Record again now, or when the recorder that still records other sources has ended."""
        if self._recordings.process is None:
            self._start(request)
        else:
            self._again = request
            self._recordings.stop()

    def _start_again(self) -> None:
        request, self._again = self._again, None
        if request is not None:
            self._start(request)

    def _password_dialog(self, source: str, trouble: str) -> PasswordDialog:
        forbid_core_dumps()
        address = _address_of(source)
        place = f"the guests of {address.place}" if address.scheme == GUESTS.scheme else address.place
        return PasswordDialog(self._desk.theme, address.user, place, trouble, self._window)


def trouble_of(profile: Profile) -> str:
    """Return what is wrong with a profile, in one sentence; empty if nothing is."""
    if not all(place.host for place in profile.places):
        return "An address is missing: the name or the IP address of a vCenter or an ESXi host."
    try:
        names = [str(parse_address(place.address)) for place in profile.places]
        parse_selection(profile.select)
    except HyperscopeError as error:
        return str(error)
    twice = next((name for name in names if names.count(name) > 1), "")
    return f"{twice} is there twice." if twice else ""


def _address_of(source: str) -> Address:
    """Return the address of a question: a server's, a guest's, or that of all guests of a vCenter."""
    return parse_any(source, (VCENTER, ESXI, SSH, GUESTS))


def _place(source: str) -> str:
    try:
        return _address_of(source).place
    except HyperscopeError:
        return source


def _open(dialog: QDialog) -> None:
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
