"""A Python that has loaded the program and becomes it, as often as it is asked, each time as a new process.

Loading takes longer than what most commands of a test do. ``tests.warm_starts`` starts this, and says which
processes begin here.
"""

from __future__ import annotations

import array
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import socket
import sys
from dataclasses import dataclass
from typing import Any

os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # as app/__main__.py has it; who forks must have one thread

from diagnosis.compiled import compile_problems
from lab import load_scenarios
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from tests.warm_starts import LENGTH_BYTES

_STREAMS = 3
_PACKAGES = ("app.commands", "diagnosis", "sessions.store", "viewmodels.report")
_ALONE = ("collectors.vsphere.collector", "wizards.flows.engine", "workloads.vsphere.environment")
"""What is loaded, with all that it needs: every module of packages, and modules of their own."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a process is to become, and with what: ``descriptors`` are its stdin, stdout and stderr."""

    module: str
    arguments: tuple[str, ...]
    is_isolated: bool
    folder: str
    environment: dict[str, str]
    new_session: bool
    group: int
    umask: int
    descriptors: tuple[int, ...] = ()


def load() -> None:
    """Load what most commands need, and hide it from the garbage collector, which would copy its pages."""
    for name in _PACKAGES:
        package = importlib.import_module(name)
        for one in pkgutil.iter_modules(package.__path__, f"{name}."):
            importlib.import_module(one.name)
    for name in _ALONE:
        importlib.import_module(name)
    load_catalogue()
    load_scenarios()
    compile_problems(load_problems())
    gc.collect()
    gc.freeze()


def next_order(link: socket.socket) -> Order:
    """Fork for each order that comes, and say the new process's id; return only in that new process.

    It is a grandchild, whose parent ends: so it becomes a child of the process that asked, which has made
    itself the one that takes orphans.
    """
    while True:
        order = _received(link)
        heard, told = os.pipe()
        first = os.fork()
        if first == 0:
            second = os.fork()
            if second == 0:
                link.close()
                os.close(heard)
                os.close(told)
                return order
            os.write(told, str(second).encode())
            os._exit(0)
        os.close(told)
        for one in order.descriptors:
            os.close(one)
        os.waitpid(first, 0)
        link.sendall(os.read(heard, 32).ljust(32))
        os.close(heard)


def _received(link: socket.socket) -> Order:
    numbers = array.array("i")
    head, ancillary, _flags, _from = link.recvmsg(
        LENGTH_BYTES, socket.CMSG_SPACE(_STREAMS * numbers.itemsize)
    )
    if not head:
        os._exit(0)  # who asked is gone
    for _level, _kind, data in ancillary:
        numbers.frombytes(data)
    left, content = int.from_bytes(head, "big"), b""
    while left:
        content += (more := link.recv(left))
        left -= len(more)
    told: dict[str, Any] = json.loads(content)
    return Order(**{**told, "arguments": tuple(told["arguments"]), "descriptors": tuple(numbers)})


def become(order: Order) -> None:
    """Give this process what a new one has of its own: streams, environment, folder, group."""
    if order.new_session:
        os.setsid()
    elif order.group >= 0:
        os.setpgid(0, order.group)
    os.umask(order.umask)
    os.environ.clear()
    os.environ.update(order.environment)
    os.chdir(order.folder)
    for number, one in enumerate(order.descriptors):
        os.dup2(one, number)
    os.closerange(_STREAMS, max(order.descriptors) + 1)
    by_byte = bool(order.environment.get("PYTHONUNBUFFERED"))
    sys.stdin = sys.__stdin__ = _stream(0, "surrogateescape")  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = _stream(1, "surrogateescape", by_byte=by_byte)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _stream(2, "backslashreplace", by_byte=by_byte)  # type: ignore[misc]
    sys.argv = ["-m", *order.arguments]
    if not order.is_isolated:
        sys.path[0] = order.folder


def _stream(number: int, errors: str, *, by_byte: bool = False) -> io.TextIOWrapper:
    """A standard stream as Python makes it in UTF-8 mode."""
    raw = io.FileIO(number, "w" if number else "r", closefd=False)
    buffer = raw if by_byte else io.BufferedWriter(raw) if number else io.BufferedReader(raw)
    by_line = raw.isatty() or number == 2
    return io.TextIOWrapper(buffer, "utf-8", errors, "\n", line_buffering=by_line, write_through=by_byte)


if __name__ == "__main__":
    load()
    _order = next_order(socket.socket(fileno=int(sys.argv[1])))
    become(_order)
    runpy._run_module_as_main(_order.module)  # type: ignore[attr-defined] # as ``python -m`` does it
