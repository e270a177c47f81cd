"""Formats times in notes about a server."""

from __future__ import annotations

from datetime import UTC, datetime


def iso(at_ms: int) -> str:
    """Format a time (ms since 1970) as in notes: 2026-01-02T03:04:05Z."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
