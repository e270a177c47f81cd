"""Blobs give back what was packed, bit by bit, and never more than their row declares."""

from __future__ import annotations

import random
from collections.abc import Callable, Sized
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.model import FloatArray
from sessions.store.blocks import MAX_BLOCK_TICKS, encode_block
from sessions.store.chunks import (
    Coding,
    decode_chunk,
    decode_rows,
    encode_floats,
    encode_integers,
    pack_presence,
)
from sessions.store.codec import (
    BlobError,
    as_decimals,
    pack_bytes,
    pack_floats,
    pack_ints,
    pack_texts,
    seal,
    unpack_bytes,
    unpack_floats,
    unpack_ints,
    unpack_texts,
)

DECIMALS = st.tuples(st.integers(-(10**12), 10**12), st.sampled_from((1, 10, 100, 1000))).map(
    lambda q: q[0] / q[1]
)
VALUES = st.one_of(DECIMALS, st.just(float("nan")), st.floats(-1e280, 1e280))


def same(a: object, b: object) -> bool:
    """Equal bit by bit, but for the sign of zero, which no counter has."""
    x, y = np.asarray(a, np.float64) + 0.0, np.asarray(b, np.float64) + 0.0
    return x.shape == y.shape and x.tobytes() == y.tobytes()


@given(st.lists(VALUES))
def test_floats_come_back(values: list[float]) -> None:
    array = np.where(np.isnan(values), np.nan, values) if values else np.zeros(0)
    assert same(unpack_floats(pack_floats(array), len(values)), array)


@given(st.lists(st.integers(-(2**60), 2**60)))
def test_ints_come_back(values: list[int]) -> None:
    array = np.array(values, np.int64)
    assert unpack_ints(pack_ints(array), len(values)).tolist() == values


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))))
def test_texts_come_back(texts: list[str]) -> None:
    assert unpack_texts(pack_texts(texts), len(texts)) == texts


def test_what_a_text_column_cannot_hold_is_replaced() -> None:
    assert unpack_texts(pack_texts(["a\0b", "\ud800"]), 2) == ["a\ufffdb", "?"]


@given(st.binary())
def test_bytes_come_back(data: bytes) -> None:
    array = np.frombuffer(data, np.uint8)
    assert unpack_bytes(pack_bytes(array), array.size).tobytes() == data


@given(st.lists(DECIMALS, min_size=1))
def test_printed_decimals_are_found_and_exact(values: list[float]) -> None:
    array = np.array(values)
    decimals = as_decimals(array)
    assert decimals is not None
    assert same(decimals.whole / 10**decimals.places, array)


@pytest.mark.parametrize("value", [0.1 + 0.2, 1e-9, 2.0**60, np.pi])
def test_other_numbers_are_no_decimals(value: float) -> None:
    assert as_decimals(np.array([value])) is None


def test_real_columns_shrink_to_less_than_a_byte_a_value() -> None:
    rng = np.random.default_rng(3)
    noisy = np.round(np.abs(rng.normal(12, 3, 256)), 2)
    codes = np.rint(noisy * 100).astype(np.uint16)
    assert len(encode_integers(codes, 0, 2, coding=Coding.VALUES)) < 1.5 * 256


@given(st.lists(st.one_of(DECIMALS, st.floats(-1e280, 1e280)), min_size=1, max_size=300), st.randoms())
def test_chunks_come_back(values: list[float], random: object) -> None:
    present = np.random.default_rng(len(values)).random(len(values)) < 0.7
    present[0] = True
    array = np.where(present, values, np.nan)
    blob = encode_floats(array[present] + 0.0, presence=b"" if present.all() else pack_presence(present))
    assert same(unpack_chunk(blob, len(values)), array)


def unpack_chunk(blob: bytes, count: int) -> FloatArray:
    values = np.empty(count)
    decode_chunk(blob, values)
    return values


def unpack_rows(blob: bytes, count: int) -> FloatArray:
    values = np.empty(count)
    decode_rows([blob], [0], values[np.newaxis])
    return values


@given(
    st.lists(
        st.tuples(
            st.sampled_from((np.uint8, np.uint16, np.uint32, np.uint64)),
            st.integers(-(2**40), 2**40),
            st.integers(0, 3),
            st.sampled_from(("plain", "sparse", "floats")),
        ),
        max_size=8,
    ),
    st.randoms(use_true_random=False),
)
def test_many_chunks_give_what_each_gives_alone(
    chunks: list[tuple[type, int, int, str]], random: random.Random
) -> None:
    ticks, blobs = 9, []
    for kind, base, places, form in chunks:
        codes: np.ndarray = np.array([random.randrange(200) for _ in range(ticks)], kind)
        present = np.array([random.random() < 0.5 for _ in range(ticks - 1)] + [True])
        some, presence = (codes[present], pack_presence(present)) if form == "sparse" else (codes, b"")
        if form == "floats":
            blobs.append(encode_floats(codes * np.pi, presence=b""))
        else:
            blobs.append(encode_integers(some, base, places, coding=Coding.VALUES, presence=presence))
    rows = random.sample(range(len(blobs) + 2), len(blobs))
    values = np.full((len(blobs) + 2, ticks), -1.0)
    decode_rows(blobs, rows, values)
    for row, blob in zip(rows, blobs, strict=True):
        np.testing.assert_array_equal(values[row], unpack_chunk(blob, ticks))
    assert (values[[row for row in range(len(values)) if row not in rows]] == -1.0).all()


PACKED: dict[str, tuple[bytes, Callable[[bytes, int], Sized]]] = {
    "floats": (pack_floats(np.array([1.5, 2.25, np.nan])), unpack_floats),
    "raw floats": (pack_floats(np.array([np.pi, np.e, 0.1])), unpack_floats),
    "ints": (pack_ints(np.array([5, 10, 999])), unpack_ints),
    "texts": (pack_texts(["a", "b", "a"]), unpack_texts),
    "bytes": (pack_bytes(np.array([1, 2, 0], np.uint8)), unpack_bytes),
    "a chunk": (
        encode_integers(np.array([1, 2, 9], np.uint8), -70, 1, coding=Coding.DIFFERENCES),
        unpack_chunk,
    ),
    "rows of chunks": (
        encode_integers(np.array([1, 2, 9], np.uint8), -70, 1, coding=Coding.DIFFERENCES),
        unpack_rows,
    ),
}


@pytest.mark.parametrize("what", PACKED)
@pytest.mark.parametrize("count", [4, 1 << 16])
def test_a_blob_that_holds_less_than_its_row_says_is_refused(what: str, count: int) -> None:
    blob, unpack = PACKED[what]
    with pytest.raises(BlobError):
        unpack(blob, count)


@pytest.mark.parametrize("what", PACKED)
def test_a_changed_byte_is_noticed(what: str) -> None:
    blob, unpack = PACKED[what]
    for at in range(len(blob)):
        changed = bytearray(blob)
        changed[at] ^= 0x41
        with pytest.raises(BlobError):
            unpack(bytes(changed), 3)


@pytest.mark.parametrize("what", PACKED)
def test_a_forged_blob_decodes_or_is_refused(what: str) -> None:
    """With the checksum put right, as a forger would: no other error, and never more than was asked for."""
    blob, unpack = PACKED[what]
    rng = np.random.default_rng(5)
    for _ in range(3000):
        changed = bytearray(blob[:-4])
        for at in rng.integers(0, len(changed), rng.integers(1, 4)).tolist():
            changed[at] = int(rng.integers(0, 256))
        forged = seal(
            bytes(changed[: int(rng.integers(0, len(changed) + 1))] if rng.random() < 0.2 else changed)
        )
        with suppress(BlobError):
            assert len(unpack(forged, 3)) == 3


@pytest.mark.parametrize(
    ("times", "stored"),
    [
        (np.zeros(0, np.int64), np.zeros((0, 3))),
        (np.arange(2), np.zeros((3, 3))),
        (np.arange(2), np.zeros(2)),
        (np.arange(MAX_BLOCK_TICKS + 1), np.zeros((MAX_BLOCK_TICKS + 1, 1))),
    ],
)
def test_blocks_that_cannot_be_are_refused(times: np.ndarray, stored: np.ndarray) -> None:
    with pytest.raises(ValueError, match="a block of"):
        encode_block(times, stored)
