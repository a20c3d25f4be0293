"""The experiments of the foragers paper, at a small scale."""

from __future__ import annotations

import numpy as np
import pytest

from evocrawl.simulation.evaluation.freshness import sent_and_found
from evocrawl.simulation.papers.base import Findings, Setup
from evocrawl.simulation.papers.foragers import EXPERIMENTS, SMALL, STARTS, measured
from evocrawl.simulation.papers.news_web import Foraging, NewsWeb, forage
from evocrawl.simulation.worlds.made_up.news import News
from evocrawl.species.foragers.species import KINDS

pytestmark = pytest.mark.takes_s(40)

UNTIL_S = 7200.0


@pytest.fixture(scope="module")
def world() -> News:
    """Return a small news web."""
    return News(SMALL, np.random.default_rng(1))


@pytest.fixture(scope="module")
def web(world: News) -> NewsWeb:
    """Return the same web, prepared for many fetches."""
    return NewsWeb(world)


@pytest.fixture(scope="module")
def found() -> dict[str, Findings]:
    """Return the findings of each experiment."""
    return {each.name: each.run(Setup((1, 2), small=True)) for each in EXPERIMENTS}


def foraged(web: NewsWeb, kind: str = "weblog", seed: int = 1) -> Foraging:
    """Return two hours of foraging."""
    return forage(web, kind, web.starts(STARTS), seed, UNTIL_S, 4.0)


def test_the_news_web_has_the_links_and_dates_of_the_world(world: News, web: NewsWeb) -> None:
    """The same links, dates and states at the same times."""
    for page in range(0, 1000, 7):
        url, target = world.url(page), web.links[page].fingerprint
        for now_s in (0.0, 9_000.0, 21_000.0):
            assert web.changed_at(target, now_s) == world.changed_at(url, now_s)
            if world.exists(page, now_s):
                shown = {link.url for link in web.links_at(target, now_s)}
                assert shown == {link.url for link in world.document(page, now_s).links}


def test_one_forager_works_at_a_time_and_every_download_takes_its_time(web: NewsWeb) -> None:
    """In slices of three minutes, while there are two of them."""
    done = foraged(web)
    times = [each.at_s for each in done.downloads]
    assert np.diff(times).min() == pytest.approx(4.0)
    changes = sum(
        a.agent != b.agent for a, b in zip(done.downloads, done.downloads[1:], strict=False)
    )
    assert changes == pytest.approx(UNTIL_S / 180 - 1, abs=2)


@pytest.mark.parametrize("kind", KINDS)
def test_the_measures_count_the_pages_that_are_handed_on_and_paid_for(
    web: NewsWeb, kind: str
) -> None:
    """The foragers' fees, and the paper's definition of what is sent."""
    done = foraged(web, kind)
    sent, relevant = sent_and_found(done.downloads)
    assert done.handed_on == len(sent) > len(relevant) > 0


def test_measures_are_those_of_the_downloads(web: NewsWeb) -> None:
    """Shares lie in [0, 1]; no count exceeds the number of documents."""
    done = foraged(web)
    row, windows = measured(web, done, UNTIL_S)
    assert row["sent_efficiency"] == row["relevant"] / row["sent"]
    assert row["download_efficiency"] == row["relevant"] / row["downloaded"]
    assert 0 < row["found_urls"] <= 1000
    assert 0 <= row["freshness"] <= 1
    assert len(windows) == 1


def test_the_same_seed_gives_the_same_foraging(web: NewsWeb) -> None:
    """Another seed gives another one."""
    assert foraged(web).downloads == foraged(web).downloads
    assert foraged(web).downloads != foraged(web, seed=2).downloads


def test_every_kind_is_run_on_every_web(found: dict[str, Findings]) -> None:
    """One row a run, the same web for all kinds, another graph for the rewired web."""
    for findings in found.values():
        runs = {(row["species"], row["seed"]) for row in findings.rows}
        assert runs == {(kind, seed) for kind in KINDS for seed in (1, 2)}
    assert {row["world"] for row in found["foragers-rewired"].rows} == {"news-rewired"}


def test_claims_hold_or_not_by_the_means(found: dict[str, Findings]) -> None:
    """Each has the paper's figure and that of evocrawl, with the spread."""
    claim = found["foragers-news"].claims[0]
    rows = found["foragers-news"].rows
    mean = {
        kind: np.mean([row["sent_efficiency"] for row in rows if row["species"] == kind])
        for kind in KINDS
    }
    assert claim.holds == (mean["weblog"] > mean["reinforcement"])
    assert f"weblog {mean['weblog']:.3f} (" in claim.ours
    assert "n = 2" in claim.ours
    assert claim.paper == "0.49 against 0.248"


def test_plots_have_a_line_for_each_kind(found: dict[str, Findings]) -> None:
    """Over the days."""
    for findings in found.values():
        assert len(findings.plots) == 4
        for plot in findings.plots:
            assert set(plot.lines) == set(KINDS)
            assert all(0 < x <= 1 for line in plot.lines.values() for x, _ in line)
