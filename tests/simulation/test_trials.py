"""Topics, starts, budgets, and reachable pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulation_worlds import SmallWorld, random_world, url

from evocrawl.core.errors import EvocrawlError
from evocrawl.simulation.evaluation.measures import recall_auc
from evocrawl.simulation.trials import (
    Topic,
    Trial,
    TrialError,
    budget_of,
    far_start,
    read_topics,
    trials_of,
)
from evocrawl.simulation.worlds.link_graph import UNREACHABLE, WebGraph, reachable_oracle


def chain(length: int) -> SmallWorld:
    """Return a chain of pages: page 0 links to 1, and so on; the last one is relevant."""
    links = {url(n): [url(n + 1)] if n + 1 < length else [] for n in range(length)}
    return SmallWorld(links, labels={"Goal": [url(length - 1)]})


def test_the_budget_is_five_for_each_relevant_page_at_most_half_the_world() -> None:
    """It is at least 1."""
    assert (budget_of(10, 1000), budget_of(300, 1000), budget_of(0, 1)) == (50, 500, 1)


def test_a_far_start_is_two_links_or_more_from_relevant_pages() -> None:
    """In a chain of five all but the last two; each is drawn by some seed, reproducibly."""
    world = chain(5)
    graph = WebGraph(world)
    drawn = [far_start(world, graph, world.about("Goal"), seed) for seed in range(40)]
    assert set(drawn) == {url(0), url(1), url(2)}
    assert drawn == [far_start(world, graph, world.about("Goal"), seed) for seed in range(40)]


def test_a_page_without_a_way_to_relevant_pages_is_no_far_start() -> None:
    """An isolated page has no nearest relevant page; without other far pages there is no start."""
    world = SmallWorld({url("a"): [url("b")], url("b"): [], url("island"): []},
                       labels={"Goal": [url("b")]})  # fmt: skip
    with pytest.raises(TrialError, match="2 links or more"):
        far_start(world, WebGraph(world), world.about("Goal"), 0)


def test_distances_follow_redirects_and_not_dead_pages() -> None:
    """The way through a redirect is one link long, and no way leads through a dead page."""
    world = SmallWorld(
        {url("a"): [url("old"), url("dead")], url("b"): [], url("c"): [url("dead")]},
        moved={url("old"): url("b")},
    )
    graph = WebGraph(world)
    (goal,) = graph.numbers(each.fingerprint for each in world.documents() if each.url == url("b"))
    distance = dict(zip(graph.urls, graph.links_to_nearest([goal]).tolist(), strict=True))
    assert distance == {url("a"): 1, url("b"): 0, url("c"): UNREACHABLE}


@given(st.integers(1, 12), st.integers(1, 30))
def test_the_oracle_is_perfect_if_all_pages_link_to_each_other(relevant: int, budget: int) -> None:
    """From a relevant page: recall_auc is 1."""
    pages = [url(number) for number in range(15)]
    graph = WebGraph(SmallWorld(dict.fromkeys(pages, pages)))
    goals = range(relevant)
    hits = reachable_oracle(graph, goals, [0], budget)
    assert recall_auc(hits, budget, relevant) == pytest.approx(1.0)


def test_the_oracle_takes_the_shortest_way_and_skips_no_link() -> None:
    """There is a long way over p and a short one over q; the second relevant page is next."""
    world = SmallWorld(
        {url("s"): [url("p"), url("q")], url("p"): [url("p2")], url("p2"): [url("g")],
         url("q"): [url("g")], url("g"): [url("h")], url("h"): []},
    )  # fmt: skip
    graph = WebGraph(world)
    number = {name: graph.urls.index(url(name)) for name in "sqgh"}
    goals = [number["g"], number["h"]]
    assert reachable_oracle(graph, goals, [number["s"]], 10) == [3, 4]
    assert reachable_oracle(graph, goals, [number["s"]], 3) == [3]
    assert reachable_oracle(graph, goals, [], 10) == []


@given(st.integers(0, 200), st.integers(1, 60))
def test_the_oracle_fetches_every_reachable_page_once(seed: int, budget: int) -> None:
    """Within the budget, in rising order; with enough of it, all reachable pages."""
    world = random_world(seed)
    graph = WebGraph(world)
    goals = graph.numbers(world.about("Nature.Corals"))
    hits = reachable_oracle(graph, goals, [0], budget)
    assert hits == sorted(set(hits))
    assert all(1 <= hit <= budget for hit in hits)
    reach, todo = {0}, [0]
    while todo:
        new = set(graph.out(todo.pop())) - reach
        reach |= new
        todo += new
    assert len(reachable_oracle(graph, goals, [0], 10_000)) == len(goals & reach)


def test_topics_are_read_by_split(tmp_path: Path) -> None:
    """Empty lines do not count."""
    path = tmp_path / "topics.tsv"
    path.write_text("split\ttopic\tquery\ndev\tA.B\tsome words\n\ncheck\tC\tothers\n")
    assert [topic.name for topic in read_topics(path)] == ["A.B", "C"]
    assert [topic.query for topic in read_topics(path, "check")] == ["others"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1"),
        ("topic\tquery\n", "line 1: expected, by tabs, the columns split, topic, query"),
        ("split\ttopic\tquery\ndev\tA\n", "line 2: expected, by tabs, split, topic, query"),
        ("split\ttopic\tquery\ndev\tA\t \n", "line 2"),
        ("split\ttopic\tquery\ndev\tA\tq\n", "no line of split 'test'; there are dev"),
        ("split\ttopic\tquery\ndev\tA\t\xff\n", "not UTF-8"),
    ],
)
def test_a_bad_topics_file_is_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    """The message has the line and the reason."""
    path = tmp_path / "topics.tsv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(TrialError, match=message):
        read_topics(path, "test")


def test_the_key_of_a_trial_has_every_field() -> None:
    """Equal trials have equal keys, in every process; each field changes the key."""
    trial = Trial(query="q", species="energy")
    others = [
        Trial(query="r", species="energy"), Trial(query="q", species="random"),
        Trial(query="q", species="energy", topic="T"), Trial(query="q", species="energy", seed=1),
        Trial(query="q", species="energy", start="far"), Trial(query="q", species="energy", hits=4),
        Trial(query="q", species="energy", budget=5),
        Trial(query="q", species="energy", settings=(("gain", "4"),)),
    ]  # fmt: skip
    assert trial.key("w") == Trial(query="q", species="energy").key("w")
    assert len({each.key("w") for each in [trial, *others]} | {trial.key("v")}) == len(others) + 2


def test_trials_are_every_combination() -> None:
    """Topics are the outer loop, so that data of a topic is computed once."""
    topics = read_topics_of("A", "B")
    trials = trials_of(topics, ["energy", "random"], ["search", "far"], range(3))
    assert len(trials) == len(set(trials)) == 2 * 2 * 2 * 3
    assert [trial.topic for trial in trials] == ["A"] * 12 + ["B"] * 12


def test_settings_of_a_trial_reach_the_configuration() -> None:
    """Values of the trial have precedence; a wrong name is an error."""
    trial = Trial(query="corals", species="random", seed=3, settings=(("gain", "4"),))
    config = trial.config(77)
    assert (config.gain, config.species, config.seed, config.max_requests) == (4.0, "random", 3, 77)
    with pytest.raises(EvocrawlError, match="did you mean"):
        Trial(query="corals", species="random", settings=(("gian", "4"),)).config(1)


def read_topics_of(*names: str) -> list[Topic]:
    return [Topic("dev", name, "words") for name in names]
