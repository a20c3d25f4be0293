"""Worlds with a trap in them, and what crawls leave there."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from world_files import write_rows

from evocrawl.core.config.config import Config
from evocrawl.simulation.runner import Run, run
from evocrawl.simulation.worlds.answers import AnsweringWorld
from evocrawl.simulation.worlds.made_up.trap_sites import TRAPS, Trap
from evocrawl.simulation.worlds.recorded import Recorded
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.simulation.worlds.trapped import Trapped, is_trap

QUERY = "coral bleaching"
PAGES = 300
BUDGET = 150
WORDS = [f"{a}{b}{c}{d}" for a in "bdfglmnprst" for b in "aeiou" for c in "lmnrst" for d in "aeo"]

EVERY_TRAP = pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> AnsweringWorld:
    """Three hundred pages, a fifth about the query, that link to each other at random."""
    rng = np.random.default_rng(1)
    ranks = np.arange(1, len(WORDS) + 1)
    rows = []
    for number in range(PAGES):
        words = rng.choice(WORDS, 360, p=1 / ranks / (1 / ranks).sum()).tolist()
        words[5::60] = [f"name{letter}{number}" for letter in "abcdef"]
        if number % 5 == 0:
            words[::12] = QUERY.split() * 15
        sentences = [" ".join(words[at : at + 12]) + "." for at in range(0, 360, 12)]
        rows.append(
            {
                "url": f"http://h{number % 3}.web.test/{number}",
                "text": " ".join(sentences),
                "links": [
                    {"url": f"http://h{each % 3}.web.test/{each}", "anchor": f"page {each}"}
                    for each in rng.integers(PAGES, size=8).tolist()
                ],
            }
        )
    return open_world(write_rows(tmp_path_factory.mktemp("web") / "web.jsonl", rows))


WORDS_ALONE = {"relevance": "tfidf", "calibrated": False}
"""Traps of query words lure a crawler that scores words alone; some do not lure the default."""


def crawl(web: AnsweringWorld, trap: Trap, species: str, **options: object) -> Run:
    """Crawl with a trap on a fifth of the pages."""
    settings = {"query": QUERY, "species": species, "max_requests": BUDGET, **options}
    seeds = web.search(QUERY, 3)
    return run(Trapped(web, trap, QUERY, share=0.2), Config.read({}, settings), seeds)


def share(done: Run) -> float:
    """The share of the requests that went into the trap."""
    return sum(is_trap(step.url) for step in done.steps) / done.requests


@EVERY_TRAP
def test_little_of_the_budget_goes_into_a_trap(web: AnsweringWorld, trap: Trap) -> None:
    """Less than a third, mostly far less, where two fifths or more would."""
    assert share(crawl(web, trap, "best_first")) < 1 / 3
    assert share(crawl(web, trap, "best_first", **WORDS_ALONE)) < 1 / 3
    assert share(crawl(web, trap, "best_first", **WORDS_ALONE, novelty=False)) > 2 / 5


@EVERY_TRAP
def test_a_trap_is_the_same_web_each_time_and_has_no_end(web: AnsweringWorld, trap: Trap) -> None:
    """Every link leads on within it."""
    one, other = (Trapped(web, trap, QUERY) for _ in range(2))
    todo, seen = [trap.entry], set[str]()
    for url in islice(todo, 0, None):
        if len(seen) >= 40:
            break
        document = one.answer(url, 0.0).document
        assert document is not None
        assert document == other.answer(url, 9.0).document
        assert all(is_trap(link.url) for link in document.links)
        seen.add(url)
        todo += [link.url for link in document.links if link.url not in seen]
    assert len(seen) >= 40


def test_the_world_around_a_trap_is_as_it_was(web: AnsweringWorld) -> None:
    """But for a link that stands first on some pages."""
    trapped = Trapped(web, TRAPS[0], QUERY, share=0.5)
    assert len(trapped) == len(web)
    assert trapped.search(QUERY, 3) == web.search(QUERY, 3)
    entries = 0
    for document in web.documents():
        found = trapped.answer(document.url, 0.0).document
        assert found is not None
        is_door = is_trap(found.links[0].url)
        assert found.links[is_door:] == document.links
        entries += is_door
    assert 0.35 * PAGES < entries < 0.65 * PAGES
    assert trapped.answer("http://nowhere.test/", 0.0).status == 404


def test_a_trap_needs_something_to_say() -> None:
    """A web that is not about the topic has no words for it."""
    with pytest.raises(ValueError, match="whale"):
        Trapped(Recorded([]), TRAPS[0], "whale")
