"""Damaged and forged replies: each is read or refused in one sentence, and none costs more than its size."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from collectors.esxtop_service.checks import check
from collectors.esxtop_service.counter_info import CounterInfo, read_counter_info
from collectors.esxtop_service.reply import decode
from resources.failures import DisconnectedError
from tests.esxtop_service.genuine import counter_info, needs_genuine, reply_bytes
from tests.esxtop_service.small_host import COUNTER_INFO, REPLY

NUMBERS = (b"0", b"-1", b"4294967295", b"18446744073709551615", b"9" * 30, b"", b"|", b"1e9", b"\xff\xfe")


def mutant(whole: bytes, chance: random.Random) -> bytes:
    """The reply with one to four things done to it."""
    text = whole
    for _ in range(chance.randint(1, 4)):
        at, length = chance.randrange(len(text) + 1), chance.choice((1, 3, 40, 4000))
        way = chance.randrange(6)
        if way == 0:
            text = text[:at]
        elif way == 1:
            text = text[:at] + bytes(chance.randrange(256) for _ in range(min(length, 40))) + text[at:]
        elif way == 2:
            text = text[:at] + text[at + length :]
        elif way == 3:
            text = text[:at] + text[at : at + length] + text[at:]
        elif way == 4:
            begin = text.rfind(b"|", 0, at) + 1
            end = text.find(b"|", at)
            text = text[:begin] + chance.choice(NUMBERS) + text[end if end >= 0 else len(text) :]
        else:
            text = text.replace(
                chance.choice((b"\n", b"|", b"1", b"VCPU")), chance.choice((b"", b"|", b"2")), 1
            )
    return text


def outcome(text: bytes, info: CounterInfo) -> str:
    try:
        check(decode(text, info))
    except DisconnectedError as error:
        said = str(error)
    else:
        return "read"
    assert "\n" not in said
    assert len(said) < 300
    return "refused"


def test_every_mutant_of_a_small_reply_is_read_or_refused() -> None:
    chance, info = random.Random(14), read_counter_info(COUNTER_INFO)
    outcomes = [outcome(mutant(REPLY.encode(), chance), info) for _ in range(4000)]
    assert outcomes.count("refused") > 1000
    assert outcomes.count("read") > 200


@needs_genuine
def test_every_mutant_of_the_genuine_reply_is_read_or_refused() -> None:
    chance = random.Random(15)
    outcomes = [outcome(mutant(reply_bytes(), chance), counter_info()) for _ in range(60)]
    assert outcomes.count("refused") > 10


@needs_genuine
def test_memory_is_bound_by_the_replys_size() -> None:
    """Whatever a reply announces: nothing is made that its own lines don't fill."""
    whole, info = reply_bytes(), counter_info()
    forged = whole.replace(b"|PCPU|56|28|2|", b"|PCPU|4294967295|4294967295|2|")
    decode(whole, info)
    tracemalloc.start()
    try:
        with pytest.raises(DisconnectedError):
            decode(forged, info)
        refused = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        kept = decode(whole, info)
        read = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(kept["VCPU"]) == 833
    assert refused < 16 * len(whole)
    assert read < 16 * len(whole)
