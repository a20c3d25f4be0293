"""Describes trials: topic, query, start, budget and seed.

=======  =========================================================================================
start    first pages of the crawl
=======  =========================================================================================
search   the first results of a search in the world for the query, 3 by default
far      one page, not relevant, from which the nearest relevant page is at least 2 links away;
         drawn with the trial's seed
given    the URLs of the trial
=======  =========================================================================================

The budget is 5 requests for each relevant page of the topic, at most half the world.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from hashlib import blake2b
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np

from evocrawl.core.config.config import Config
from evocrawl.core.errors import EvocrawlError
from evocrawl.core.model import Fingerprint
from evocrawl.simulation.worlds.base import Arrived, World
from evocrawl.simulation.worlds.link_graph import WebGraph

Start = Literal["search", "far", "given"]

BUDGET_PER_RELEVANT = 5
FAR = 2
SEARCH_HITS = 3
_COLUMNS = ("split", "topic", "query")


class TrialError(EvocrawlError):
    """A trial cannot be run as described; the message names the change that is needed."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A line of a topics file: `name` is a label of pages, `query` is the query of a user."""

    split: str
    name: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One run to make. `topic` "": no labels. `budget` None: the default budget.

    `seeds` are the URLs of the start "given", `hits` is the number of pages of the start "search".
    `settings` are further options of evocrawl, as pairs (name, text).
    """

    query: str
    species: str
    topic: str = ""
    start: Start = "search"
    seed: int = 0
    budget: int | None = None
    seeds: tuple[str, ...] = ()
    hits: int = SEARCH_HITS
    settings: tuple[tuple[str, str], ...] = ()

    def key(self, world: str) -> str:
        """Return the key of this trial in `world` (a name or path), the same in each process."""
        text = json.dumps([world, asdict(self)], sort_keys=True)
        return blake2b(text.encode(), digest_size=12).hexdigest()

    def config(self, budget: int) -> Config:
        """Return the configuration of the run. Raises SettingError."""
        own = {"query": self.query, "species": self.species, "seed": self.seed}
        return Config.read({}, {**dict(self.settings), **own, "max_requests": budget})


def trials_of(
    topics: Iterable[Topic],
    species: Iterable[str],
    starts: Iterable[Start],
    seeds: Iterable[int],
    *,
    budget: int | None = None,
    settings: tuple[tuple[str, str], ...] = (),
    urls: tuple[str, ...] = (),
    hits: int = SEARCH_HITS,
) -> list[Trial]:
    """Return the trials of every topic, start, seed and species, in this order of loops.

    `urls` are the pages of the start "given", `hits` is the number of pages of "search".
    """
    return [
        Trial(
            query=topic.query,
            species=name,
            topic=topic.name,
            start=start,
            seed=seed,
            budget=budget,
            seeds=urls,
            hits=hits,
            settings=settings,
        )
        for topic, start, seed, name in product(topics, starts, seeds, species)
    ]


def read_topics(path: Path, split: str = "") -> list[Topic]:
    """Read tab-separated lines of split, topic and query; the first line names the columns.

    With `split`, return only the lines of that split. Raises TrialError, with the number of the
    line, for a malformed file or a split without lines; OSError if there is no file.
    """
    try:
        lines = list(csv.reader(path.read_text("utf-8").split("\n"), delimiter="\t"))
    except UnicodeDecodeError as error:
        raise TrialError(f"{path}: not UTF-8 text: {error}") from error
    if not lines or tuple(lines[0]) != _COLUMNS:
        raise TrialError(f"{path}: line 1: expected, by tabs, the columns {', '.join(_COLUMNS)}")
    topics = []
    for number, fields in enumerate(lines[1:], 2):
        if not fields:
            continue
        if len(fields) != len(_COLUMNS) or not all(map(str.strip, fields)):
            raise TrialError(f"{path}: line {number}: expected, by tabs, {', '.join(_COLUMNS)}")
        topics.append(Topic(*map(str.strip, fields)))
    splits = {topic.split for topic in topics}
    if split and split not in splits:
        raise TrialError(
            f"{path}: no line of split {split!r}; there are {', '.join(sorted(splits))}"
        )
    return [topic for topic in topics if not split or topic.split == split]


def budget_of(relevant: int, pages: int) -> int:
    """Return the budget of a topic of `relevant` pages in a world of `pages`, at least 1.

    >>> budget_of(20, 4604), budget_of(1000, 4604)
    (100, 2302)
    """
    return max(min(BUDGET_PER_RELEVANT * relevant, pages // 2), 1)


def far_start(world: World, graph: WebGraph, relevant: Collection[Fingerprint], seed: int) -> str:
    """Return a page for the start "far"; `seed` draws it, all candidates are equally likely.

    Raises TrialError if no page of the world is so far from the relevant pages.
    """
    distance = graph.links_to_nearest(graph.numbers(relevant))
    candidates = sorted(graph.urls[page] for page in np.flatnonzero(distance >= FAR))
    for number in np.random.default_rng(seed).permutation(len(candidates)).tolist():
        url: str = candidates[number]
        answer = world.fetch(url, 0.0)
        if isinstance(answer, Arrived) and answer.document.url == url:
            return url
    raise TrialError(
        f"no page of {world.name} is {FAR} links or more from the nearest relevant one"
    )
