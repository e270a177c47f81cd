"""The admin's own threshold sets: where they are kept, and knowledge that is judged with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from resources.failures import HyperscopeError
from resources.foreign_text import storable
from resources.problem_cards import Problems
from resources.threshold_sets import OwnThresholds, read_thresholds
from resources.user_folders import settings_folder

FILE = "thresholds.toml"
SHIPPED = "shipped"
"""What --thresholds says to judge with the numbers that ship."""


def thresholds_file(chosen: str = "") -> Path | None:
    """Return the file of threshold sets that --thresholds means; None for the shipped ones alone."""
    if chosen == SHIPPED:
        return None
    if chosen:
        return Path(chosen)
    own = settings_folder() / FILE
    try:
        own.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return own  # it may be there: reading it says why it can't be used
    return own


def with_own_thresholds(
    problems: Problems, chosen: str = "", tell: Callable[[str], None] = lambda _sentence: None
) -> Problems:
    """Return the knowledge with the sets that --thresholds means (empty: those of the preferences).

    Where they can't be used the shipped ones judge: the sentence that says so is told, and stands in the
    verdict.
    """
    path = thresholds_file(chosen)
    if path is None:
        return problems
    try:
        return problems.judged_by(read_thresholds(path, problems.storage.classes))
    except HyperscopeError as error:
        trouble = trouble_sentence(error)
        tell(trouble)
        return problems.judged_by(OwnThresholds(), trouble)


def trouble_sentence(error: HyperscopeError) -> str:
    """Return why an admin's sets are not used, and what judges instead."""
    return f"The shipped limits judge storage: {storable(error.happened).rstrip('.')}."
