"""The experiments of the energy paper, at a small scale."""

from __future__ import annotations

from typing import Any

import pytest
from text_webs import QUERY, TOPIC, text_web

from evocrawl.core.config.config import Config
from evocrawl.simulation.papers import energy_trial
from evocrawl.simulation.papers.base import Findings, Setup
from evocrawl.simulation.papers.energy import EXPERIMENTS
from evocrawl.simulation.papers.energy_trial import seeds_for
from evocrawl.simulation.runner import Run, run
from evocrawl.simulation.worlds.recorded import Recorded

pytestmark = pytest.mark.takes_s(50)

RUNS = 1


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Return a web of texts."""
    return text_web(tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="module")
def found(world: Recorded) -> dict[str, Findings]:
    """Return the findings of each experiment; a crawl of several experiments is made once."""
    setup = Setup(range(1, RUNS + 1), small=True, world=world, query=QUERY, topic=TOPIC)
    made: dict[Config, Run] = {}

    def run_once(web: Recorded, config: Config, *arguments: Any, **options: Any) -> Run:
        if config not in made:
            made[config] = run(web, config, *arguments, **options)
        return made[config]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(energy_trial, "run", run_once)
        return {each.name: each.run(setup) for each in EXPERIMENTS}


def holds(found: dict[str, Findings], name: str) -> list[bool]:
    """Return the claims that hold."""
    return [claim.holds for claim in found[f"energy-{name}"].claims]


def test_the_gain_of_the_linear_model_decides_whether_agents_survive(found) -> None:
    """A small gain ends the crawl early, a large one makes many agents."""
    assert holds(found, "2")[:2] == [True, True]
    rows = found["energy-2"].rows
    assert {row["stop_reason"] for row in rows if "poor" in row["kind"]} == {"extinct"}
    assert min(row["largest"] for row in rows if "rich" in row["kind"]) > 200


def test_the_sigmoid_model_does_not_explode(found) -> None:
    """For any C and G."""
    assert holds(found, "3")[1]
    assert len(found["energy-3"].rows) == 3 * RUNS


def test_the_buffer_keeps_to_the_upper_bound(found) -> None:
    """At every step of every run."""
    assert holds(found, "5")[0]
    rows = [row for row in found["energy-5"].rows if row["kind"] == "with buffer"]
    assert max(row["largest"] for row in rows) <= 25


def test_precision_is_compared_over_the_same_number_of_pages(found) -> None:
    """A crawl that ends early would be better only by its first pages."""
    (claim,) = found["energy-4"].claims
    visits = [row["visits"] for row in found["energy-4"].rows]
    claimed = float(claim.ours.split("first ")[1].split(" ")[0])
    pairs = list(zip(visits[:RUNS], visits[RUNS:], strict=True))
    assert claimed <= sum(min(pair) for pair in pairs) / RUNS + 0.5


def test_every_run_is_in_the_rows_and_every_kind_in_the_plot(found) -> None:
    """With the wanted number of seeds."""
    for findings in found.values():
        kinds = {row["kind"] for row in findings.rows}
        assert len(findings.rows) == len(kinds) * RUNS
        assert set(findings.plots[0].lines) == kinds
        assert all(len(line) > 10 for line in findings.plots[0].lines.values())


def test_the_seeds_are_the_best_hits_of_different_hosts(world: Recorded) -> None:
    """If there are so many hosts."""
    seeds = seeds_for(world, QUERY)
    assert len({url.split("/")[2] for url in seeds}) == 3
    assert seeds[0] == world.search(QUERY, 1)[0]
    assert len(set(seeds_for(world, QUERY, 8))) == 8
