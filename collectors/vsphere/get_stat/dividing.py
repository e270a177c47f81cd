"""Divides series of a file without IntervalSecs that hold samples of several intervals, by their steps.

A script that asks for real time and for a week's rollups, and keeps only name, time and value, writes both
under one name: first the samples of one interval, then those of the other.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from collectors.vsphere.get_stat.timing import TimedFile
from resources.get_stat_forms import GetStatForms
from sessions.model import IntArray

_STEPS_ALIKE = 3
"""So many steps of one interval in a row are samples of it; fewer may be holes among others."""
_TOLERANCE = 0.01
_NONE = -1


def divided(one: TimedFile, forms: GetStatForms) -> TimedFile:
    """Return the file with a series for each interval that a series of it has samples of."""
    file = one.file
    if all(key.interval_ms for key in file.keys):
        return one
    numbers = file.series[one.rows]
    order = np.argsort(numbers, kind="stable")
    ends = np.searchsorted(numbers[order], np.arange(len(file.keys) + 1)).tolist()
    intervals_ms = 1000 * np.array(forms.intervals_s, np.int64)
    keys, about, series = list(file.keys), list(file.about), file.series.copy()
    for number, key in enumerate(file.keys):
        rows = one.rows[order[ends[number] : ends[number + 1]]]
        if key.interval_ms or rows.size < 2 * _STEPS_ALIKE:
            continue
        kinds = _kinds(one.times[rows], intervals_ms)
        for at, kind in enumerate(np.unique(kinds).tolist() if kinds.size else ()):
            own = key._replace(interval=str(forms.intervals_s[kind]))
            if at == 0:
                keys[number] = own
                continue
            series[rows[kinds == kind]] = len(keys)
            keys.append(own)
            about.append(file.about[number])
    if len(keys) == len(file.keys):
        return one
    return replace(one, file=replace(file, keys=keys, about=about, series=series))


def _kinds(times: IntArray, intervals_ms: IntArray) -> IntArray:
    """Of which interval each sample of a series is (its position), by the order of the rows, else by that of
    their times; empty if all are of one.
    """
    kinds = _kinds_in_order(times, intervals_ms)
    if kinds.size:
        return kinds
    by_time = np.argsort(times, kind="stable")
    found = _kinds_in_order(times[by_time], intervals_ms)
    kinds = np.empty_like(found)
    kinds[by_time[: found.size]] = found
    return kinds


def _kinds_in_order(times: IntArray, intervals_ms: IntArray) -> IntArray:
    steps = np.diff(times)
    ahead = np.count_nonzero(steps > 0) * 2 > np.count_nonzero(steps)
    of_steps = _long_runs(_nearest(steps if ahead else -steps, intervals_ms))
    if np.unique(of_steps[of_steps != _NONE]).size < 2:
        return np.empty(0, np.int64)
    ends = np.array([_NONE], np.int64)
    before, after = np.concatenate((ends, of_steps)), np.concatenate((of_steps, ends))
    # A sample is of the time before it.
    older, newer = (before, after) if ahead else (after, before)
    return _filled(_filled(np.where(older != _NONE, older, newer))[::-1])[::-1]


def _nearest(steps: IntArray, intervals_ms: IntArray) -> IntArray:
    nearest = np.abs(steps[:, None] - intervals_ms).argmin(axis=1)
    length = intervals_ms[nearest]
    return np.where(np.abs(steps - length) <= length * _TOLERANCE, nearest, _NONE)


def _long_runs(kinds: IntArray) -> IntArray:
    """Only those kinds of which enough follow each other."""
    bounds = [0, *(np.flatnonzero(np.diff(kinds)) + 1).tolist(), kinds.size]
    long = kinds.copy()
    for begin, end in pairwise(bounds):
        if end - begin < _STEPS_ALIKE:
            long[begin:end] = _NONE
    return long


def _filled(kinds: IntArray) -> IntArray:
    """Each that is not known as the one before it."""
    last = np.maximum.accumulate(np.where(kinds != _NONE, np.arange(kinds.size), 0))
    return kinds[last]
