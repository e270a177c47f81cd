"""The frozen program's entry point: the same as ``python -m app``; without arguments it opens the window."""

from __future__ import annotations

import io
import multiprocessing
import os
import sys
from collections.abc import Callable, MutableMapping, Sequence

from app.__main__ import main

STOP_SIGN = 0x10
LONGEST = 2000


class Said(io.FileIO):
    """The null device, which knows what was written to it last."""

    def __init__(self) -> None:
        super().__init__(os.devnull, "wb")
        self.last = b""

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        """Keep the data."""
        self.last = (self.last + bytes(data))[-LONGEST:]
        return len(data)


def message_box(text: str) -> None:
    """Show a text in a window of its own (Windows)."""
    import ctypes  # noqa: PLC0415 - only where nothing else can be shown

    ctypes.windll.user32.MessageBoxW(None, text, "Hyperscope", STOP_SIGN)  # type: ignore[attr-defined,unused-ignore]


def run_by_a_click(
    arguments: Sequence[str], run: Callable[[], int], show: Callable[[str], None] = message_box
) -> int:
    """Run the program that a link or a file started, where there is no console: what it would say there
    before it ends with a failure is shown. Commands, which somebody may wait for, never wait for a click.
    """
    if sys.stderr is not None or arguments[:1] not in ([], ["gui"]):
        return run()
    with Said() as said:
        sys.stderr = io.TextIOWrapper(said, encoding="utf-8", write_through=True)
        code = run()
        sys.stderr.close()
        sys.stderr = None
        if code and (text := said.last.decode("utf-8", "replace").strip()):
            show(text.removeprefix("hyperscope: "))
    return code


def give_back_library_path(environment: MutableMapping[str, str]) -> None:
    """Let programs of the system that we start (a browser, a file manager) find their own libraries.

    PyInstaller's loader points this variable at ours on Linux, and keeps what was there under another name.
    Our own libraries are found all the same: the system read the variable when this process began.
    """
    before = environment.pop("LD_LIBRARY_PATH_ORIG", None)
    environment.pop("LD_LIBRARY_PATH", None)
    if before:
        environment["LD_LIBRARY_PATH"] = before


if __name__ == "__main__":
    multiprocessing.freeze_support()
    if sys.platform.startswith("linux"):
        give_back_library_path(os.environ)
    sys.exit(run_by_a_click(sys.argv[1:], main) if sys.platform == "win32" else main())
