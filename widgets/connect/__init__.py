"""Asking where to connect to, for passwords, and whether a certificate is the right one."""

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
