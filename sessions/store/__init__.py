"""The session file: one SQLite database with one writer and many readers. ``schema`` describes the tables."""

from sessions.store.blocks import BLOCK_TICKS, EncodedBlock, encode_block
from sessions.store.check import check_session
from sessions.store.gathering import Gathering
from sessions.store.hundredths import NOTHING, Int32Array, numbers_of
from sessions.store.info import SessionInfo
from sessions.store.reader import SessionReader
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
    "check_session",
    "encode_block",
    "numbers_of",
]
