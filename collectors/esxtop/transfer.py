"""Sending results between processes: the chunks of each block by themselves, so that no second copy of all of
them is made on either side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import repeat
from multiprocessing.connection import Connection

from collectors.esxtop.plan import PieceResult

Answer = PieceResult | OSError | MemoryError


def send_answer(answers: Connection, answer: Answer) -> None:
    """Send what ``receive_answer`` returns at the other end; raises OSError when nobody is there."""
    if not isinstance(answer, PieceResult):
        answers.send(answer)
        return
    answers.send(_with_chunks(answer, repeat(b"")))
    for host in answer.hosts:
        for blocks in host.blocks:
            for block in blocks:
                answers.send_bytes(block.data)


def receive_answer(answers: Connection) -> Answer:
    """Receive a whole answer; raises EOFError or OSError when the sender is gone before its end."""
    answer = answers.recv()
    if isinstance(answer, PieceResult):
        return _with_chunks(answer, iter(answers.recv_bytes, None))
    assert isinstance(answer, (OSError, MemoryError))
    return answer


def _with_chunks(result: PieceResult, chunks: Iterator[bytes]) -> PieceResult:
    """The result with these bytes as the chunks of its blocks, one after another."""
    hosts = tuple(
        replace(
            host,
            blocks=tuple(
                tuple(replace(block, data=next(chunks)) for block in blocks) for blocks in host.blocks
            ),
        )
        for host in result.hosts
    )
    return replace(result, hosts=hosts)
