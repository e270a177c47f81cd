"""Compares the accounts that a vCenter names in tasks and events with our own."""

from __future__ import annotations


def same_account(one: str, other: str) -> bool:
    r"""Return True if two names mean one account.

    ``VSPHERE.LOCAL\Administrator`` and ``administrator@vsphere.local`` do.
    """
    return _plain(one) == _plain(other)


def _plain(user: str) -> str:
    domain, separator, name = user.rpartition("\\")
    return (f"{name}@{domain}" if separator else user).casefold()
