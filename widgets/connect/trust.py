"""The dialog that shows an unknown or changed certificate and asks whether to trust it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from resources.foreign_text import breakable, shown
from widgets.elided_label import ElidedLabel
from widgets.theme import Theme, figures_font

_WIDTH = 620
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Certificate:
    """A server's certificate or host key: server, thumbprint, why it is not trusted, and the thumbprint
    trusted before.
    """

    place: str
    sha256: str
    why: str = ""
    before: str = ""
    is_host_key: bool = False

    @property
    def thing(self) -> str:
        """What it is: a certificate, or the host key of a machine that is reached over ssh."""
        return "host key" if self.is_host_key else "certificate"

    @property
    def digest(self) -> str:
        """What ``sha256`` is called."""
        return "fingerprint" if self.is_host_key else "thumbprint"


class TrustDialog(QDialog):
    """Signals: ``trusted`` if the user confirms the certificate; ``rejected`` otherwise, also on Escape and
    Enter.
    """

    trusted = Signal()

    def __init__(self, theme: Theme, certificate: Certificate, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("trust")
        self.setWindowTitle(f"{certificate.thing.capitalize()} of {certificate.place}")
        changed = bool(certificate.before)
        tokens = theme.tokens
        title = ElidedLabel(certificate.place)
        title.setProperty("role", "display")
        state = QLabel(
            f"▲ Its {certificate.thing} is not the one that was trusted before"
            if changed
            else f"◆ Its {certificate.thing} is not trusted"
        )
        state.setStyleSheet(f"color: {tokens.critical if changed else tokens.warning}; font-weight: 600")
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(title)
        column.addWidget(state)
        column.addWidget(_text_label(_meaning(certificate)))
        self.shown = _thumbprint(f"SHA-256 {certificate.digest} that it shows now", certificate.sha256)
        column.addWidget(self.shown)
        if changed:
            column.addWidget(
                _thumbprint(f"SHA-256 {certificate.digest} that was trusted", certificate.before)
            )
        copy = QPushButton(f"Copy the {certificate.digest}")
        copy.setProperty("role", "ghost")
        copy.setAutoDefault(False)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(certificate.sha256))
        self.no = QPushButton("Do not connect")
        self.no.setDefault(True)
        self.no.clicked.connect(self.reject)
        self.yes = QPushButton("It is the right one: trust it")
        self.yes.setAutoDefault(False)
        self.yes.clicked.connect(self._trust)
        buttons = QHBoxLayout()
        buttons.addWidget(copy)
        buttons.addStretch(1)
        buttons.addWidget(self.yes)
        buttons.addWidget(self.no)
        column.addStretch(1)
        column.addSpacing(8)
        column.addLayout(buttons)
        self.setMinimumWidth(_WIDTH)
        self.no.setFocus()

    def _trust(self) -> None:
        self.accept()
        self.trusted.emit()


def _meaning(certificate: Certificate) -> str:
    who = breakable(shown(certificate.place, _LONGEST))
    if certificate.before:
        return (
            f"Either the {certificate.thing} was renewed, or someone in between poses as {who}. No password "
            "was sent. Ask its administrators before you trust the new one."
        )
    why = f" ({breakable(shown(certificate.why))})" if certificate.why else ""
    if certificate.is_host_key:
        return (
            f"Each machine has a host key of its own{why}, and so has somebody in between who wants the "
            f"password. Compare the fingerprint with what the console of {who} shows (ssh-keygen -lf); it is "
            "remembered then."
        )
    return (
        f"A certificate made by {who} itself looks like this{why}, and so does one of somebody in between "
        "who wants the password. Compare the thumbprint with what its console shows; it is remembered then."
    )


def _text_label(text: str) -> QLabel:
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
    label.setProperty("role", "muted")
    return label


def _thumbprint(title: str, sha256: str) -> QFrame:
    card = QFrame()
    card.setProperty("role", "card")
    head = QLabel(title)
    head.setProperty("role", "caps")
    pairs = sha256.split(":")
    half = (len(pairs) + 1) // 2
    figures = QLabel("\n".join((":".join(pairs[:half]), ":".join(pairs[half:]))).strip())
    figures.setFont(figures_font())
    figures.setTextFormat(Qt.TextFormat.PlainText)
    figures.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    figures.setAccessibleName(f"{title}: {sha256}")
    column = QVBoxLayout(card)
    column.setContentsMargins(12, 8, 12, 10)
    column.setSpacing(4)
    column.addWidget(head)
    column.addWidget(figures)
    return card
