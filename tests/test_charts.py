"""Charts show their numbers in one look: where marks lie, what axes say, what a legend names."""

from xml.etree import ElementTree

import numpy as np
import pytest

from autosim.charts import HEIGHT, WIDTH, Band, Bars, Dots, LineSeries, Panel, draw_sheet

RAMP = np.array([0.0, 1.0, 2.0])


def shapes(text, kind):
    found = ElementTree.fromstring(text).iter()
    return [each for each in found if each.tag.endswith(f"}}{kind}")]


def points(shape):
    return np.array([each.split(",") for each in shape.get("points").split()], dtype=float)


def panel(*marks, **options):
    return Panel("title", "x [m]", "y [m]", marks, **options)


def test_a_line_runs_where_its_numbers_are():
    (line,) = shapes(draw_sheet([panel(LineSeries(RAMP, RAMP))]), "polyline")
    x, y = points(line).T
    assert (np.diff(x) > 0.0).all()
    assert (np.diff(y) < 0.0).all()  # pixels count downwards
    assert x[1] - x[0] == pytest.approx(x[2] - x[1], abs=0.2)


def test_axes_tell_their_units_and_round_numbers():
    texts = [each.text for each in shapes(draw_sheet([panel(LineSeries(RAMP, RAMP))]), "text")]
    assert {"title", "x [m]", "y [m]", "0", "0.5", "1"} <= set(texts)


def test_a_label_stands_in_the_legend_in_the_look_of_its_line():
    text = draw_sheet(
        [panel(LineSeries(RAMP, RAMP, "first"), LineSeries(RAMP, 2.0 * RAMP, "second"))]
    )
    assert {"first", "second"} <= {each.text for each in shapes(text, "text")}
    strokes = [each.get("stroke") for each in shapes(text, "polyline")]
    assert strokes[0] == strokes[1] != strokes[2] == strokes[3]


def test_a_long_legend_has_rows_that_do_not_overlap():
    lines = [LineSeries(RAMP, k * RAMP, f"a label of some length {k}") for k in range(9)]
    text = draw_sheet([panel(*lines)])
    places = [
        (float(each.get("x")), float(each.get("y")))
        for each in shapes(text, "text")
        if each.text.startswith("a label")
    ]
    assert len({y for _, y in places}) > 1
    for y in {y for _, y in places}:
        assert (np.diff(sorted(x for x, other in places if other == y)) > 150.0).all()
    assert max(y for _, y in places) < HEIGHT


def test_to_scale_a_metre_is_as_long_up_as_across():
    square = LineSeries(np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0]))
    far = Dots(np.array([30.0]), np.array([1.0]))
    (line,) = shapes(draw_sheet([panel(square, far, is_to_scale=True)]), "polyline")
    a, b, c = points(line)
    assert b[0] - a[0] == pytest.approx(b[1] - c[1], abs=0.2)


def test_bands_and_bars_lie_behind_lines():
    marks = LineSeries(RAMP, RAMP), Band(RAMP, RAMP - 1.0, RAMP + 1.0), Bars(RAMP, RAMP[:2])
    kinds = [each.tag.split("}")[1] for each in ElementTree.fromstring(draw_sheet([panel(*marks)]))]
    assert kinds.index("polygon") < kinds.index("polyline")
    assert kinds[1:].index("rect") < kinds.index("polyline")


def test_panels_stand_side_by_side():
    text = draw_sheet([panel(LineSeries(RAMP, RAMP))] * 3, columns=2, title="All")
    root = ElementTree.fromstring(text)
    _, _, width, height = map(float, root.get("viewBox").split())
    assert width == 2 * WIDTH
    assert height > 2 * HEIGHT


def test_a_panel_without_numbers_is_empty():
    none = np.zeros(0)
    assert "NaN" not in draw_sheet([panel(LineSeries(none, none), Dots(none, none))])


def test_dots_beyond_the_axes_are_left_out():
    dots = Dots(np.array([0.5, 5.0]), np.array([0.5, 0.5]))
    text = draw_sheet([panel(dots, x_range=(0.0, 1.0), y_range=(0.0, 1.0))])
    assert len(shapes(text, "circle")) == 1
