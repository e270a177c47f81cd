"""Knowledge of the views: which limits numbers are coloured by, and which charts suit an entity."""

from resources.views.charts import ChartTemplate, load_chart_templates
from resources.views.headlines import Headline, load_headlines
from resources.views.limits import CounterLimits, Limits, load_limits

__all__ = [
    "ChartTemplate",
    "CounterLimits",
    "Headline",
    "Limits",
    "load_chart_templates",
    "load_headlines",
    "load_limits",
]
