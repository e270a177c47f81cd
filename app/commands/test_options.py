"""Options that the commands of guided tests share: how environments are opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from app.testing.environments import EnvironmentOptions

EnvironmentAddresses = Annotated[
    list[str],
    typer.Argument(
        metavar="ENVIRONMENT",
        help="vcenter://user@host, lab:default, or ssh://user@guest for each guest.",
        show_default=False,
    ),
]
GuestUser = Annotated[
    str,
    typer.Option(metavar="USER", help="The account of the workers' guests, through VMware Tools."),
]
Workers = Annotated[
    list[str] | None,
    typer.Option("--worker", metavar="GLOB", help="VMs that do the I/O: perf-w*; repeatable."),
]
KeyFile = Annotated[
    Path | None,
    typer.Option("--key", metavar="FILE", help="A private key for guests over ssh.", show_default=False),
]
AgentKeys = Annotated[bool, typer.Option("--agent/--no-agent", help="Also try the keys of the ssh agent.")]
Thumbprints = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SHA256",
        help="The certificate or host key that it must have; repeat in the order of the addresses.",
        show_default=False,
    ),
]
PasswordStdin = Annotated[
    bool,
    typer.Option("--password-stdin", help="Read passwords from stdin: a line for each address, in order."),
]
Attached = Annotated[
    bool, typer.Option("--attached", help="Ask on stdout, answered on stdin, for a window that starts it.")
]
"""Of a command that ends with one answer."""
AttachedRun = Annotated[
    bool, typer.Option("--attached", help="Take commands from stdin, for a window that starts it.")
]
"""Of a command that runs a test."""
Yes = Annotated[bool, typer.Option("--yes", help="Don't ask before load and changes begin.")]


def environment_options(
    *,
    workers: Sequence[str] | None = (),
    guest_user: str = "",
    key_file: Path | None = None,
    agent: bool = True,
    thumbprints: Sequence[str] | None = (),
    password_stdin: bool = False,
) -> EnvironmentOptions:
    """Return the options as environments are opened with, asking at the terminal."""
    from app.recording.origins import RecordOptions  # noqa: PLC0415 - after the help
    from app.testing.environments import EnvironmentOptions  # noqa: PLC0415
    from collectors.vsphere.options import VSphereOptions  # noqa: PLC0415
    from connections.secrets import can_prompt  # noqa: PLC0415
    from recorder.stdin_lines import PasswordLines, StdinLines  # noqa: PLC0415

    passwords = PasswordLines(StdinLines()) if password_stdin else None
    record = RecordOptions(
        VSphereOptions(),
        thumbprints=thumbprints or (),
        next_password=passwords.beginning_at(0) if passwords is not None else None,
        ask_here=typed_yes if can_prompt() and passwords is None else None,
    )
    return EnvironmentOptions(record, tuple(workers or ()), guest_user, key_file, agent, passwords=passwords)


def typed_yes(question: str) -> bool:
    """Ask a yes-or-no question at the terminal."""
    from app.consoles import notices  # noqa: PLC0415 - after the help
    from app.terminal import read_typed_line  # noqa: PLC0415

    notices().print(question, end="")
    answer = read_typed_line(lambda: False) or ""
    return answer.strip().lower() in ("y", "yes")
