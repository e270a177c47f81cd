"""What somebody put into a report by hand: findings in full, and charts over the time that was shown."""

from __future__ import annotations

from collections.abc import Iterator

from resources.foreign_text import shown
from resources.units import format_count
from viewmodels.report.chart_reading import figure_of
from viewmodels.report.document import Block, Section, paragraph
from viewmodels.report.evidence import put_finding
from viewmodels.report.material import Material

FINDING, CHARTS = "finding", "charts"
"""The keys of their sections; those of findings are followed by a number."""


def put_sections(material: Material) -> Iterator[Section]:
    """Yield a section for each finding that was put in, and one for all charts."""
    for number, finding in enumerate(material.put_findings, start=1):
        material.work.check()
        key = f"{FINDING}-{number}"
        title = f"{shown(finding.title, 120)}: {shown(finding.entity_name, 80)}"
        blocks = put_finding(finding, material, key)[1:]  # its heading is the section's
        yield Section(key, title, finding.severity, blocks)
    if material.charts:
        count = format_count(len(material.charts))
        yield Section(CHARTS, "Charts", f"{count} put in", tuple(_charts(material)))


def _charts(material: Material) -> Iterator[Block]:
    shown_time = None
    for one in material.charts:
        material.work.check()
        if one.window != shown_time:
            shown_time = one.window
            yield paragraph(f"{material.clock.window(one.window)}.", style="muted")
        figure = figure_of(one.chart, one.window, material)
        title = shown(one.chart.shown_title, 120) or "A chart"
        yield figure or paragraph(f"{title}: nothing was measured in this time.")
