"""Dialogs for connecting: sources and profiles, a password, trust in a certificate."""

from widgets.connect.dialog import ConnectDialog
from widgets.connect.password import PasswordDialog
from widgets.connect.trust import Certificate, TrustDialog
from widgets.connect.values import Kind, Place, Profile, Trouble, Wanted

__all__ = [
    "Certificate",
    "ConnectDialog",
    "Kind",
    "PasswordDialog",
    "Place",
    "Profile",
    "Trouble",
    "TrustDialog",
    "Wanted",
]
