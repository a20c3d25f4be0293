"""Curves are means over runs; pages are complete, and safe to open."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lxml import etree
from result_rows import row

from evocrawl.simulation.evaluation.curves import charts
from evocrawl.simulation.evaluation.plots import draw_html, draw_pngs

EVIL = '</script><script>alert(1)</script><img src=x onerror="alert(2)">'
FORMS = [
    EVIL,
    "</title><svg onload=alert(1)>",
    "http://h/<svg onload=alert(1)>",
    "]]>--><!--<script>",
    "<a href='javascript:alert(1)'>x</a>",
    "&lt;img src=x onerror=alert(1)&gt;",
]


def test_the_curve_of_a_species_is_the_mean_of_its_runs() -> None:
    """Recall of two runs at each of ten requests, of two relevant pages."""
    by_name = {chart.name: chart for chart in charts([row(hits=[1, 5]), row(hits=[2], seed=1)])}
    (curve,) = by_name["recall"].curves
    assert curve.x.tolist() == pytest.approx(list(range(1, 11)))
    assert curve.mean.tolist() == [0.25, 0.5, 0.5, 0.5] + [0.75] * 6
    (curve,) = by_name["harvest_rate"].curves
    assert curve.mean[4] == pytest.approx((2 / 5 + 1 / 5) / 2)


def test_population_energy_and_generations_are_drawn_between_their_points() -> None:
    """Two agents at the first request, four at the tenth."""
    by_name = {chart.name: chart.curves[0] for chart in charts([row()])}
    assert by_name["population"].mean[[0, 9]].tolist() == [2.0, 4.0]
    assert by_name["generation"].mean[-1] == 1.5
    assert by_name["births"].mean[-1] == 6


def test_precision_is_over_pages_not_requests() -> None:
    """Of five pages in ten requests two are relevant; after the last page it stays."""
    (curve,) = {c.name: c for c in charts([row(pages=5, hit_pages=[1, 4])])}["precision"].curves
    assert curve.mean[[0, 1, 3, 4, 9]].tolist() == [1.0, 0.5, 0.5, 0.4, 0.4]


def test_runs_of_different_budgets_share_an_axis() -> None:
    """In shares of the budget, as the title says."""
    recall = charts([row(), row(budget=20, requests=20, seed=1)])[0]
    assert "share of the budget" in recall.x_label
    assert recall.curves[0].x[-1] == 1.0
    assert np.all(np.diff(recall.curves[0].mean) >= 0)


def test_starts_have_curves_of_their_own() -> None:
    """In the order of their names, for any order of the rows."""
    recall = charts([row("b"), row("a"), row("a", start="far")])[0]
    assert [curve.name for curve in recall.curves] == ["a, far", "a, search", "b, search"]


def test_rows_without_curves_are_left_out() -> None:
    """A peer's results.json has none."""
    bare = {key: value for key, value in row().items() if key not in ("hits", "life")}
    assert charts([bare]) == []


def test_a_run_without_labels_has_no_recall() -> None:
    """The other charts stay."""
    names = [chart.name for chart in charts([row(topic=None, topic_pages=None)])]
    assert names[0] == "harvest_rate"


def test_pngs_are_pictures(tmp_path: Path) -> None:
    """One for each chart, also with names that matplotlib might take for more."""
    paths = draw_pngs([row("$\\frac{$"), row("_hidden")], tmp_path)
    assert {path.name for path in paths} >= {"recall.png", "population.png", "energy.png"}
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)


def test_the_page_needs_no_network_and_runs_no_strangers_script(tmp_path: Path) -> None:
    """No file is loaded; a name made of tags stays text."""
    path = tmp_path / "report.html"
    draw_html([row(EVIL)], path, EVIL, [["species"], [EVIL]])
    page = path.read_text()
    assert "<script src" not in page
    assert "<link" not in page.split("<script>")[0]
    assert "alert(1)</script>" not in page
    assert "<img src=x" not in page
    assert page.count('class="plotly-graph-div"') == len(charts([row()]))


def test_b124_all_that_is_shown_is_text(tmp_path: Path) -> None:
    """B124: title, cells, and names of species and starts; also within the data of a script."""
    path = tmp_path / "report.html"
    draw_html([], path, "t", [["h"]])
    plain = _shape(path)
    for form in FORMS:
        draw_html([], path, form, [[form], [form]])
        assert _shape(path) == sorted([*plain, "tr", "td"])
    draw_html([row("a", start="b"), row("a", start="c")], path, "t", [["h"]])
    drawn = _shape(path)
    for form in FORMS:
        draw_html([row(form, start=form), row(form, start="c")], path, "t", [["h"]])
        assert _shape(path) == drawn


def _shape(path: Path) -> list[str]:
    """Return the elements of a page, each with the names of its attributes."""
    page = etree.fromstring(path.read_bytes(), etree.HTMLParser(huge_tree=True))
    return sorted("".join((str(each.tag), *sorted(each.keys()))) for each in page.iter())


def test_a_page_without_curves_has_the_table_only(tmp_path: Path) -> None:
    """It has no code of the drawing library."""
    path = tmp_path / "report.html"
    draw_html([], path, "t", [["head"], ["cell"]])
    assert "<td>cell</td>" in path.read_text()
    assert path.stat().st_size < 2000
