"""A news web after the foragers paper: scale-free, a small world, and changing.

Palotai, Farkas & Lőrincz, §4.1: out-degrees ∝ k^−1.3, in-degrees ∝ k^−2.57, clustering 0.02, mean
path 7.29, about 31 000 URLs found (table 2); pages appear and change over 8 simulated days, and a
page younger than 24 hours is news. The state of a page is a vector of 50 topics (§3.1.2).

The paper does not give the following choices. Pages lie on a ring in the order of their topics, and
links between near pages create the clustering. Pages with links (the sections) exist from time 0; a
share of the others (the articles) appears later. Every link to an article appears with it, so the
linking pages change at that time. A share of the pages also changes without new links, each by a
Poisson process (Cho & Garcia-Molina 2000) with its own rate.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from evocrawl.core.model import Fingerprint
from evocrawl.simulation.worlds.made_up.base import Compared, Synthetic, Weather
from evocrawl.simulation.worlds.made_up.graph_measures import Shape, clustering_of, measure_graph
from evocrawl.simulation.worlds.made_up.vocabulary import chance
from evocrawl.simulation.worlds.made_up.webgraph import (
    Graph,
    Integers,
    balanced_degrees,
    rewired,
    wire,
)

DAY_S = 86_400.0
TOPICS = 50
_VECTOR = 8
_WIDTH = 100
"""Width of a stretch of near pages: a sixth of a topic of 30 000 pages."""

_TRIES = 7
_TRIAL_PAGES = 30_000
_TRIAL_NODES = 6_000
_RATE_SPREAD = 1.0


@dataclass(frozen=True, slots=True)
class NewsPlan:
    """Requested numbers of the web. Raises ValueError for impossible ones.

    ===============  =======================================================================
    field            meaning
    ===============  =======================================================================
    pages            pages over all times
    out_exponent     γ of the out-degrees of pages with links, in [1, `out_most`]
    in_exponent      γ of the in-degrees, from `in_least` on
    clustering       see `evocrawl.simulation.worlds.made_up.graph_measures`; approximate
    days             days during which pages appear and change
    appearing        share of the pages without links that appear after time 0
    changing         share of pages that change without new links
    interval_h       median over these pages of the mean time between changes (log-normal, σ = 1)
    hosts            hosts among which the topics are divided
    ===============  =======================================================================
    """

    pages: int = 30_000
    out_exponent: float = 1.3
    in_exponent: float = 2.57
    clustering: float = 0.02
    out_most: int = 100
    in_least: int = 2
    days: float = 8.0
    appearing: float = 0.5
    changing: float = 0.1
    interval_h: float = 24.0
    hosts: int = 1
    weather: Weather = field(default_factory=Weather)

    def __post_init__(self) -> None:
        if self.pages < 10 or self.out_most < 1 or self.in_least < 1:
            raise ValueError("pages must be at least 10, out_most and in_least at least 1")
        if not (0 < self.out_exponent <= 6 and 1 < self.in_exponent <= 6):
            raise ValueError("exponents must lie in (0, 6], in_exponent also above 1")
        for name in ("clustering", "appearing", "changing"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in [0, 1], not {getattr(self, name)}")
        if not (0 <= self.days <= 3650 and 0.1 <= self.interval_h <= 1e6):
            raise ValueError("days must lie in [0, 3650], interval_h in [0.1, 1000000]")
        if not 1 <= self.hosts <= TOPICS:
            raise ValueError(f"hosts must lie in [1, {TOPICS}]")


class News(Synthetic):
    """The web of a plan. Times are seconds since time 0; earlier times are negative."""

    def __init__(self, plan: NewsPlan, rng: Generator) -> None:
        self.plan = plan
        graph = _small_world(plan, rng)
        forbidden = rng.random(plan.pages) < plan.weather.forbidden
        super().__init__("news", graph, forbidden, plan.weather, TOPICS, rng)
        self._births = _births(graph, plan, rng)
        self._change_starts, self._changes = _changes(self._births, plan, rng)

    def rewired(self, rng: Generator) -> Self:
        """Return this web with rewired links: it is not a small world, all else is equal."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.name = f"{self.name}-rewired"
        other.graph = rewired(self.graph, rng)
        other._drawn = {}
        other._index = None
        return other

    def measure(self, rng: Generator) -> Shape:
        """Return the measures of the links."""
        return measure_graph(self.graph, rng, in_least=self.plan.in_least)

    def compared(self, rng: Generator) -> tuple[Compared, ...]:
        """Return the numbers of the plan with the measured numbers."""
        shape, plan = self.measure(rng), self.plan
        return (
            Compared("pages", plan.pages, shape.pages),
            Compared("links", None, shape.links),
            Compared("out-degree exponent", -plan.out_exponent, shape.out_exponent),
            Compared("in-degree exponent", -plan.in_exponent, shape.in_exponent),
            Compared("clustering", plan.clustering, shape.clustering),
            Compared("mean path length", None, shape.path_length),
            Compared("longest path found", None, shape.largest_path),
        )

    def topic_vector(self, url: str) -> NDArray[np.float64]:
        """Return the state of a page: for 50 topics the tanh of the evidence, in (−1, 1).

        Raises KeyError if the page exists at no time.
        """
        page = self.page(url)
        if page is None:
            raise KeyError(url)
        evidence = chance(self._seed, page, _VECTOR, np.arange(TOPICS)) - 0.5
        main, side = self.topics_of(np.array([page]))
        evidence[side] += 1.0
        evidence[main] += 2.0
        return np.tanh(evidence)

    def is_news(self, url: str, now_s: float) -> bool:
        """Return whether a page exists and is younger than 24 hours."""
        changed_at_s = self.changed_at(url, now_s)
        return changed_at_s is not None and now_s - changed_at_s < DAY_S

    def host(self, page: int) -> str:
        """Return the host of a page; a host has neighbouring topics."""
        return f"n{page * self.plan.hosts // self.plan.pages}.news.test"

    def path(self, page: int) -> str:
        """Return the path of a page; disallowed pages are in one folder."""
        return f"/private/{page}" if self.forbidden[page] else f"/{page}"

    def topics_of(self, pages: Integers) -> tuple[Integers, Integers]:
        """Return the topic of each page by its place on the ring, and a neighbouring topic."""
        main = pages.astype(np.int64) * TOPICS // self.plan.pages
        return main, (main + 1 - 2 * (pages % 2)) % TOPICS

    def exists(self, page: int, now_s: float) -> bool:
        """Return whether a page has appeared."""
        return bool(self._births[page] <= now_s)

    def revision(self, page: int, now_s: float) -> tuple[int, float | None]:
        """Return the number of changes of a page so far, and the time of the last one."""
        changes = self.changes_of(page)
        past = changes[changes <= now_s]
        return max(len(past) - 1, 0), float(past[-1] if len(past) else changes[0])

    def changes_of(self, page: int) -> NDArray[np.float64]:
        """Return the times at which a page appears and changes, ascending, in seconds."""
        born = self._births[page]
        own = self._changes[self._change_starts[page] : self._change_starts[page + 1]]
        linked = self._births[self.graph.out(page)]
        later = np.concatenate((own.astype(np.float64), linked[linked > max(born, 0.0)]))
        later.sort()
        return np.concatenate(([born], later))

    def topics(self) -> tuple[str, ...]:
        """Return the names of the topics of pages."""
        present = np.unique(self.topics_of(np.arange(self.plan.pages))[0])
        return tuple(_topic_name(int(topic)) for topic in present)

    def about(self, topic: str) -> frozenset[Fingerprint]:
        """Return the fetchable pages of a topic; raises KeyError if unknown."""
        if topic not in self.topics():
            raise KeyError(topic)
        main, _ = self.topics_of(np.arange(self.plan.pages))
        return self.fingerprints(np.flatnonzero(main == int(topic.rpartition("-")[2])))

    def hosts(self) -> tuple[str, ...]:
        """Return the hosts, in the order of their topics."""
        return tuple(f"n{number}.news.test" for number in range(self.plan.hosts))

    def robots_txt(self, host: str) -> str:  # noqa: ARG002
        """Return rules that disallow the folder of the disallowed pages, if there are any."""
        return "User-agent: *\nDisallow: /private/\n" if self.forbidden.any() else ""

    def _visible(self, page: int, now_s: float) -> Integers:
        targets = self.graph.out(page)
        there: Integers = targets[self._births[targets] <= now_s]
        return there


def _topic_name(topic: int) -> str:
    return f"topic-{topic:02}"


def _small_world(plan: NewsPlan, rng: Generator) -> Graph:
    """Wire the pages so that the clustering is as near as possible to the requested one.

    Clustering grows with the share of near links. Bisection finds the share, on at most 30 000
    pages, since clustering hardly depends on the size.
    """
    trial = replace(plan, pages=min(plan.pages, _TRIAL_PAGES))
    degrees = _degrees(trial, rng)
    low, high = 0.0, 1.0
    for _ in range(_TRIES):
        graph = _wired(trial, degrees, (low + high) / 2, rng)
        if clustering_of(graph, _TRIAL_NODES, rng) < plan.clustering:
            low = (low + high) / 2
        else:
            high = (low + high) / 2
    if trial.pages != plan.pages:
        degrees = _degrees(plan, rng)
    return _wired(plan, degrees, (low + high) / 2, rng)


def _degrees(plan: NewsPlan, rng: Generator) -> tuple[Integers, Integers]:
    return balanced_degrees(
        plan.pages, plan.out_exponent, plan.in_exponent, plan.out_most, plan.in_least, rng
    )


def _wired(
    plan: NewsPlan, degrees: tuple[Integers, Integers], near: float, rng: Generator
) -> Graph:
    return wire(*degrees, near, min(_WIDTH, plan.pages / 30), rng)


def _births(graph: Graph, plan: NewsPlan, rng: Generator) -> NDArray[np.float64]:
    """Return the time at which each page appears; pages of time 0 are up to a year old."""
    late = (graph.out_degrees() == 0) & (rng.random(len(graph)) < plan.appearing)
    draws = rng.random(len(graph))
    return np.where(late, draws * plan.days, -365 * draws) * DAY_S


def _changes(
    births: NDArray[np.float64], plan: NewsPlan, rng: Generator
) -> tuple[Integers, NDArray[np.float32]]:
    """Return the index of each page's first change, shape (pages + 1,), and all times in seconds.

    A Poisson process has a Poisson number of events at uniform times.
    """
    end_s = plan.days * DAY_S
    interval_s = plan.interval_h * 3600 * np.exp(_RATE_SPREAD * rng.normal(size=len(births)))
    span_s = np.maximum(end_s - np.maximum(births, 0), 0)
    mean = np.where(rng.random(len(births)) < plan.changing, span_s / interval_s, 0.0)
    counts = rng.poisson(np.minimum(mean, 1e4))
    starts = np.concatenate(([0], np.cumsum(counts)))
    times = np.repeat(np.maximum(births, 0), counts)
    times += rng.random(len(times)) * np.repeat(span_s, counts)
    return starts, times.astype(np.float32)
