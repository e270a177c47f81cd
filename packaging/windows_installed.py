"""Makes the installer and the zip of the program folder for Windows, and does with them what a user does.

Under Wine: install in silence, open a session by its file, install once more, remove; unpack the zip and run
it. What Wine can't show: that a program that runs can't be replaced (its files can be moved here), and that
the user's registry says whose a file is (Wine 8 asks only the machine's, which is lent it).
"""

from __future__ import annotations

import getpass
import re
import shutil
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from installer import VERSION, find_compiler, make_installer
from windows_bundle import FOLDER, PACKAGING
from windows_runs import Steps, lend
from wine import PREFIX, ROOT, on_windows, run, run_python, started

PROGRAM_ID = "Hyperscope.Session"
CLASSES = r"HKCU\Software\Classes"
REMOVING = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Hyperscope"
SESSION = "Büro 🙂 1.hscope"
TITLE = "One bad night"
"""What the window is called that shows it: as the scenario of the lab."""

SETUP = "hyperscope setup.exe"
IN_USE, REFUSED = 3, 2
"""Exit codes of the installer: Hyperscope runs; it can't be there. Nothing was changed."""

HOME = PREFIX / "drive_c" / "users" / getpass.getuser()
PLACE = HOME / "AppData" / "Local" / "Programs" / "Hyperscope"

AS_TYPED = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1]))"
"""Starts a command line as it is: Wine puts words with blanks between quotes, in which NSIS sees no /D."""

PATIENCE_S = 300.0


def installed_run() -> int:
    """Install, use and remove the program that ``--bundle`` built; print its steps; return 0 or 1."""
    compiler = find_compiler()
    if compiler is None or not (FOLDER / "hyperscope-cli.exe").exists():
        print("windows: it needs NSIS (as root: apt-get install nsis), and the folder that --bundle builds")
        return 1
    with tempfile.TemporaryDirectory(prefix="Büro ") as name:
        steps = Steps(Path(name))
        install_and_remove(steps, FOLDER, compiler, record_and_open)
        portable(steps)
    print(f"{len(steps.passed)} steps passed, {len(steps.failed)} failed")
    return 1 if steps.failed else 0


Use = Callable[[Steps, Path], Path]
"""Uses the program in a folder; returns the session that it made."""


def install_and_remove(steps: Steps, built: Path, compiler: str, use: Use) -> None:
    """Install the program that was built, use it, install it again, remove it. The prefix is as before."""
    setup = steps.folder / SETUP
    # A Wine without its 32-bit half runs no other installer; NSIS's own Windows edition makes only those.
    make_installer(compiler, built, setup, target="amd64-unicode")
    home, place = HOME, PLACE
    entry = home / "AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Hyperscope.lnk"
    steps.holds("nothing is installed", not place.exists() and not entry.exists(), str(place))
    silently(steps, setup)
    steps.holds("its programs are the user's", (place / "hyperscope.exe").exists(), str(place))
    steps.holds("start menu", entry.exists(), str(entry))
    steps.holds("a session is Hyperscope's", registered(rf"{CLASSES}\.hscope") == PROGRAM_ID)
    steps.holds("Windows can remove it", registered(REMOVING, "DisplayVersion") == VERSION)

    session = use(steps, place)
    mine = Path(shutil.copy(session, place / "mine.hscope"))
    silently(steps, setup, "once more")
    steps.holds("what is the user's stays when it is replaced", mine.exists() and whole(place, built))

    run(["/S"], program=place / "uninstall.exe")  # a copy of it goes on alone
    gone = waited(lambda: not (place / "uninstall.exe").exists())
    steps.holds("its files are removed", gone and names_in(place) == ["mine.hscope"], str(names_in(place)))
    steps.holds("sessions are left", session.exists() and mine.exists())
    steps.holds("its entry in the start menu is removed", waited(lambda: not entry.exists()))
    left = [key for key in (rf"{CLASSES}\.hscope", rf"{CLASSES}\{PROGRAM_ID}", REMOVING) if is_key(key)]
    steps.holds("its keys are removed", not left, ", ".join(left))
    mine.unlink(missing_ok=True)
    if place.exists() and not names_in(place):
        place.rmdir()


def silently(steps: Steps, setup: Path, when: str = "") -> None:
    """Install without a question."""
    done = run(["/S"], program=setup)
    steps.holds(f"install in silence {when}".strip(), done.code == 0, f"exit code {done.code}")


def record_and_open(steps: Steps, place: Path) -> Path:
    """Record with the installed program, and open what was recorded by its file."""
    with lent(place):
        steps.program = place / "hyperscope-cli.exe"
        session = steps.folder / SESSION
        demo = ["demo", "--headless", "--duration", "120", "-o", on_windows(session)]
        steps.step("the installed program records", demo)
        open_by_its_file(steps, session)
    told = f"ProductVersion\0{VERSION}".encode("utf-16-le")
    found = told in (place / "hyperscope.exe").read_bytes()
    steps.holds("Windows shows its version", found)
    return session


def open_by_its_file(steps: Steps, session: Path) -> None:
    """Open a session as a double click does; see its window; close it."""
    command = registered(rf"{CLASSES}\{PROGRAM_ID}\shell\open\command")
    steps.holds("it says how a session is opened", command.endswith('hyperscope.exe" gui "%1"'), command)
    with machine_wide(steps):
        done = run([on_windows(session)], program="start")
        shown = not done.code and waited(lambda: bool(windows_of(TITLE)))
    steps.holds("a session opens by its file", shown, f"no window has its name, but {windows_of('.')}")
    code = run(["/S"], program=steps.folder / SETUP).code
    steps.holds("it is not replaced while it runs", code == IN_USE, f"exit code {code}")
    run(["/IM", "hyperscope.exe"], program="taskkill")
    steps.holds("its window closes", waited(lambda: not windows_of(TITLE)))
    steps.holds("the session is one file again", waited(lambda: not list(session.parent.glob("*-wal"))))


def moved_and_refused(steps: Steps, setup: Path, place: Path, words: list[str]) -> None:
    """Install elsewhere than in ``place``, where it can't be, and while ``hyperscope.exe`` runs ``words``
    until its input ends. It is installed elsewhere afterwards.
    """
    silently(steps, setup)
    mine, other = place / "mine.hscope", steps.folder / "Büro für alle" / "Hyper scope"
    mine.write_bytes(b"mine")
    other.parent.mkdir()
    kept = other.parent / "Hyper scope.old" / "theirs.txt"
    kept.parent.mkdir()
    kept.write_bytes(b"theirs")
    steps.holds("it moves to another folder", into(setup, other) == 0 and (other / "uninstall.exe").exists())
    steps.holds("what was the user's stays", names_in(place) == ["mine.hscope"], str(names_in(place)))
    silently(steps, setup, "where it is now")
    steps.holds("an update stays there", names_in(place) == ["mine.hscope"], str(names_in(place)))
    steps.holds("and is no matter of older leftovers", kept.exists() and (other / "uninstall.exe").exists())
    steps.holds("Windows knows where it is", registered(REMOVING, "InstallLocation").endswith("Hyper scope"))

    again = HOME / other.relative_to(steps.folder)
    again.parent.mkdir()
    by_drive = rf"C:\users\{HOME.name}\{again.parent.name}\{again.name}"
    codes = [run(["-c", AS_TYPED, f'"{on_windows(setup)}" /S /D={by_drive}']).code, into(setup, again)]
    steps.holds(
        "another name of its folder is no other folder", codes == [0, 0] and "_internal" in names_in(again)
    )
    codes = [into(setup, other)]
    steps.holds("it moves back", codes == [0] and not again.exists() and "_internal" in names_in(other))
    again.parent.rmdir()

    before = names_in(other)
    code = into(setup, place)
    steps.holds("a folder of somebody else is left", code == REFUSED and names_in(place) == ["mine.hscope"])
    deep = steps.folder / ("x" * (200 - len(str(steps.folder)))) / ("y" * 80)
    steps.holds("a path is too long", into(setup, deep) == REFUSED and not deep.parent.exists())
    process = started(words, program=other / "hyperscope.exe")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    codes = [run(["/S"], program=setup).code]
    remove = f'"{on_windows(other / "uninstall.exe")}" /S _?={on_windows(other)}'
    codes.append(run(["-c", AS_TYPED, remove]).code)
    steps.holds("it is left alone while it runs", codes == [IN_USE, IN_USE], str(codes))
    process.communicate()
    steps.holds("and nothing of it was changed", names_in(other) == before, str(names_in(other)))
    code = run(["-c", AS_TYPED, remove]).code
    steps.holds("it is removed from there", code == 0 and "_internal" not in names_in(other), str(code))
    mine.unlink()
    place.rmdir()


def into(setup: Path, folder: Path) -> int:
    """Install in silence into a folder; return the exit code."""
    return run(["-c", AS_TYPED, f'"{on_windows(setup)}" /S /D={on_windows(folder)}']).code


def portable(steps: Steps) -> None:
    """Pack the folder; unpack it elsewhere; run it there."""
    code = run_python([on_windows(PACKAGING / "packing.py"), "windows-x86_64"])
    archive = ROOT / "dist" / "release" / f"hyperscope-{VERSION}-windows-x86_64.zip"
    steps.holds("packed, with checksum and bill of materials", code == 0 and archive.exists())
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(steps.folder / "auf dem Stick ü")
    steps.program = steps.folder / "auf dem Stick ü" / "hyperscope" / "hyperscope-cli.exe"
    with lent(steps.program.parent):
        steps.step("the portable program runs", ["info", steps.place(SESSION)], holds=TITLE)


@contextmanager
def lent(folder: Path) -> Iterator[None]:
    """Give a program what Wine lacks, for a while."""
    libraries = lend(folder)
    yield
    for library in libraries:
        library.unlink()


@contextmanager
def machine_wide(steps: Steps) -> Iterator[None]:
    """Have what is registered for the user also for the machine: Wine 8 asks only that whose a file is."""
    machine, opening = r"HKLM\Software\Classes", rf"{PROGRAM_ID}\shell\open\command"
    for key in (".hscope", opening):
        add = ["add", rf"{machine}\{key}", "/ve", "/d", registered(rf"{CLASSES}\{key}"), "/f"]
        steps.holds(f"lent to the machine: {key}", run(add, program="reg").code == 0)
    yield
    for key in (".hscope", PROGRAM_ID):
        run(["delete", rf"{machine}\{key}", "/f"], program="reg")


def registered(key: str, name: str = "") -> str:
    """Return a text of the registry; empty if it is not there."""
    done = run(["query", key, *(["/v", name] if name else ["/ve"])], program="reg")
    found = re.search(r"REG_SZ\s+(.*?)\s*$", done.out.decode("utf-8", "replace"), re.MULTILINE)
    return found[1] if found else ""


def is_key(key: str) -> bool:
    """Return True if the registry has a key."""
    return run(["query", key], program="reg").code == 0


def windows_of(name: str) -> list[str]:
    """Return the numbers of the windows on the display whose title has ``name``."""
    found = subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--name", re.escape(name)],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    return found.stdout.split()


def waited(holds: Callable[[], bool], patience_s: float = PATIENCE_S) -> bool:
    """Wait until something holds; return False if it never did."""
    end = time.monotonic() + patience_s
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.5)
    return True


def whole(folder: Path, built: Path) -> bool:
    """Return True if a folder has all files of the program that was built."""
    return all((folder / path.relative_to(built)).exists() for path in built.rglob("*"))


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder, which need not be there."""
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []
