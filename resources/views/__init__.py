"""Loads what the views show: limits for colours, charts that suit an entity, screens, headlines, the
overview.
"""

from resources.views.charts import ChartTemplate, load_chart_templates
from resources.views.headlines import Headline, load_headlines
from resources.views.limits import CounterLimits, LimitsByCounter, load_limits
from resources.views.overview import Overview, OverviewChart, Talkers, load_overview
from resources.views.screens import Screen, load_screens

__all__ = [
    "ChartTemplate",
    "CounterLimits",
    "Headline",
    "LimitsByCounter",
    "Overview",
    "OverviewChart",
    "Screen",
    "Talkers",
    "load_chart_templates",
    "load_headlines",
    "load_limits",
    "load_overview",
    "load_screens",
]
