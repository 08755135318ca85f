"""The charts of the validation as SVG files."""

from autosim.applications.validation.results import Chart
from autosim.charts import LineSeries, Panel, draw_sheet


def draw(chart: Chart) -> str:
    """The chart as an SVG file."""
    lines = tuple(LineSeries(each.x, each.y, each.label) for each in chart.curves)
    return draw_sheet([Panel(chart.title, chart.x_label, chart.y_label, lines)])
