"""A Windows to try things on: prepares Wine with a Windows Python, and runs programs there.

What it is made of: CPython 3.13 for Windows, laid out as on Windows; the wheels for Windows of this
checkout's locks, hashes checked; Microsoft's C runtime, as another package ships it, since numpy calls what
Wine's lacks; and three small libraries made here, of what Windows has and Wine lacks.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("WINE_CACHE") or Path.home() / ".cache" / "hyperscope-wine")
PYTHON = CACHE / "python"
SITE = PYTHON / "Lib" / "site-packages"
PREFIX = CACHE / "prefix"
TOOLS = CACHE / "tools" / "bin"

CPYTHON = "org.bytedeco:cpython:3.13.5-1.5.12:jar:windows-x86_64"
C_RUNTIME = "org.openjfx:javafx-graphics:17.0.2:jar:win"
IN_CPYTHON = "org/bytedeco/cpython/windows-x86_64/"

PACKAGES = {
    "wine": "wine wine64 fonts-liberation",
    "Xvfb": "xvfb",
    "x86_64-w64-mingw32-ld": "binutils-mingw-w64-x86-64",
    "mvn": "maven",
    "xdotool": "xdotool",
}
"""What brings each program that is needed, on Debian."""

NATIVE = "ucrtbase=n,b;winemenubuilder.exe=d;mscoree=d;mshtml=d"
WINES_OWN = ("ucrtbase.dll", "bcryptprimitives.dll", "icuuc.dll")
"""What a program folder finds on every Windows 10 and not in Wine."""

WITHOUT_CPP = f"{NATIVE};msvcp140=n;msvcp140_1=n"
"""As a Windows that never had the Visual C++ redistributable."""


LINGER_S = 5.0
"""How long what a process that has ended wrote may take to be read."""


class NotPreparedError(Exception):
    """Wine or the Windows Python is not there, and can't be made here."""


# ---- what it runs on


def is_prepared() -> bool:
    """Return True if Wine and the Windows Python are there and have the packages that this checkout locks."""
    return (
        shutil.which("wine") is not None
        and (CACHE / "prefix.made").exists()
        and _text(CACHE / "wheels.stamp") == _locked()
    )


def prepare() -> None:
    """Make what is missing. Raises NotPreparedError, CalledProcessError or OSError."""
    install_programs()
    CACHE.mkdir(parents=True, exist_ok=True)
    make_tools()
    make_python()
    make_wheels()
    make_prefix()
    if not (PYTHON / "LICENSE.txt").exists():  # which that package leaves out; it goes into what is built
        shutil.copy(Path(sysconfig.get_path("stdlib")) / "LICENSE.txt", PYTHON)


def install_programs() -> None:
    """Install the Debian packages that are missing. Raises NotPreparedError where that can't be done."""
    missing = " ".join(packages for program, packages in PACKAGES.items() if not shutil.which(program))
    if not missing:
        return
    if not shutil.which("apt-get") or os.geteuid() != 0:
        raise NotPreparedError(f"install {missing} first (as root: apt-get install {missing})")
    say(f"installing {missing} …")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=quiet)
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing.split()]
    subprocess.run(install, check=True, env=quiet, stdout=subprocess.DEVNULL)


def make_tools() -> None:
    """Install uv, of the version that the checkout locks, and a reader of Windows libraries."""
    if (TOOLS / "uv").exists():
        return
    subprocess.run([sys.executable, "-m", "venv", str(CACHE / "tools")], check=True)
    pip = [str(TOOLS / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    lock = ROOT / "requirements" / "lock.txt"
    subprocess.run([*pip, "--require-hashes", "--no-deps", "-r", str(lock)], check=True)
    subprocess.run([*pip, "pefile"], check=True)


def make_python() -> None:
    """Unpack the Windows Python."""
    if (PYTHON / "python.exe").exists():
        return
    say("unpacking the Windows Python …")
    jars, new = CACHE / "jars", CACHE / "python.new"
    for folder in (jars, new):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for artifact in (CPYTHON, C_RUNTIME):
        fetch = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={jars}"]
        subprocess.run(fetch, check=True)
    with zipfile.ZipFile(next(jars.glob("cpython-*.jar"))) as jar:
        for name in jar.namelist():
            inside = name.removeprefix(IN_CPYTHON)
            if inside != name and not inside.startswith(("lib/test/", "include/")) and not name.endswith("/"):
                _unpack(jar, name, new / _windows_place(inside))
    for library in [*(new / "DLLs").glob("vcruntime140*.dll"), new / "bin" / "pythonw.exe"]:
        shutil.copy(library, new)
    (new / "DLLs" / "_wmi.pyd").unlink()  # Wine lacks what it calls; Python does without
    with zipfile.ZipFile(next(jars.glob("javafx-graphics-*.jar"))) as jar:
        _unpack(jar, "ucrtbase.dll", new / "ucrtbase.dll")
    new.rename(PYTHON)


def _windows_place(name: str) -> Path:
    """Where a file lies on Windows: libraries in DLLs, beside Lib."""
    path = Path(name)
    if path.parent == Path("lib"):
        return Path("DLLs" if path.suffix in (".pyd", ".dll") else "Lib") / path.name
    return Path("Lib", *path.parts[1:]) if path.parts[0] == "lib" else path


def _unpack(jar: zipfile.ZipFile, name: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with jar.open(name) as source, target.open("wb") as file:
        shutil.copyfileobj(source, file)


def make_wheels() -> None:
    """Install the Windows wheels that this checkout locks, again whenever its locks change."""
    stamp = CACHE / "wheels.stamp"
    if _text(stamp) == _locked():
        return
    say("installing the Windows wheels …")
    stamp.unlink(missing_ok=True)
    shutil.rmtree(SITE, ignore_errors=True)
    SITE.mkdir(parents=True)
    # pip's own --platform takes the markers of the machine that it runs on.
    uv = [str(TOOLS / "uv"), "pip", "install", "-q", "--python-platform", "x86_64-pc-windows-msvc"]
    uv += ["--python-version", "3.13", "--target", str(SITE), "--only-binary", ":all:", "--require-hashes"]
    subprocess.run([*uv, "-r", str(_lock_file())], check=True)
    make_libraries()
    stamp.write_text(_locked() + "\n", encoding="ascii")


def make_libraries() -> None:
    """Make three libraries that Windows has and that Wine, or this Python, lacks."""
    exported = _symbols(PYTHON / "python313.dll", "DIRECTORY_ENTRY_EXPORT")
    rare = _symbols(SITE / "PySide6" / "Qt6Core.dll", "icuuc.dll")
    _make_library("python3", [f"{name} = python313.{name}" for name in exported])  # the stable ABI
    _make_library(
        "bcryptprimitives", ["ProcessPrng = advapi32.SystemFunction036"]
    )  # random numbers, for Rust
    _make_library(
        "icuuc", [f"{name} = nothing" for name in rare]
    )  # Qt's rarer encodings: it has none of them


_LIST_SYMBOLS = """
import sys, pefile
library = pefile.PE(sys.argv[1], fast_load=True)
library.parse_data_directories(directories=[0, 1])
if sys.argv[2] == "DIRECTORY_ENTRY_EXPORT":
    found = library.DIRECTORY_ENTRY_EXPORT.symbols
else:
    of = sys.argv[2].encode()
    imported = [entry for entry in library.DIRECTORY_ENTRY_IMPORT if entry.dll.lower() == of]
    found = [one for entry in imported for one in entry.imports]
print("\\n".join(one.name.decode() for one in found if one.name))
"""


def _symbols(library: Path, what: str) -> list[str]:
    """Names that a Windows library exports, or that it imports from the library ``what``."""
    listing = [str(TOOLS / "python"), "-c", _LIST_SYMBOLS, str(library), what]
    return subprocess.run(listing, check=True, capture_output=True, text=True).stdout.split()


def _make_library(name: str, exports: Sequence[str]) -> None:
    folder = CACHE / "shims"
    folder.mkdir(exist_ok=True)
    definition, source, code = folder / f"{name}.def", folder / "nothing.s", folder / "nothing.o"
    definition.write_text(f"LIBRARY {name}.dll\nEXPORTS\n" + "".join(f"  {line}\n" for line in exports))
    source.write_text(".text\n.globl nothing\nnothing:\n xorl %eax, %eax\n ret\n")
    subprocess.run(["x86_64-w64-mingw32-as", str(source), "-o", str(code)], check=True)
    link = ["x86_64-w64-mingw32-ld", "-shared", "--entry=0", "-o", str(PYTHON / f"{name}.dll")]
    subprocess.run([*link, str(code), str(definition)], check=True)


def make_prefix() -> None:
    """Make Wine's own Windows: version 10, with folders of its own for documents."""
    made = CACHE / "prefix.made"
    if made.exists():
        return
    say("making the Wine prefix …")
    with display():
        environment = _environment({})
        version = ["reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f"]
        for words in (["wine", "wineboot", "-i"], ["wine", *version], ["wineserver", "-w"]):
            subprocess.run(words, check=True, env=environment, capture_output=True)
    for place in (PREFIX / "drive_c" / "users").glob("*/*"):
        if place.is_symlink():  # Documents and Desktop are not the Linux user's
            place.unlink()
            place.mkdir()
    made.touch()


# ---- running


@dataclass
class Ran:
    """What a process of the Windows Python left."""

    code: int
    out: bytes = b""
    err: bytes = b""


@contextmanager
def display() -> Iterator[None]:
    """A display for windows: the one that is there, else an Xvfb of our own."""
    if os.environ.get("DISPLAY"):
        yield
        return
    reading, writing = os.pipe()
    screen = ["-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), *screen], pass_fds=[writing], stderr=subprocess.DEVNULL
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as number:
            os.environ["DISPLAY"] = f":{number.readline().strip()}"
        yield
    finally:
        os.environ.pop("DISPLAY", None)
        with suppress(subprocess.TimeoutExpired):  # what Wine leaves running for a moment looks at it, too
            subprocess.run(["wineserver", "-w"], check=False, env=_environment({}), timeout=10)
        server.terminate()
        server.wait()


def run_python(words: Sequence[str]) -> int:
    """Run the Windows Python with our streams; return its exit code."""
    return run(words, out=sys.stdout.buffer, err=sys.stderr.buffer, stdin=sys.stdin.buffer).code


def run(
    words: Sequence[str],
    *,
    program: Path | str | None = None,
    environment: Mapping[str, str] | None = None,
    out: BinaryIO | None = None,
    err: BinaryIO | None = None,
    stdin: BinaryIO | None = None,
) -> Ran:
    """Run the Windows Python on this checkout, or another ``program`` (a file, or a name that Wine knows);
    return what it printed, unless ``out`` and ``err`` took it.

    Python under Wine has only pipes as streams: a file or a null device is an invalid handle there. Without a
    piped ``stdin`` it gets one that says nothing and ends with the process.
    """
    process = started(words, program=program, environment=environment)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    done = Ran(0)
    readers = [
        threading.Thread(target=_pass_on, args=(source, target, kept), daemon=True)
        for source, target, kept in (
            (process.stdout, out, lambda text: _add(done, "out", text)),
            (process.stderr, err, lambda text: _add(done, "err", text)),
        )
    ]
    if stdin is not None and not stdin.isatty():
        threading.Thread(target=_feed, args=(stdin, process.stdin), daemon=True).start()
    for reader in readers:
        reader.start()
    done.code = process.wait()
    for reader in readers:  # Wine's own processes, which the first of ours started, keep its pipes for long
        reader.join(LINGER_S)
    with suppress(OSError):  # what it did not read
        process.stdin.close()
    return done


def started(
    words: Sequence[str],
    *,
    program: Path | str | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start what ``run`` runs; return the process, whose streams are pipes."""
    return subprocess.Popen(
        ["wine", str(program or PYTHON / "python.exe"), *words],
        env=_environment(environment or {}), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip


def _pass_on(source: BinaryIO, target: BinaryIO | None, keep: Callable[[bytes], None]) -> None:
    with source:
        while chunk := os.read(source.fileno(), 1 << 16):
            if target is None:
                keep(chunk)
            else:
                target.write(chunk)
                target.flush()


def _add(done: Ran, name: str, text: bytes) -> None:
    setattr(done, name, getattr(done, name) + text)


def _feed(source: BinaryIO, target: BinaryIO) -> None:
    try:
        while chunk := os.read(source.fileno(), 1 << 16):
            target.write(chunk)
            target.flush()
        target.close()
    except (OSError, ValueError):  # the process has ended
        pass


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    return {
        **kept,
        "WINEPREFIX": str(PREFIX),
        "WINEDEBUG": os.environ.get("WINEDEBUG", "-all"),
        "WINEDLLOVERRIDES": NATIVE,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": on_windows(ROOT),
        **more,
    }


def on_windows(path: Path) -> str:
    """Return a path of this machine as Wine's programs name it."""
    return "Z:" + str(path).replace("/", "\\")


def say(text: str) -> None:
    """Say on stderr what takes a while."""
    print(f"windows: {text}", file=sys.stderr, flush=True)


def _lock_file() -> Path:
    return ROOT / "requirements" / "test.txt"


def _locked() -> str:
    return hashlib.sha256(_lock_file().read_bytes()).hexdigest() + "  -"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""
