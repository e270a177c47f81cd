"""Runs Hyperscope from a fresh clone, on a machine that has nothing but Python 3.11 or newer.

    python run.py              the workbench on the embedded lab (without a display: the same, headless)
    python run.py test         every check and the tests, with all that they need
    python run.py test --all   with those, too, that measure more than they test (half an hour)
    python run.py lint         formatting, lint, types and layers only
    python run.py bench        the benchmarks, each beside its peer; writes benchmarks/RESULTS.md
    python run.py bundle       the program as one folder that needs no Python (dist/)
    python run.py windows      the program with a Windows Python, under Wine (packaging/windows.py says how)
    python run.py lock         resolve the requirement files anew (developers)
    python run.py ARGS…        anything else goes to hyperscope: python run.py import capture.csv -o s.hscope

The guided tests are commands of hyperscope, too: python run.py test list, test plan, test run …

Standard library only. It makes .venv beside this file from the hash-locked files in requirements/ and makes
it again when those change. On Debian and Ubuntu it installs missing system packages when it is root, else it
prints the command to run. For tests and benchmarks it builds the simulated vCenters into .cache/go-bin, with
the machine's Go or the one in .venv.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
COMPILED = ROOT / ".cache" / "pycache"
OLDEST = (3, 11)

# What each kind of work installs; the later ones hold all of the earlier ones.
LEVELS = ("run", "test", "bench")
LOCKS = {"run": (), "test": ("--group", "dev"), "bench": ("--group", "dev", "--group", "bench")}

# System packages of Debian and Ubuntu; a|b: either will do, a is installed.
WINDOW = (
    "libegl1 libgl1 libxkbcommon0 libxkbcommon-x11-0 libdbus-1-3 libxcb-cursor0 libxcb-icccm4 "
    "libxcb-keysyms1 libxcb-shape0 libxcb-image0 libxcb-render-util0 libxcb-randr0 libxcb-xinerama0 "
    "libfontconfig1"
)
TESTS = (
    f"{WINDOW} xvfb openssh-server fio nginx-light|nginx openbox xdotool tidy poppler-utils "
    "fonts-inter|fonts-noto-core busybox|busybox-static faketime"
)

# What 'hyperscope test' does; any other argument of 'run.py test' is for pytest.
GUIDED = frozenset(["check", "gain", "job", "jobs", "list", "look", "own", "plan", "resume", "run", "show"])

# Half of the tests wait for other processes most of the time: recorders, servers, windows. Some wait for
# minutes, which needs no core: those are begun first, by workers of their own (tests/order.py).
TESTS_A_CORE, WAITING_TESTS = 2, 2

# Where pytest keeps the names of the tests that failed, its exit code then, and how many may be run again.
FAILED = ROOT / ".cache" / "pytest-whole"
SOME_FAILED, MOST_RACES = 1, 12

# The simulated vCenters: ours, and govmomi's as its users have it (the newest that installs this way).
GO_BIN = ROOT / ".cache" / "go-bin"
GO_OLDEST = (1, 24)
SERVER = ROOT / "tests" / "vcenter" / "server"
GOVMOMI = {name: f"github.com/vmware/govmomi/{name}@v0.46.0" for name in ("vcsim", "govc")}


def main(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name; return the exit code."""
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        return fail(f"Python {found} is too old.", f"Install Python {OLDEST[0]}.{OLDEST[1]} or newer.")
    verbs = {
        "test": test,
        "lint": only_lint,
        "bench": bench,
        "bundle": bundle,
        "windows": windows,
        "lock": lock,
    }
    is_guided = len(arguments) > 1 and arguments[0] == "test" and arguments[1] in GUIDED
    if arguments and arguments[0] in verbs and not is_guided:
        return verbs[arguments[0]](arguments[1:])
    if opens_window(arguments):
        packages(WINDOW)  # those that can't be installed here are named by the program once more
    # -P: a folder called app where the user stands must not be taken for ours.
    return prepare("run") or python("-P", "-m", "app", *(arguments or ("demo",)))


def opens_window(arguments: Sequence[str]) -> bool:
    """Return True if these arguments need Qt: the window, the self-test, the demo unless headless."""
    displayed = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if not arguments:
        return displayed
    if arguments[0] == "demo":
        return displayed and not {"--headless", "--json", "-o", "--help"}.intersection(arguments)
    return arguments[0] in ("gui", "selftest") and "--help" not in arguments


def test(arguments: Sequence[str]) -> int:
    """Run lint and the tests; arguments go to pytest (then only these tests run). Returns the exit code."""
    if code := prepare("test") or packages(TESTS):
        return code
    is_whole = list(arguments) == ["--all"]
    if arguments and not is_whole:  # a few: those that need what could not be built are skipped, and say so
        simulators()
        return python("-m", "pytest", *arguments, where=ROOT)
    building = begin_simulators()  # meanwhile: a minute or two on a fresh machine
    collecting = begin_collecting()
    linted = lint()
    collecting.wait()
    ready = end_simulators(building) or linted
    return ready or every_test(is_whole=is_whole)


def every_test(*, is_whole: bool = False) -> int:
    """Run the tests on all cores, also the thorough ones if ``is_whole``; return the exit code.

    A few that fail are run again, alone: what then passes raced with a busy machine. It is named, to be
    mended, but it does not make the run red; what fails twice, or many that fail, do.
    """
    shutil.rmtree(FAILED, ignore_errors=True)
    chosen = () if is_whole else ("-m", "not thorough")
    common = ("-q", "--hypothesis-profile=ci", "-o", f"cache_dir={FAILED}", *chosen)
    workers = str(TESTS_A_CORE * (os.cpu_count() or 1) + WAITING_TESTS)
    code = python("-m", "pytest", "-n", workers, "--dist", "worksteal", *common, where=ROOT)
    failed = failed_tests()
    if code != SOME_FAILED or not 0 < len(failed) <= MOST_RACES:
        return code
    say(f"{len(failed)} failed on a busy machine; now alone …")
    report = FAILED / "alone.xml"
    again = ("--last-failed", "--last-failed-no-failures=none", f"--junitxml={report}")
    code = python("-m", "pytest", *again, *common, where=ROOT)
    if code == 0 and 'skipped="0"' not in report.read_text(encoding="utf-8"):
        return fail("A test that failed was skipped when it ran alone.", "Run it by its name.")
    if code == 0:
        for name in failed:
            say(f"RACED: {name} failed beside other tests and passed alone. Its race is a defect: mend it.")
    return code


def failed_tests() -> list[str]:
    """Return the names of the tests that failed in the last whole run, as pytest's cache has them."""
    try:
        return sorted(json.loads((FAILED / "v" / "cache" / "lastfailed").read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return []


def bench(arguments: Sequence[str]) -> int:
    """Run the benchmarks, with their peers installed; return the exit code."""
    ready = prepare("bench") or packages(TESTS) or simulators()
    return ready or python("-m", "benchmarks", *arguments, where=ROOT)


def bundle(arguments: Sequence[str]) -> int:
    """Build the program as one folder; return the exit code."""
    ready = prepare("test") or packages(f"{WINDOW} xvfb xauth")  # what was built is started on a display
    return ready or python("packaging/bundle.py", *arguments, where=ROOT)


def windows(arguments: Sequence[str]) -> int:
    """Run the program with a Windows Python, under Wine; return the exit code."""
    return prepare("run") or python("packaging/windows.py", *arguments, where=ROOT)


def only_lint(_arguments: Sequence[str]) -> int:
    """Run lint in an environment that has the tools; return the exit code."""
    return prepare("test") or lint()


def lint() -> int:
    """Check formatting, lint, types, layers and generated pages: all of them run, side by side; returns the
    first failing exit code.
    """
    checks: tuple[tuple[str, ...], ...] = (
        ("-m", "ruff", "format", "--check", "."),
        ("-m", "ruff", "check", "."),
        ("-m", "mypy"),
        ("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"),
        ("docs/generate.py", "--check"),
    )
    codes = []
    with ThreadPoolExecutor() as pool:
        for check, done in zip(checks, pool.map(checked, checks), strict=True):
            say("checking: " + " ".join(word for word in check if not word.startswith("-"))[:60])
            print(done.stdout, end="", flush=True)
            codes.append(done.returncode)
    return next((code for code in codes if code), 0)


def checked(check: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run one check to its end; return what it said."""
    command, both = [str(PYTHON), *check], subprocess.STDOUT
    return subprocess.run(
        command, cwd=ROOT, env=python_environment(), stdout=subprocess.PIPE, stderr=both, encoding="utf-8",
        check=False,
    )  # fmt: skip


def prepare(level: str) -> int:
    """Create or renew .venv with the requirements of ``level``; return 0 or an exit code."""
    have = installed_level()
    if have is not None and LEVELS.index(have) >= LEVELS.index(level):
        return 0
    if not PYTHON.exists() and (code := make_venv()):
        return code
    say(f"installing what '{level}' needs into {VENV.name} …")
    # Hashes are checked, and nothing is built: a package without a wheel for this machine is an error here.
    code = python(
        *("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"),
        *("--require-hashes", "--only-binary", ":all:", "-r", str(lock_file(level))),
    )
    if code:
        return fail(
            "The packages could not be installed.",
            "Look at pip's message above; it needs a package index, or a proxy set as pip expects it.",
        )
    stamp_file().write_text(f"{level}\n{fingerprint()}\n", encoding="utf-8")
    return 0


def make_venv() -> int:
    """Create .venv; on Debian and Ubuntu install the package that their Python lacks for this.

    Returns the exit code.
    """
    say(f"making {VENV.name} …")
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode == 0:
        return 0
    name = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    line = f"apt-get install -y {name}"
    if "ensurepip" not in done.stdout + done.stderr or not shutil.which("apt-get"):
        return fail("Python could not make a virtual environment.", (done.stderr or done.stdout).strip())
    if os.name != "posix" or os.geteuid() != 0:  # type: ignore[unused-ignore,attr-defined]
        return fail("This Python comes without its venv module.", f"Run: sudo {line}")
    say(f"installing {name} …")
    subprocess.run(["apt-get", "update", "-qq"], check=False)
    subprocess.run(line.split(), check=False, stdout=subprocess.DEVNULL)
    return subprocess.run(command, check=False).returncode


def packages(names: str) -> int:
    """Install missing system packages, on Debian or Ubuntu as root, or where a CI's user may be root without
    being asked; else print the command to run.
    """
    if not (shutil.which("apt-get") and shutil.which("dpkg-query")):
        return 0
    wanted = [choice.split("|") for choice in names.split()]
    form = "-f=${Package} ${db:Status-Status}\n"
    command = ["dpkg-query", "-W", form, *(name for choice in wanted for name in choice)]
    listed = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    there = {
        name
        for name, _, status in (line.partition(" ") for line in listed.splitlines())
        if status == "installed"
    }
    missing = [choice[0] for choice in wanted if there.isdisjoint(choice)]
    if not missing:
        return 0
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing]
    is_root = os.geteuid() == 0  # type: ignore[unused-ignore,attr-defined]
    asking = [] if is_root else ["sudo", "-n", "--preserve-env=DEBIAN_FRONTEND"]
    if not is_root and not (os.environ.get("CI") and shutil.which("sudo")):
        say(f"System packages are missing. Run: sudo {' '.join(install)}")
        return 0
    say(f"installing {' '.join(missing)} …")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run([*asking, "apt-get", "update", "-qq"], check=False)
    done = subprocess.run([*asking, *install], check=False, env=environment, stdout=subprocess.DEVNULL)
    if done.returncode:
        return fail(
            "System packages could not be installed.", f"Look at apt-get's message above: {' '.join(install)}"
        )
    return 0


def simulators() -> int:
    """Build the simulated vCenters that are missing or older than their source; return 0 or an exit code."""
    return end_simulators(begin_simulators())


def begin_collecting() -> subprocess.Popen[bytes]:
    """Start collecting the tests, which compiles them: else each of pytest's processes would compile all.

    What is wrong with a test is said when the tests run.
    """
    command = [str(PYTHON), "-m", "pytest", "--collect-only", "-qq"]
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=ROOT, env=python_environment(), stdout=nowhere, stderr=nowhere)


def begin_simulators() -> list[subprocess.Popen[bytes]] | None:
    """Start Go for each simulator that must be built; None when there is no Go."""
    jobs: list[tuple[str, ...]] = []
    if modules := [module for name, module in GOVMOMI.items() if not built(name).exists()]:
        jobs.append(("install", *modules))
    stamp = server_stamp()
    fresh = stamp.is_file() and stamp.read_text(encoding="utf-8") == server_source()
    if not fresh or not built("testvcenter").exists():
        jobs.append(("build", "-buildvcs=false", "-o", str(built("testvcenter")), "."))
    if not jobs:
        return []
    go = find_go()
    if go is None:
        return None
    say("building the simulated vCenters …")
    GO_BIN.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "GOBIN": str(GO_BIN)}
    return [subprocess.Popen([go, *job], cwd=SERVER, env=environment) for job in jobs]


def end_simulators(building: list[subprocess.Popen[bytes]] | None) -> int:
    """Wait for Go to finish; return 0 or an exit code."""
    if building is None:
        return fail("There is no Go to build the simulated vCenters with.", "Remove .venv and try again.")
    codes = [work.wait() for work in building]
    if any(codes):
        return fail(
            "The simulated vCenters could not be built.",
            "Look at Go's message above; it needs its modules once, from a module proxy or a cache.",
        )
    if building:
        server_stamp().write_text(server_source(), encoding="utf-8")
    return 0


def server_source() -> str:
    """Return a hash of the test vCenter's source."""
    source = hashlib.sha256()
    for path in [*sorted(SERVER.glob("*.go")), SERVER / "go.mod", SERVER / "go.sum"]:
        source.update(path.read_bytes())
    return source.hexdigest()


def server_stamp() -> Path:
    """Return the path of the file that holds the source hash of the built test vCenter."""
    return GO_BIN / "testvcenter.sha256"


def built(name: str) -> Path:
    """Return the path of a simulator's built program."""
    return GO_BIN / (f"{name}.exe" if os.name == "nt" else name)


def find_go() -> str | None:
    """Return the path of a Go that is new enough: the machine's, else the one in .venv; None without any."""
    for go in (shutil.which("go"), shutil.which("go", path=str(PYTHON.parent))):
        if go is None:
            continue
        output = subprocess.run([go, "version"], check=False, capture_output=True, text=True).stdout
        version = re.search(r"go(\d+)\.(\d+)", output)
        if version and (int(version[1]), int(version[2])) >= GO_OLDEST:
            return go
    return None


def installed_level() -> str | None:
    """Return the level that .venv was made for; None if it is missing, broken or outdated."""
    try:
        level, made_from = stamp_file().read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return None
    return level if level in LEVELS and made_from == fingerprint() and PYTHON.exists() else None


def fingerprint() -> str:
    """Return a hash of the lock files and of the Python that makes .venv."""
    digest = hashlib.sha256(repr(sys.version_info[:2]).encode())
    for level in LEVELS:
        digest.update(lock_file(level).read_bytes())
    return digest.hexdigest()[:32]


def lock_file(level: str) -> Path:
    """Return the path of a level's requirement file."""
    return ROOT / "requirements" / f"{level}.txt"


def stamp_file() -> Path:
    """Return the path of the file that says what .venv holds."""
    return VENV / "hyperscope-installed.txt"


def lock(arguments: Sequence[str]) -> int:
    """Resolve every requirement file for Windows, macOS and Linux, CPython 3.11 and newer, with hashes."""
    if code := prepare("run"):
        return code
    code = python(
        *("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"),
        *("-r", str(lock_file("lock"))),
    )
    options = (
        *("--quiet", "--universal", "--python-version", ".".join(map(str, OLDEST)), "--generate-hashes"),
        *("--no-annotate", "--no-header", "--no-emit-index-url"),
    )
    for level, groups in LOCKS.items():
        target = str(lock_file(level).relative_to(ROOT))
        code = code or python(
            *("-m", "uv", "pip", "compile", *options, *groups, *arguments, "-o", target, "pyproject.toml"),
            where=ROOT,
        )
    return code


def python(*arguments: str, where: Path | None = None) -> int:
    """Run .venv's Python in the current folder (or in ``where``) and return its exit code."""
    with subprocess.Popen([str(PYTHON), *arguments], env=python_environment(), cwd=where) as child:
        while True:
            try:
                return child.wait()
            except KeyboardInterrupt:
                continue  # Ctrl-C went to the child as well: let it clean up and say so


def python_environment() -> dict[str, str]:
    """Return the environment of .venv's Python: modules importable from anywhere, compiled once, UTF-8."""
    environment = {
        **os.environ,
        "PYTHONUTF8": "1",  # on a Windows console and in its pipes, too
        "PYTHONPATH": str(ROOT),
        "PYTHONPYCACHEPREFIX": str(COMPILED),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # it would have every process compile our modules anew
    return environment


def say(text: str) -> None:
    """Print a message on stderr, apart from the program's own output."""
    print(text, file=sys.stderr, flush=True)


def fail(what: str, try_this: str) -> int:
    """Print what is wrong and what to do, a line each; return the exit code for failure."""
    say(f"run.py: {what}\n        {try_this}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
