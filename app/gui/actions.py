"""The table of the window's actions, from which menus, palette, shortcut sheet and docs are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from widgets.keys import KeyRow

Menu = Literal["File", "Edit", "View", "Go", "Record", "Help", ""]
Context = Literal[
    "window",
    "charts",
    "esxtop",
    "timeline",
    "inventory",
    "findings",
    "heatmap",
    "tests",
    "compare",
    "report",
    "moved",
    "troubleshoot",
]


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """An action of the window. ``keys`` are portable names (Ctrl is Cmd on macOS); the first one is
    displayed.

    ``context`` is where the keys work: in the whole window, or in a view that has the focus.
    ``needs_session``: the action is disabled without a session. ``managed``: the action's handler enables and
    disables it itself. ``line``: the menu has a line above it. ``checkable``: it has a check
    mark.
    """

    id: str
    title: str
    menu: Menu = ""
    keys: tuple[str, ...] = ()
    icon: str = ""
    help: str = ""
    context: Context = "window"
    needs_session: bool = False
    managed: bool = False
    line: bool = False
    checkable: bool = False


ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("file.connect", "Connect…", "File", ("Ctrl+N",), "connect", "Record live: vCenter, esxtop …"),
    ActionSpec("file.open", "Open a session…", "File", ("Ctrl+O",), "open", "Look at a recorded session."),
    ActionSpec(
        "file.import",
        "Import captures or logs…",
        "File",
        ("Ctrl+I",),
        "import",
        "What esxtop -b wrote, or logs of ESXi.",
    ),
    ActionSpec(
        "file.lab", "Try the lab", "File", ("Ctrl+Shift+T",), "lab", "A simulated cluster with problems."
    ),
    ActionSpec(
        "file.save", "Save what has the focus…", "File", ("Ctrl+S",), "save",
        "The table, list or chart with the keyboard focus, as a file.", needs_session=True, line=True,
    ),
    ActionSpec(
        "file.report", "Put into the report", "File", ("Ctrl+Shift+A",), "print",
        "What is shown: the charts, the finding, the guided run or the comparison.", needs_session=True,
    ),
    ActionSpec(
        "file.export", "Export the session…", "File", ("Ctrl+E",), "export",
        "Samples and records as CSV or Parquet files.", needs_session=True,
    ),
    ActionSpec(
        "file.export_scope", "Export the scope…", "File", ("Ctrl+Shift+E",), "",
        "Only the entities, the time and the sources that the scope bar names.", needs_session=True,
    ),
    ActionSpec(
        "file.another", "Another window on this session", "File", ("Ctrl+Shift+N",), "window",
        "With its own scope and layout; it can stay open alone.", needs_session=True, line=True,
    ),
    ActionSpec(
        "file.reveal", "Show the session in its folder", "File", (), "folder", needs_session=True,
    ),
    ActionSpec(
        "file.close", "Close the session", "File", ("Ctrl+W",), "close", needs_session=True,
    ),
    ActionSpec("file.preferences", "Preferences…", "File", ("Ctrl+,",), "settings", line=True),
    ActionSpec("file.quit", "Quit", "File", ("Ctrl+Q",), line=True),
    ActionSpec(
        "edit.undo", "Undo", "Edit", ("Ctrl+Z",), "undo",
        "What you did to marks, to the notes of guided runs and to charts since the session was opened.",
        managed=True,
    ),
    ActionSpec(
        "edit.redo", "Redo", "Edit", ("Ctrl+Shift+Z", "Ctrl+Y"), "redo",
        "Makes the change again that was undone last.", managed=True,
    ),
    ActionSpec(
        "edit.copy", "Copy", "Edit", ("Ctrl+C",), "copy",
        "What is chosen where the keyboard focus is; without a choice, the whole table.", line=True,
    ),
    ActionSpec(
        "edit.menu", "Context menu of what has the focus", "Edit", ("Shift+F10", "Menu"), "",
        "As a right click on it.",
    ),
    ActionSpec(
        "record.mark", "Drop a mark", "Record", ("M",), "mark",
        "A note on the time axis: at the pinned moment, else now, or where what is shown ends.",
        needs_session=True,
    ),
    ActionSpec(
        "record.pause", "Pause recording", "Record", ("Ctrl+Shift+P",), "pause", managed=True, line=True,
    ),
    ActionSpec(
        "record.stop", "Stop recording", "Record", ("Ctrl+.", "Ctrl+Shift+."), "stop",
        "A test's load ends at once, and everything that it changed is put back.", managed=True,
    ),
    ActionSpec(
        "record.add", "Add a source to the recording…", "Record", (), "add",
        "A host's esxtop, a guest, or another vCenter, beside what is recorded.", managed=True,
    ),
    ActionSpec("record.resume", "Resume recording into this session", "Record", (), "record", managed=True),
    ActionSpec("record.detach", "Go on recording without the window", "Record", managed=True),
    ActionSpec("go.back", "Back", "Go", ("Alt+Left",), "back", "To what you looked at before."),
    ActionSpec("go.forward", "Forward", "Go", ("Alt+Right",), "forward"),
    ActionSpec(
        "go.follow", "Follow the live edge", "Go", ("L",), "follow", "Keeps the newest samples in view.",
        needs_session=True, line=True, checkable=True,
    ),
    ActionSpec(
        "go.all", "The whole session", "Go", ("Home",), "expand", "All entities, the whole time.",
        needs_session=True,
    ),
    ActionSpec(
        "go.release", "Release the moment", "Go", ("Esc",), "close",
        "Lets go of the moment that a click pinned in charts, timeline or heat map.", managed=True,
    ),
    ActionSpec(
        "go.moment", "Show the pinned moment", "Go", (), "pin",
        "Moves the shown time, if the pinned moment is outside of it.", managed=True,
    ),
    ActionSpec(
        "go.scope", "Type what to look at…", "Go", ("Ctrl+L",), "", "Names, times, counters.",
        needs_session=True, line=True,
    ),
    ActionSpec(
        "go.up", "Up", "Go", ("Alt+Up",), "", "From a part to its VM, to its host, to everything.",
        needs_session=True,
    ),
    ActionSpec(
        "go.troubleshoot", "Troubleshoot what is chosen", "Go", ("Ctrl+T",), "troubleshoot",
        "The entity and the time that are shown; without one, the worst problem.", needs_session=True,
        line=True,
    ),
    ActionSpec(
        "go.compare", "Compare the shown time with before", "Go", ("Ctrl+B",), "compare",
        "The time that is shown against as long a time right before it.", needs_session=True,
    ),
    ActionSpec(
        "go.search", "Search the inventory", "Go", ("Ctrl+F",), "search",
        "Opens the inventory if it is closed.", needs_session=True,
    ),
    ActionSpec("go.palette", "Commands and entities…", "Go", ("Ctrl+K",), "search", "Everything by name."),
    ActionSpec("view.reset", "Restore the standard layout", "View"),
    ActionSpec(
        "view.menu_bar", "Menu bar", "View", (), "", "Without it, a button in the top bar opens the menu.",
        checkable=True,
    ),
    ActionSpec("view.menu", "Open the menu", "", ("F10",), "menu", "Alt alone opens it, too."),
    ActionSpec(
        "view.messages", "Messages so far", "View", (), "messages", "Said since it was opened.",
    ),
    ActionSpec(
        "times.other", "Time zone…", "View", (), "timeline", "Of every time that is shown, typed or copied.",
    ),
    ActionSpec("times.local", "Times in this computer's zone"),
    ActionSpec("times.utc", "Times in UTC"),
    ActionSpec("times.host", "Times in the zone of the hosts"),
    ActionSpec("view.theme", "Switch between dark and light", "View", ("Ctrl+Shift+L",), "theme"),
    ActionSpec(
        "help.focus", "Help on what has the focus", "Help", ("F1",), "help",
        "A finding's problem, the columns of an esxtop screen, or what a view shows.",
    ),
    ActionSpec("help.shortcuts", "Shortcuts", "Help", ("?",), "keyboard"),
    ActionSpec("help.guide", "Five-minute guide", "Help", (), "help"),
    ActionSpec(
        "help.counters", "Counters of the recorded servers", "Help", (), "",
        "What a vCenter counts that Hyperscope does not know, and what it lacks.", needs_session=True,
    ),
    ActionSpec("help.about", "About Hyperscope", "Help", (), "info"),
)  # fmt: skip

_BY_ID = {spec.id: spec for spec in ACTIONS}


def action(identity: str) -> ActionSpec:
    """Return the action with this id; KeyError if there is none."""
    return _BY_ID[identity]


def view_actions(context: Context, rows: Sequence[KeyRow]) -> tuple[ActionSpec, ...]:
    """Return the keys of a view as actions, for the shortcut sheet and the docs."""
    return tuple(ActionSpec(f"{context}.{row.id}", row.title, keys=row.keys, context=context) for row in rows)
