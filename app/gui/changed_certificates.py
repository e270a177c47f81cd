"""Certificates that change while their sources are recorded: it is said, and both can be compared."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.recording import Recordings
from app.gui.source_labels import place_of
from app.gui.window import Window
from resources.failures import ChangedCertificateError

AskAboutChange = Callable[[str, str, Callable[[], None], Callable[[], None]], None]
"""Asks whether a new certificate is to be trusted: address, the recorder's message, what then, what else."""


class ChangedCertificates(QObject):
    """Says that a source that is recorded shows another certificate, until it does not any more."""

    def __init__(
        self, desk: Desk, window: Window, recordings: Recordings, ask: AskAboutChange, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._desk, self._window, self._recordings, self._ask = desk, window, recordings, ask
        recordings.certificate_changed.connect(self._changed)
        desk.sources.certificate_wanted.connect(self.compare)

    def _changed(self, address: str, is_so: bool) -> None:
        text = f"{place_of(address)} shows another certificate than before: nothing is recorded of it."
        if is_so:
            compare = partial(self.compare, address)
            self._window.messages.show_message(text, "critical", button="Compare…", act=compare)
        else:
            self._window.messages.dismiss(text)

    def compare(self, address: str) -> None:
        """Ask whether the new certificate of a source that is recorded is to be trusted."""
        process = self._recordings.process
        messages = (
            one.message
            for one in (process.status.sources if process is not None else ())
            if one.collector == address and one.refusal == ChangedCertificateError.exit_code
        )
        message = next(messages, "")
        if not message:
            self._desk.notify(f"{place_of(address)} shows the certificate that is trusted.", "ok")
            return
        goes_on = f"{place_of(address)} is trusted: its recording goes on within half a minute."
        self._ask(address, message, lambda: self._desk.notify(goes_on, "ok"), lambda: None)
