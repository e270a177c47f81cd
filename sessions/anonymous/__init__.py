"""A session without names, addresses and paths: each is replaced by the same word wherever it stands."""

from sessions.anonymous.session_copy import write_anonymised

__all__ = ["write_anonymised"]
