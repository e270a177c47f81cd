"""Whether a change of a session's journal can be one that a test run made.

A session file may come from anywhere, and undoing its journal deletes disks, removes folders and ends
processes. So nothing is undone but what a test changes, by the value that it takes, and nothing is removed
that does not carry the id of the very run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from resources.failures import UsageError
from resources.foreign_text import shown
from resources.guided_tests import GuidedTests, SettingDescription
from sessions.journal import JournalEntry, Setting
from wizards.flows.locks import LOCK, parse_lock
from wizards.flows.plan_rules import setting_of
from wizards.flows.surroundings import kind_of
from workloads.guests.contract import folder_of, scratch_of
from workloads.made_disk import NAME, parse_made_disk

UNDO: Mapping[str, str] = {"lab": "lab", "ssh": "guest", "vcenter": "vsphere"}
"""The code that undoes changes (``JournalEntry.undo``), by the kind of environment."""

_FOLDERS = ("folder", "process")


def objection(entry: JournalEntry, known: GuidedTests) -> str:
    """Return why a change is not undone, as a sentence; empty if it may be."""
    what = f"{shown(entry.setting, 60)} of {shown(entry.object.name, 60)}"
    if entry.undo != UNDO[kind_of(entry.object.source)]:
        return f"{what}: the journal says to undo it by {shown(entry.undo, 40) or 'nothing'}, which can't be."
    if entry.setting == LOCK:
        return _of_lock(entry, what)
    if entry.setting in _FOLDERS or entry.object.kind == "guest":
        return _of_folder(entry, what)
    return _of_disk(entry, what) if entry.setting.startswith("disk:") else _of_setting(entry, what, known)


def _of_lock(entry: JournalEntry, what: str) -> str:
    lock = parse_lock(entry.after)
    is_own = (
        lock is not None and lock.run == entry.run and (entry.before is None or isinstance(entry.before, str))
    )
    return "" if is_own else f"{what} is no lock of run {shown(entry.run)}."


def _of_setting(entry: JournalEntry, what: str, known: GuidedTests) -> str:
    described = setting_of(known, entry.setting)
    if described is None or described.of != entry.object.kind:
        return f"{what}: no test changes that."
    if not (_fits(described, entry.before) and _fits(described, entry.after)):
        return f"{what}: the journal has values that it never takes."
    return ""


def _of_folder(entry: JournalEntry, what: str) -> str:
    own = entry.setting in _FOLDERS and entry.object.kind == "guest" and entry.before is None
    return "" if own and entry.object.id in _places(entry) else f"{what} is none of run {shown(entry.run)}."


def _places(entry: JournalEntry) -> list[str]:
    """The ids that the folders of this run and worker can have."""
    run, name = entry.run, entry.object.name
    if entry.undo == "lab":
        return [f"lab:{name}/{run}"]
    folders = [folder_of(run, name, "linux"), folder_of(run, name, "windows")]
    if entry.undo == "guest":
        return folders
    moid = entry.object.id.partition(":")[0]
    return [f"{moid}:{one}" for folder in folders for one in (folder, scratch_of(folder))]


def _of_disk(entry: JournalEntry, what: str) -> str:
    try:
        run = parse_made_disk(entry.after).run if isinstance(entry.after, str) else ""
    except UsageError:
        run = ""
    is_named = NAME.fullmatch(entry.setting.removeprefix("disk:")) is not None
    own = is_named and entry.object.kind == "VirtualMachine" and entry.before is None and run == entry.run
    return "" if own and run else f"{what} is no disk that run {shown(entry.run)} made."


def _fits(described: SettingDescription, value: Setting) -> bool:
    """Whether it is a value of that kind; what was there before may be beyond what plans may set."""
    if value is None:
        return True
    if described.kind == "flag":
        return isinstance(value, bool)
    if described.kind == "choice":
        return value in described.choices
    if described.kind == "text":
        return isinstance(value, str)
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
