"""What must hold on a Windows beyond its first seven steps: a line for each, and the figures at the end.

Export, a guided test, processes that are killed, names in each code page; then tests of recordings in the
window, and the window on the display, with a real mouse and real keys (the scenes of ``tests/e2e``).
"""

from __future__ import annotations

import json
import shutil
import socketserver
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from windows_runs import Steps, basics
from wine import on_windows, run, started

SCENES = ("moment", "charts", "lab", "compare", "guided test")
"""Scenes of tests/e2e/scenes.py that need no server and no second program."""

CODE_PAGES = {
    "cp1252": {"PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"},
    "cp850": {"PYTHONUTF8": "0", "PYTHONIOENCODING": "cp850"},
    "UTF-8": {"PYTHONUTF8": "1"},
}
"""What a pipe's encoding is before the program says its own. ``chcp`` is tried nowhere: it sets the page of a
console, on which Python writes UTF-16, and under Wine nothing in a pipe has a console.
"""

TESTS = {
    "tests/gui/test_recording.py": (
        "test_the_recorders_death_is_shown_and_resumed",
        "test_closing_asks_what_is_to_become_of_it",
        "test_a_window_that_is_killed_ends_its_recorder_in_good_order",
        "test_a_recording_is_shown_followed_paused_and_stopped",
    ),
    "tests/recorder/test_record_lab.py": (
        "test_a_window_that_dies_ends_it",
        "test_marks_and_pauses",
        "test_it_goes_on_with_a_recording",
    ),
}
"""Killing the child, and quitting while it records."""

KILL_AFTER_S = 5.0
NO_FONTS = "Cannot find font directory"
"""What Qt says once under Wine, and what alone is no failure; every other warning is one, as elsewhere."""


def long_run() -> int:
    """Run all that must hold; print a line for each; return 0 or 1."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="Büro ") as name:
        steps = Steps(Path(name))
        basics(steps)
        recorded(steps)
        guided(steps)
        killed(steps)
        code_pages(steps)
        tests(steps)
        walk(steps, SCENES)
    minutes = (time.monotonic() - begun) / 60
    print(f"{len(steps.passed)} steps passed, {len(steps.failed)} failed, in {minutes:.0f} minutes")
    return 1 if steps.failed else 0


def recorded(steps: Steps) -> None:
    """Record the lab, and export what was recorded."""
    session = steps.place("Aufnahme 🙂.hscope")
    record = [
        "record",
        "lab:cpu-limit-vm?fields=diagnosis",
        "-o",
        session,
        "--speed",
        "0",
        "--duration",
        "5m",
    ]
    steps.step("record the lab", record)
    steps.step("the recording is whole", ["info", session, "--check", "--json"], holds='"complete"')
    steps.step(
        "export it", ["export", session, "-o", steps.place("Ausfuhr 数据"), "--csv", "--entity", "host:*"]
    )
    samples = list((steps.folder / "Ausfuhr 数据").glob("*.csv"))
    steps.holds("what is exported is there", bool(samples))
    nameless = steps.place("ohne Namen.hscope")
    steps.step("export it without names", ["export", session, "-o", nameless, "--anonymise"])


def guided(steps: Steps) -> None:
    """A guided test in the lab, to its verdict; one that is killed, and put back."""
    plan, session = steps.place("SIOC 🙂.toml"), steps.place("SIOC 🙂.hscope")
    steps.step("plan a test", ["test", "plan", "sioc-shares", "lab:congested", "-o", plan])
    steps.step("check a test", ["test", "check", plan])
    steps.step("run a test", ["test", "run", plan, "--yes", "-o", session], holds="Storage I/O Control")
    steps.step("nothing is left to put back", ["restore", session])


def killed(steps: Steps) -> None:
    """Kill a recorder while it writes: what it wrote is whole, and the next one goes on."""
    path = steps.folder / "gekillt.hscope"
    record = ["record", "lab:cpu-limit-vm?fields=diagnosis", "-o", on_windows(path), "--speed", "20"]
    process = started(["-P", "-m", "app", *record, "--json"])
    reader = threading.Thread(target=process.communicate)
    reader.start()
    while not path.exists() and process.poll() is None:
        time.sleep(0.5)
    time.sleep(KILL_AFTER_S)
    alive = process.poll() is None
    process.kill()
    reader.join()
    steps.holds("a recorder is killed while it writes", alive)
    steps.step("what it wrote is whole", ["info", on_windows(path), "--check"])
    steps.step("the next one goes on", [*record, "--speed", "0", "--duration", "2m"])
    left = sorted(one.name for one in steps.folder.glob("gekillt*") if one != path)
    steps.holds("it is one file again", not left, ", ".join(left))


def code_pages(steps: Steps) -> None:
    """Names with umlauts and emoji through pipes of each code page: out is what came in, in UTF-8."""
    for page, environment in CODE_PAGES.items():
        session = steps.place("Büro 🙂 数据.hscope")
        done = steps.step(f"names in a pipe of {page}", ["info", session, "--json"], environment=environment)
        steps.holds(
            f"… as JSON in UTF-8 ({page})", "Büro 🙂" in json.dumps(_json(done.out), ensure_ascii=False)
        )


def _json(text: bytes) -> object:
    try:
        return json.loads(text.decode("utf-8"))
    except ValueError:
        return None


def tests(steps: Steps) -> None:
    """The window and its recorder: kills, and quitting while it records; drawn by Qt's own Windows."""
    words = [f"{path}::{test}" for path, chosen in TESTS.items() for test in chosen]
    for word in words:
        done = run(
            ["-m", "pytest", "-q", "-o", f"qt_log_ignore={NO_FONTS}", word],
            environment={"QT_QPA_PLATFORM": "windows"},
        )
        text = (done.out + done.err).decode("utf-8", "replace")
        steps.holds(word.rpartition("::")[2].replace("_", " "), done.code == 0, text[-3000:])


def walk(steps: Steps, scenes: Sequence[str]) -> None:
    """Play scenes in the window on the display, with a real mouse and real keys."""
    if shutil.which("openbox") is None:
        steps.holds(
            "the window, by mouse and keys", passed=False, why="needs openbox (apt-get install openbox)"
        )
        return
    quiet, ill = steps.place("demo.hscope"), steps.place("Büro 🙂 数据.hscope")
    with ExitStack() as held:
        # Wine's windows take no umlaut from xdotool.
        plain = held.enter_context(tempfile.TemporaryDirectory())
        picture = on_windows(Path(plain) / "charts.png")
        arguments = {"moment": [quiet], "charts": [ill, picture]}
        held.enter_context(window_manager())
        address = held.enter_context(hands())
        for scene in scenes:
            home = steps.folder / scene
            home.mkdir()
            words = ["-m", "tests.e2e.scenes", scene, on_windows(home), *arguments.get(scene, [])]
            here = {
                "HYPERSCOPE_HANDS": address, "QT_QPA_PLATFORM": "windows",
                "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            }  # fmt: skip
            done = run(words, environment=here)
            steps.holds(f"scene: {scene}", done.code == 0, done.err.decode("utf-8", "replace")[-3000:])


@contextmanager
def window_manager() -> Iterator[None]:
    """Somebody who gives the keyboard to the window that is clicked."""
    manager = subprocess.Popen(["openbox", "--sm-disable"], stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        manager.terminate()
        manager.wait()


@contextmanager
def hands() -> Iterator[str]:
    """Serve on an address that has hands: Wine's programs can't start xdotool."""
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Hand)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        serving.join()


class _Hand(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        words = json.loads(self.rfile.readline())
        code = subprocess.run(["xdotool", *words], check=False).returncode
        self.wfile.write(f"{code}\n".encode())
