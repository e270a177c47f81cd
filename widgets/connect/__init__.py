"""Dialogs for connecting: addresses and profiles, a password, trust in a certificate."""

from widgets.connect.dialog import ConnectDialog
from widgets.connect.password import PasswordDialog
from widgets.connect.trust import Certificate, TrustDialog
from widgets.connect.values import Kind, Place, Profile, Wanted

__all__ = [
    "Certificate",
    "ConnectDialog",
    "Kind",
    "PasswordDialog",
    "Place",
    "Profile",
    "TrustDialog",
    "Wanted",
]
