"""The session file: one SQLite database with one writer and many readers. ``schema`` describes the tables.

A name is loaded when somebody asks for it: who only encodes blocks (a worker process of an import) or only
writes needs neither the reader nor SQLite, which take a while to load.
"""

from typing import TYPE_CHECKING

from resources.lazy_names import lazy_names

if TYPE_CHECKING:
    from sessions.store.blocks import BLOCK_TICKS, EncodedBlock, encode_block
    from sessions.store.check import check_session
    from sessions.store.gathering import Gathering
    from sessions.store.hundredths import NOTHING, Int32Array, numbers_of
    from sessions.store.info import SessionInfo
    from sessions.store.opening import remove_session
    from sessions.store.reader import SessionReader
    from sessions.store.signature import begins_like_session
    from sessions.store.waiting_runs import WaitingRuns, has_waiting
    from sessions.store.writer import SessionWriter

__all__ = [
    "BLOCK_TICKS",
    "NOTHING",
    "EncodedBlock",
    "Gathering",
    "Int32Array",
    "SessionInfo",
    "SessionReader",
    "SessionWriter",
    "WaitingRuns",
    "begins_like_session",
    "check_session",
    "encode_block",
    "has_waiting",
    "numbers_of",
    "remove_session",
]

if not TYPE_CHECKING:  # else mypy would take any name for one of these
    __getattr__ = lazy_names(
        __name__,
        {
            "BLOCK_TICKS": "blocks",
            "EncodedBlock": "blocks",
            "encode_block": "blocks",
            "check_session": "check",
            "Gathering": "gathering",
            "NOTHING": "hundredths",
            "Int32Array": "hundredths",
            "numbers_of": "hundredths",
            "SessionInfo": "info",
            "remove_session": "opening",
            "SessionReader": "reader",
            "begins_like_session": "signature",
            "WaitingRuns": "waiting_runs",
            "has_waiting": "waiting_runs",
            "SessionWriter": "writer",
        },
    )
