"""The version of Hyperscope: the only place that has it. Packages, bundles and reports read it here."""

from __future__ import annotations

VERSION = "0.1.0"
