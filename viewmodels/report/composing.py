"""Puts a report together: the page for a manager first, then what proves it, then how complete it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from resources.foreign_text import shown
from resources.version import VERSION
from viewmodels.report.before_and_after import comparison_sections
from viewmodels.report.chosen import put_sections
from viewmodels.report.document import Report, Section
from viewmodels.report.evidence import findings_section
from viewmodels.report.inventory import inventory_section
from viewmodels.report.manager_page import headline, manager_page
from viewmodels.report.material import Material
from viewmodels.report.method import method_section
from viewmodels.report.notes import notes_section
from viewmodels.report.provenance import sources_section
from viewmodels.report.what_happened import timeline_section

_TITLE = 120
_SECTIONS: tuple[Callable[[Material], Section | None], ...] = (
    findings_section,
    timeline_section,
)
_LAST: tuple[Callable[[Material], Section | None], ...] = (
    notes_section,
    inventory_section,
    sources_section,
    method_section,
)


def report_of(material: Material) -> Report:
    """Return the report. Reads charts: call it in a worker."""
    return Report(
        title=shown(material.title, _TITLE) or headline(material),
        subtitle=_subtitle(material),
        sections=(manager_page(material), *_details(material)),
        session=shown(material.snapshot.path.name, _TITLE),
        made=material.made,
        program=f"Hyperscope {VERSION}",
        is_simulated=material.is_simulated,
    )


def _details(material: Material) -> Iterator[Section]:
    yield from put_sections(material)
    for make in _SECTIONS:
        material.work.check()
        section = make(material)
        if section is not None:
            yield section
    yield from material.guided
    yield from comparison_sections(material)
    yield from material.tests
    for make in _LAST:
        material.work.check()
        section = make(material)
        if section is not None:
            yield section


def _subtitle(material: Material) -> str:
    names = list(dict.fromkeys(shown(one.spec.name, 60) for one in material.snapshot.sources))
    sources = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    when = material.clock.window(material.window) if material.window else "without samples"
    return " · ".join(part for part in (shown(material.snapshot.title, _TITLE), sources, when) if part)
