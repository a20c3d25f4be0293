"""MySpiders' experiments, at a small scale."""

from __future__ import annotations

import pytest
from text_webs import QUERY, TOPIC, text_web

from evocrawl.simulation.papers.base import Findings, Setup
from evocrawl.simulation.papers.myspiders import EXPERIMENTS
from evocrawl.simulation.worlds.recorded import Recorded

SEEDS = (1, 2)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Return a web of texts."""
    return text_web(tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="module")
def found(world: Recorded) -> dict[str, Findings]:
    """Return the findings of each experiment."""
    setup = Setup(SEEDS, small=True, world=world, query=QUERY, topic=TOPIC)
    return {each.name: each.run(setup) for each in EXPERIMENTS}


def test_the_budget_is_used_except_in_the_worst_case(found: dict[str, Findings]) -> None:
    """If all fetches take the time-out and no page is relevant, half of it is left."""
    findings = found["myspiders-budget"]
    assert [claim.holds for claim in findings.claims] == [True, True, False, True]
    worst = [row for row in findings.rows if "all the time-out" in str(row["kind"])]
    assert {row["stop_reason"] for row in worst} == {"extinct"}
    assert all(75 <= float(str(row["requests"])) <= 85 for row in worst)


def test_a_cost_of_time_does_not_lower_the_quality(found: dict[str, Findings]) -> None:
    """The figures show whether it makes the crawl faster."""
    findings = found["myspiders-latency"]
    assert findings.claims[1].holds
    assert {row["kind"] for row in findings.rows} == {"with c_t", "without", "with 100 c_t"}
    assert all(float(str(row["simulated_s"])) > 0 for row in findings.rows)


def test_the_words_around_links_are_of_use(found: dict[str, Findings]) -> None:
    """Agents that read them find more than agents with the same estimate for all links."""
    rows = found["myspiders-learning"].rows
    relevant = {
        kind: sum(float(str(row["relevant"])) for row in rows if row["kind"] == kind)
        for kind in ("infospiders", "any link alike")
    }
    assert relevant["infospiders"] > 1.2 * relevant["any link alike"]
    assert "| best_first |" in found["myspiders-learning"].notes


def test_every_run_leaves_a_row_and_every_experiment_a_plot(found: dict[str, Findings]) -> None:
    """One for each kind and seed."""
    for findings in found.values():
        kinds = {row["kind"] for row in findings.rows}
        assert len(findings.rows) == len(kinds) * len(SEEDS)
        assert {*findings.plots[0].lines} == kinds
