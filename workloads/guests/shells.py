"""How a fixed script is handed to a guest's shell over ssh: ``sh`` on Linux, PowerShell on Windows.

The command line never has anything in it but fixed text. PowerShell gets one that reads the script itself
from the first line of its stdin, because Windows' command lines end at 8,191 characters.
"""

from __future__ import annotations

import base64
import shlex

from resources.guest_scripts import guest_script
from workloads.job_file import Guest

_BOOTSTRAP = (
    "$script = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String([Console]::In.ReadLine())); "
    "& ([ScriptBlock]::Create($script))"
)


def script_of(guest: Guest, *names: str) -> str:
    """Return one script of several parts (``disks``, ``check``) for a guest's shell."""
    ending = "sh" if guest == "linux" else "ps1"
    return "".join(guest_script(f"{name}.{ending}") for name in names)


def command_line(guest: Guest, script: str) -> str:
    """Return the command line that runs a fixed script, whatever the login shell is."""
    if guest == "linux":
        return f"exec sh -c {shlex.quote(script)}"
    encoded = base64.b64encode(_BOOTSTRAP.encode("utf-16-le")).decode("ascii")
    return f"powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -EncodedCommand {encoded}"


def stdin_of(guest: Guest, script: str, told: bytes) -> bytes:
    """Return what a script's stdin gets so that the script itself reads ``told``."""
    return told if guest == "linux" else base64.b64encode(script.encode("utf-8")) + b"\n" + told


def content_of(guest: Guest, content: bytes) -> bytes:
    """Return a file's content as the script ``put`` reads it: Windows' stdin is text."""
    return content if guest == "linux" else base64.b64encode(content) + b"\n"


def joined(guest: Guest, folder: str, name: str) -> str:
    """Return the path of a file in a folder of a guest."""
    return f"{folder}/{name}" if guest == "linux" else f"{folder}\\{name}"
