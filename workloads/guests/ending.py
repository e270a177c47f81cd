"""What it means that a job ended: a state of the worker, and a sentence for what went wrong."""

from __future__ import annotations

from resources.foreign_text import shown
from resources.units import format_duration
from workloads.environment import Work, WorkerProgress
from workloads.guests.contract import Ending
from workloads.guests.disks import refusal

_SIGNAL_FROM = 128
_LONG_S = 60.0


def state_at_end(ending: Ending, work: Work, place: str, said: str, silence_s: float) -> WorkerProgress:
    """Return the state of a worker whose launcher wrote ``ending``; ``said`` is fio's stderr."""
    if ending.word in ("ended", "stopped") and (ending.exit_code == 0 or ending.word == "stopped"):
        return WorkerProgress("ended")
    return WorkerProgress("failed", why=_why(ending, work, place, said, silence_s))


def clock_jumped(place: str, jumped_ms: float) -> str:
    """Return the sentence for a guest whose clock was set by that much while its job ran."""
    way = "forward" if jumped_ms > 0 else "back"
    seconds = abs(jumped_ms) / 1000  # as far as it is known: answers come some seconds late
    much = format_duration(round(seconds, -1 if seconds > _LONG_S else 0))
    return (
        f"The clock of {place} was set {way} by about {much} while its job ran: what it did since can't be "
        "laid beside what the others did. See what sets its clock."
    )


def _why(ending: Ending, work: Work, place: str, said: str, silence_s: float) -> str:
    sentences = {
        "silent": f"{place} ended the job itself: it had heard nothing from here for "
        f"{format_duration(silence_s)}.",
        "full": f"{place} ended the job itself: its disk for temporary files is almost full.",
        "late": f"{place} did not begin its job: its clock was set back after it had been measured, so the "
        "agreed start did not come. See what sets its clock.",
        "broken": f"The launcher in {place} could not read its settings: {ending.detail or 'none'}.",
    }
    if ending.word == "refused":
        return str(refusal(work, place, ending.detail.split(";")))
    return sentences.get(ending.word) or _of_fio(ending, place, _reason(said))


def _of_fio(ending: Ending, place: str, reason: str) -> str:
    if ending.exit_code == _SIGNAL_FROM + 9:
        return f"fio in {place} was killed, perhaps by the guest for want of memory.{reason}"
    if ending.exit_code == _SIGNAL_FROM - 1:
        return f"fio in {place} could not be started.{reason}"
    return f"fio in {place} failed with code {ending.exit_code}.{reason}"


def _reason(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()]
    return f" It says: {shown(lines[-1])}" if lines else ""
