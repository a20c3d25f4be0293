"""BioCrawler's experiments, at a small scale."""

from __future__ import annotations

import numpy as np
import pytest

from evocrawl.core.config.config import Config
from evocrawl.simulation.papers.base import Findings, Setup
from evocrawl.simulation.papers.biocrawler import BIO, BREADTH, DUMB, EXPERIMENTS
from evocrawl.simulation.papers.static_web import CrawlerGroup, StaticWeb
from evocrawl.simulation.worlds.made_up.sites import Sites, SitesPlan
from evocrawl.species.biocrawler.species import mind_of

SEEDS = (1, 2)


@pytest.fixture(scope="module")
def found() -> dict[str, Findings]:
    """Return the findings of each experiment."""
    setup = Setup(SEEDS, small=True)
    return {each.name: each.run(setup) for each in EXPERIMENTS}


def test_biocrawlers_gain_more_than_dumb_ones(found: dict[str, Findings]) -> None:
    """Over long crawls on every web, and in the mean over all starts."""
    rows = found["biocrawler"].rows
    for seed in SEEDS:
        gained = {
            kind: [
                row["s_throughput"] for row in rows if (row["kind"], row["seed"]) == (kind, seed)
            ]
            for kind in (BIO, DUMB)
        }
        assert len(gained[BIO]) == 2
        assert min(gained[BIO]) > 2 * gained[DUMB][0]
    assert found["biocrawler-restarts"].claims[0].holds


def test_sites_are_all_visited_and_rich_ones_more_often(found: dict[str, Findings]) -> None:
    """By BioCrawlers; dumb ones do not prefer sites."""
    rows = found["biocrawler"].rows
    assert all(row["sites"] == 30 and row["passes"] for row in rows if row["kind"] == BIO)
    rates = {
        kind: [row["rich_rate"] for row in rows if row["kind"] == kind] for kind in (BIO, DUMB)
    }
    assert all(0.7 < rate < 1.4 for rate in rates[DUMB])
    assert min(rates[BIO]) > 1.5 * max(rates[DUMB])


def test_every_restart_is_in_the_rows(found: dict[str, Findings]) -> None:
    """Of all kinds; the restarts are divided among the seeds."""
    rows = found["biocrawler-restarts"].rows
    kinds = [row["kind"] for row in rows]
    assert [kinds.count(kind) for kind in (BIO, DUMB, BREADTH)] == [8, 4, 4]
    assert len({(row["seed"], row["restart"]) for row in rows}) == 4


def test_plots_have_a_line_for_each_kind(found: dict[str, Findings]) -> None:
    """From the first visits to the last."""
    names = [plot.name for each in found.values() for plot in each.plots]
    assert names == ["biocrawler-first", "biocrawler-long", "biocrawler-restarts"]
    first, long = found["biocrawler"].plots
    assert {(line[0][0], line[-1][0]) for line in first.lines.values()} == {(1.0, 100.0)}
    assert all(line[-1][0] > 750 for line in long.lines.values())


def test_a_crawler_that_has_seen_all_sites_begins_again_elsewhere_with_its_rules() -> None:
    """It sees only its new start, and keeps its energy."""
    rng = np.random.default_rng(7)
    web = StaticWeb(Sites(SitesPlan(sites=6), rng), rng)
    config = Config.read({}, {"species": "biocrawler", "agents": 1, "max_requests": 0})
    crawlers = CrawlerGroup(web, config, web.any_page(), None)
    record, visits = crawlers.records[1], 0
    agent = crawlers._population.lifecycle.agents[1]
    rules = 0
    while not record.passes:
        rules = len(mind_of(agent).rules)
        crawlers.play(1)
        visits += 1
        assert visits < 2000
    assert record.passes == [visits]
    assert mind_of(agent).trail.pages == []
    assert agent.page.startswith(b"start")
    assert abs(len(mind_of(agent).rules) - rules) <= 1
    crawlers.play(1)
    assert len(record.energy) == visits + 1
    assert sum(record.at.values()) == visits + 1
    assert len(record.unseen) == 5


def test_a_full_pass_is_waited_for_and_changes_no_earlier_record() -> None:
    """It is waited for at most the given number of visits."""
    rng = np.random.default_rng(8)
    web = StaticWeb(Sites(SitesPlan(sites=6), rng), rng)
    config = Config.read({}, {"species": "biocrawler", "agents": 2, "max_requests": 0})
    crawlers = CrawlerGroup(web, config, web.any_page(), None)
    played = crawlers.play(3)
    assert crawlers.first_passes(3) == [None, None]
    firsts = crawlers.first_passes(5000)
    assert all(first is not None and first > 3 for first in firsts)
    assert firsts == [record.passes[0] for record in crawlers.records.values()]
    assert sum(len(record.energy) for record in played) == 6
    assert not any(record.passes for record in played)
