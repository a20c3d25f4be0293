"""Curves over the simulated time."""

from __future__ import annotations

from pathlib import Path

import pytest
from result_rows import row

from evocrawl.simulation.evaluation.plots import draw_html, draw_pngs
from evocrawl.simulation.evaluation.timed_curves import timed_charts

POINTS = [[3.0, 10, 4, 2, 0.5, 1.0], [6.0, 0, 0, 0, None, None], [7.0, 10, 2, 2, 1.0, 0.0]]


def test_each_measure_has_a_curve_over_hours() -> None:
    """The mean of two runs; a missing value is interpolated between its neighbours."""
    other = row(seed=1, news=[[3.0, 10, 5, 5, 1.0, 3.0]])
    found = {chart.name: chart for chart in timed_charts([row(news=POINTS), other])}
    assert set(found) == {"freshness", "age", "download_efficiency", "sent_efficiency"}
    assert {chart.x_label for chart in found.values()} == {"simulated hours"}
    means = {name: chart.curves[0].mean.tolist() for name, chart in found.items()}
    assert found["age"].curves[0].x.tolist() == [3.0, 6.0, 7.0]
    assert means["freshness"] == pytest.approx([0.75, (0.875 + 1) / 2, 1.0])
    assert means["age"] == pytest.approx([2.0, (0.25 + 3) / 2, 1.5])
    assert means["download_efficiency"] == pytest.approx([0.35, 0.35, 0.35])
    assert means["sent_efficiency"] == pytest.approx([0.75, (0.875 + 1) / 2, 1.0])


def test_runs_without_news_have_no_such_charts() -> None:
    """Neither those of a static world, nor those without finds."""
    assert timed_charts([row(), row(news=[])]) == []
    (chart,) = timed_charts([row(news=[[3.0, 5, 0, 0, None, None]])])
    assert (chart.name, chart.curves[0].mean.tolist()) == ("download_efficiency", [0.0])


def test_they_are_drawn_with_the_others(tmp_path: Path) -> None:
    """As pictures and on the page."""
    assert "freshness.png" in {path.name for path in draw_pngs([row(news=POINTS)], tmp_path)}
    draw_html([row(news=POINTS)], tmp_path / "report.html", "t", [])
    assert 'id="sent_efficiency"' in (tmp_path / "report.html").read_text()
