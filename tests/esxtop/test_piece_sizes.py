"""How many rows each process gets: all of them are to finish at the same time."""

from __future__ import annotations

from collectors.esxtop.sections import PieceSizes

MB = 1 << 20


def pieces(sizes: PieceSizes, width: int, rows: int) -> list[int]:
    """Rows of each piece of a section."""
    found = []
    while rows > 0:
        found.append(min(rows, sizes.rows(width, rows)))
        rows -= found[-1]
    return found


def test_a_capture_of_few_long_rows_gives_most_to_the_worker_that_reads_ahead() -> None:
    worker, here = pieces(PieceSizes(2, 48 * MB, 1024), 20_000, 1492)
    assert 0.6 * 1492 < worker < 0.75 * 1492
    assert worker + here == 1492


def test_two_workers_get_equal_pieces_and_the_importing_process_less() -> None:
    first, second, here = pieces(PieceSizes(3, 12 * MB, 512), 20_000, 1492)
    assert first == second
    assert 0.3 * first < here < 0.6 * first


def test_the_last_pieces_of_many_rows_are_equal() -> None:
    found = pieces(PieceSizes(2, 48 * MB, 1024), 1500, 20_000)
    assert sum(found) == 20_000
    assert found[0] == 3584
    assert abs(found[-1] - found[-2]) <= 1


def test_one_process_takes_as_many_rows_as_memory_allows() -> None:
    assert pieces(PieceSizes(1, 48 * MB, 1024), 20_000, 1492) == [1024, 468]
