"""A population crawls a simulated world."""

from __future__ import annotations

import numpy as np
import pytest
from simulation_worlds import SmallWorld, random_world, url

from evocrawl import relevance
from evocrawl.core.config.config import Config
from evocrawl.core.events import Event
from evocrawl.core.fetch import KNOWN
from evocrawl.core.model import Content
from evocrawl.relevance.base import Extra
from evocrawl.simulation.runner import OVER_BUDGET, Run, run
from evocrawl.simulation.scoring import PageScorer
from evocrawl.species import SPECIES


def config(species: str = "breadth_first", max_requests: int = 100, seed: int = 0) -> Config:
    return Config.read(
        {},
        {
            "query": "coral bleaching",
            "species": species,
            "max_requests": max_requests,
            "seed": seed,
        },
    )


def simulate(world: SmallWorld, *seeds: str, species: str = "breadth_first", **options) -> Run:
    budget = options.pop("budget", 100)
    return run(world, config(species, budget), seeds or [url("a")], **options)


def test_pages_are_fetched_one_after_the_other_in_the_species_order() -> None:
    """Breadth first is a queue; the clock advances by the time of each fetch."""
    world = SmallWorld({url("a"): [url("b"), url("c")], url("b"): [url("d")], url("c"): [],
                        url("d"): []}, takes_s={url("b"): 5.0})  # fmt: skip
    done = simulate(world)
    assert [step.url for step in done.steps] == [url(name) for name in "abcd"]
    assert [step.finished_at_s for step in done.steps] == [1.0, 6.0, 7.0, 8.0]
    assert [step.request for step in done.steps] == [1, 2, 3, 4]
    assert (done.stop_reason, done.simulated_s, done.requests) == ("exhausted", 8.0, 4)


def test_visits_overlap_up_to_the_concurrency_and_settle_as_they_end() -> None:
    """A slow page does not delay the others, and no more than two are under way."""
    world = SmallWorld({url(name): [] for name in "abc"}, takes_s={url("a"): 10.0})
    done = simulate(world, url("a"), url("b"), url("c"), concurrency=2)
    assert [step.url[-1] for step in done.steps] == ["b", "c", "a"]
    assert world.fetched == [(url("a"), 0.0), (url("b"), 0.0), (url("c"), 1.0)]
    assert done.simulated_s == 10.0


def test_the_clock_jumps_over_the_delay_of_a_host() -> None:
    """Starts at one host are separated by its delay; another host is fetched in between."""
    pages = [url("a"), url("b"), url("x", host=1)]
    world = SmallWorld({page: [] for page in pages})
    done = simulate(world, *pages, concurrency=3, host_limit=lambda _: (1, 60.0))
    assert world.fetched == [(url("a"), 0.0), (url("x", host=1), 0.0), (url("b"), 60.0)]
    assert done.seconds < 30


def test_every_request_counts_dead_links_refusals_and_redirects_too() -> None:
    """A redirect is two requests, and a visit has the number of its last one."""
    links = [url("old"), url("gone"), url("no"), url("b")]
    world = SmallWorld(
        {url("a"): links, url("b"): [], url("new"): []},
        moved={url("old"): url("new")},
        refused=[url("no")],
    )
    done = simulate(world)
    steps = [(step.url.rsplit("/")[-1], step.request, step.outcome) for step in done.steps]
    assert steps == [("a", 1, "fetched"), ("old", 3, "fetched"), ("gone", 4, "dead"),
                    ("no", 5, "refused"), ("b", 6, "fetched")]  # fmt: skip
    assert done.requests == 6


def test_a_redirect_to_a_page_that_is_known_is_dead_and_not_followed() -> None:
    """As in a crawl, there is one request, since the second one is never sent."""
    world = SmallWorld({url("a"): [url("old"), url("b")], url("b"): []},
                       moved={url("old"): url("a")})  # fmt: skip
    done = simulate(world)
    assert [(step.reason, step.request) for step in done.steps] == [("", 1), (KNOWN, 2), ("", 3)]


def test_the_target_of_a_redirect_is_not_fetched_again() -> None:
    """Both addresses are taken."""
    world = SmallWorld({url("a"): [url("old"), url("new")], url("new"): []},
                       moved={url("old"): url("new")})  # fmt: skip
    assert [step.url for step in simulate(world).steps] == [url("a"), url("old")]


def test_a_redirect_ends_with_the_budget() -> None:
    """The budget is never exceeded."""
    world = SmallWorld({url("a"): [url("old")], url("new"): []}, moved={url("old"): url("new")})
    done = simulate(world, budget=2)
    assert [(step.reason, step.request) for step in done.steps] == [("", 1), (OVER_BUDGET, 2)]
    assert (done.requests, done.stop_reason) == (2, "budget")


@pytest.mark.parametrize("species", SPECIES)
@pytest.mark.parametrize("concurrency", [1, 4])
def test_the_same_seed_gives_the_same_run_event_for_event(species: str, concurrency: int) -> None:
    """Births, moves, meals and visits; also two runs that share a scorer."""
    records: list[list[Event]] = []
    scorer: PageScorer | None = None
    for _ in range(3):
        events: list[Event] = []
        world = random_world(3)
        run(
            world, config(species, 50, 7), [url(0)], concurrency=concurrency,
            relevant=world.about("Nature.Corals"), scorer=scorer, on_event=[events.append],
        )  # fmt: skip
        records.append(events)
        scorer = scorer or PageScorer(relevance.Wanted.by(config(species, 50, 7)).make())
    assert len(records[0]) > 20
    assert records[0] == records[1] == records[2]


def test_another_seed_gives_another_run() -> None:
    """The species `energy` makes random draws."""
    orders = {
        tuple(step.url for step in run(random_world(3), config("energy", 40, seed), [url(0)]).steps)
        for seed in range(5)
    }
    assert len(orders) > 1


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("species", ["energy", "best_first"])
def test_the_counts_of_a_run_agree(seed: int, concurrency: int, species: str) -> None:
    """Requests rise to the total within the budget, no page is fetched twice, all visits settle."""
    budget = int(np.random.default_rng(seed).integers(1, 80))
    done = run(random_world(seed), config(species, budget, seed), [url(0)], concurrency=concurrency)
    requests = [step.request for step in done.steps]
    assert max(requests) <= done.requests <= budget
    assert concurrency > 1 or requests == sorted(requests)
    pages = [step.fingerprint for step in done.steps if step.outcome == "fetched"]
    assert len(pages) == len(set(pages)) == done.stats["evocrawl/pages"]
    assert done.stats["evocrawl/visits/unsettled"] == 0
    assert done.steps[-1].agents == sum(life.died is None for life in done.lives)
    ends = [step.finished_at_s for step in done.steps]
    assert ends == sorted(ends)


def test_a_judge_reads_each_document_once() -> None:
    """Scores are shared between runs of one query."""
    model = _Counting()
    scorer = PageScorer(model)
    world = random_world(1)
    first = run(world, config(), [url(0)], scorer=scorer)
    second = run(world, config("best_first"), [url(0)], scorer=scorer)
    pages = {step.fingerprint for done in (first, second) for step in done.steps
             if step.outcome == "fetched"}  # fmt: skip
    assert model.read == len(pages) == len(scorer)


def test_a_run_without_seeds_is_a_mistake() -> None:
    """No agent can begin."""
    with pytest.raises(ValueError, match="at least one seed"):
        run(random_world(0), config(), [])


class _Counting:
    reads: frozenset[Extra] = frozenset()

    def __init__(self) -> None:
        self.read = 0

    def page(self, _: Content) -> float:
        self.read += 1
        return 0.5

    def link(self, *_: str) -> float:
        return 0.5


def test_a_redirect_to_a_dead_page_that_is_known_is_not_followed() -> None:
    """A link that was requested once, with any outcome, is not requested again."""
    world = SmallWorld(
        {url("a"): [url("old"), url("gone"), url("older")]},
        moved={url("old"): url("gone"), url("older"): url("gone")},
    )
    done = simulate(world)
    steps = [(step.url, step.reason, step.request) for step in done.steps]
    assert steps == [(url("a"), "", 1), (url("old"), "404", 3), (url("older"), KNOWN, 4)]
