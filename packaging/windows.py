"""Runs Hyperscope with a Windows Python under Wine, on Debian or Ubuntu.

    python run.py windows ARGS…              hyperscope ARGS, as on Windows
    python run.py windows --python ARGS…     python ARGS: -c …, a script, -m pytest FILE
    python run.py windows --tests [ARGS…]    the tests that make sense there: see ``wine_quirks.toml``
    python run.py windows --short            what must work: start, lab, import, diagnose, window, self-test
    python run.py windows --long             also export, a guided test, kills, code pages, mouse and keys
    python run.py windows --bundle           build the Windows program folder, and run it as a user would
    python run.py windows --installer        of that folder an installer and a zip: install, use, remove

The first run fetches everything by name from registries (Debian, Maven Central, the Python package index)
into ``~/.cache/hyperscope-wine``: about 1.6 GB. ``wine.py`` says what it is made of.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from windows_bundle import build
from windows_installed import installed_run
from windows_long import long_run
from windows_runs import short_run
from wine import NotPreparedError, display, prepare, run_python

QUIRKS = Path(__file__).with_name("wine_quirks.toml")


def main(arguments: Sequence[str]) -> int:
    """Prepare what is missing and run; return the exit code."""
    try:
        prepare()
    except (NotPreparedError, subprocess.CalledProcessError, OSError) as error:
        print(f"windows: {error}", file=sys.stderr)
        return 1
    first, rest = (arguments[0], list(arguments[1:])) if arguments else ("", [])
    with display():
        runs = {"--short": short_run, "--long": long_run, "--bundle": build, "--installer": installed_run}
        if first in runs:
            return runs[first]()
        if first == "--tests":
            return run_python(["-m", "pytest", *chosen_tests(rest)])
        if first == "--python":
            return run_python(rest)
        return run_python(["-P", "-m", "app", *arguments])


def chosen_tests(arguments: Sequence[str]) -> list[str]:
    """Return pytest's arguments: those given, else the folders that make sense; not what Wine can't do."""
    known = tomllib.loads(QUIRKS.read_text(encoding="utf-8"))
    chosen = list(arguments) or list(known["folders"])
    return ["-q", *chosen, *(f"--deselect={one['test']}" for one in known["quirk"])]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
