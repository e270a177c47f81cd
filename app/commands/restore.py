"""``restore``: undoes what a test changed and did not put back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.options import AsJson, SessionPath
from app.commands.test_options import (
    AgentKeys,
    Attached,
    GuestUser,
    KeyFile,
    PasswordStdin,
    Thumbprints,
)
from app.terminal import print_json, print_line
from resources.failures import SourceError

if TYPE_CHECKING:
    from app.testing.environments import EnvironmentOptions


def restore(
    session: SessionPath,
    guest_user: GuestUser = "",
    key_file: KeyFile = None,
    agent: AgentKeys = True,
    thumbprint: Thumbprints = None,
    password_stdin: PasswordStdin = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what would be put back; nothing is asked.")
    ] = False,
    attached: Attached = False,
    as_json: AsJson = False,
) -> None:
    """Undo what a test changed and did not put back, newest first, from the journal of its session.

    What still has the value that the test set gets the one from before; what somebody else changed meanwhile
    is left alone and named. It can be repeated.
    """
    from app.commands.test_options import environment_options  # noqa: PLC0415 - after the help
    from app.testing.left import saying_what_is_left  # noqa: PLC0415
    from app.testing.restoring import restore_session  # noqa: PLC0415
    from sessions.store import SessionReader  # noqa: PLC0415
    from wizards.flows.result import change_lines  # noqa: PLC0415
    from workloads.journal import changes_json  # noqa: PLC0415

    if dry_run:
        with SessionReader.open(session) as reader:
            entries = [one for one in reader.journal() if one.is_open]
    else:
        options = environment_options(
            guest_user=guest_user,
            key_file=key_file,
            agent=agent,
            thumbprints=thumbprint,
            password_stdin=password_stdin,
        )
        if attached:
            _restore_for_window(Path(session), options)
            return
        with saying_what_is_left(Path(session)):
            entries = restore_session(Path(session), options)
    if as_json:
        print_json({"changes": changes_json(entries)})
    elif dry_run:
        changes = "1 change is" if len(entries) == 1 else f"{len(entries)} changes are"
        print_line(f"{changes} to be put back.")
        for one in reversed(entries):
            print_line(f"  {one.setting} of {one.object.name}: {one.after} → {one.before}")
    else:
        for line in change_lines(entries):
            print_line(line)
    if not dry_run and any(one.is_open for one in entries):
        raise SourceError(
            "Not everything could be put back.",
            advice="See why above, mend it, and run 'hyperscope restore' again: nothing is done twice.",
        )


def _restore_for_window(session: Path, options: EnvironmentOptions) -> None:
    """Restore, asking the window that started us, and tell it what it came to."""
    from app.testing.asking import answering, tell  # noqa: PLC0415 - after the help
    from app.testing.messages import PutBack  # noqa: PLC0415
    from app.testing.restoring import restore_session  # noqa: PLC0415
    from wizards.flows.change_count import count_changes  # noqa: PLC0415

    with answering(options) as asking:
        count = count_changes(restore_session(session, asking))
    tell(PutBack(count.back, count.left, count.open))
