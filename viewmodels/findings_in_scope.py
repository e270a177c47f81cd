"""The findings of a session divided by a scope: those inside, and how many are outside and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from resources.units import format_count
from sessions.findings import Finding, Severity
from viewmodels.finding_order import Identity, families, identity
from viewmodels.scope_filter import ScopeFilter

_SEVERITIES: Sequence[Severity] = ("info", "warning", "critical")


@dataclass(frozen=True)
class FindingsInScope:
    """The findings of a session, divided by a scope; each part in the order that they were given in.

    ``of_others`` are findings of entities outside; ``at_other_times`` those of entities in the scope, but
    outside its window.
    """

    inside: Sequence[Finding] = ()
    of_others: Sequence[Finding] = ()
    at_other_times: Sequence[Finding] = ()

    @property
    def outside(self) -> int:
        """How many root causes are outside of the scope."""
        return len(self._causes_outside)

    @property
    def worst_outside(self) -> Severity | None:
        """The worst severity of the root causes outside; None if there is none."""
        return max((one.severity for one in self._causes_outside), key=_SEVERITIES.index, default=None)

    @property
    def label(self) -> str:
        """Return ``3 more outside this scope``; empty if there is none."""
        return f"{format_count(self.outside)} more outside this scope" if self.outside else ""

    @property
    def sentence(self) -> str:
        """Return ``3 findings are outside this scope.``; empty if there is none."""
        count = self.outside
        if not count:
            return ""
        return f"{format_count(count)} {'finding is' if count == 1 else 'findings are'} outside this scope."

    @property
    def explanation(self) -> str:
        """Return where the findings outside are: ``2 of other entities, 1 at another time``."""
        others = len([one for one in self._causes_outside if one in self.of_others])
        times = self.outside - others
        parts = [f"{format_count(others)} of other entities"] if others else []
        parts += [f"{format_count(times)} at other times"] if times else []
        return ", ".join(parts)

    def outside_of(self, listed: Collection[Identity]) -> int:
        """Return how many root causes among the ``listed`` findings are outside."""
        return len([one for one in self._causes_outside if identity(one) in listed])

    @cached_property
    def _causes_outside(self) -> Sequence[Finding]:
        groups = families([*self.inside, *self.of_others, *self.at_other_times])
        return [one for one in (*self.of_others, *self.at_other_times) if identity(one) in groups]


def findings_in_scope(findings: Iterable[Finding], filtered: ScopeFilter) -> FindingsInScope:
    """Divide findings by a scope: inside; of other entities; of its entities at other times.

    What explains a finding inside is inside, too, whatever it is a finding of.
    """
    findings = list(findings)
    known = {identity(one): number for number, one in enumerate(findings)}
    inside: set[int] = set()
    for number, finding in enumerate(findings):
        if filtered.concerns_finding(finding) and filtered.is_in_time(finding.windows):
            cause: int | None = number
            while cause is not None and cause not in inside:
                inside.add(cause)
                above = findings[cause].consequence_of
                cause = known.get(above) if above is not None else None
    outside = [one for number, one in enumerate(findings) if number not in inside]
    return FindingsInScope(
        [findings[number] for number in sorted(inside)],
        [one for one in outside if not filtered.concerns_finding(one)],
        [one for one in outside if filtered.concerns_finding(one)],
    )
