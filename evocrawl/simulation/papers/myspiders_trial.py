"""What the crawls of MySpiders' experiments share, and how they differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from evocrawl import relevance
from evocrawl.core.config.config import Config
from evocrawl.simulation.papers.base import Setup
from evocrawl.simulation.runner import Run, Step, run
from evocrawl.simulation.scoring import PageScorer
from evocrawl.simulation.worlds.base import World
from evocrawl.simulation.worlds.wrappers import Delayed
from evocrawl.species import Maker, Species, SpeciesContext
from evocrawl.species.infospiders.species import Traits, infospiders

TIMEOUT_S = 180.0
THREADS = 10
_HOST_SPREAD, _PAGE_SPREAD = 1.0, 0.5
"""σ of log-normal latencies: of hosts, and of the pages of a host."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the crawls compared: its settings, and its species where it has no name."""

    name: str
    settings: Mapping[str, object]
    maker: Maker | None = None


class Trial:
    """A web, a query, its seeds and a budget: what all crawls of an experiment share."""

    def __init__(self, setup: Setup) -> None:
        assert setup.world is not None
        self.setup = setup
        self.world = setup.world
        self.pages = 150 if setup.small else 1000
        self.seeds = self.world.search(setup.query, 5 if setup.small else 10)
        self.labels = frozenset(self.world.about(setup.topic)) if setup.topic else None
        self._scorers: dict[str, PageScorer] = {}

    @property
    def latency_cost(self) -> float:
        """The paper's c_t."""
        return len(self.seeds) * Traits().theta / self.pages

    def run(self, kind: Kind, world: World, seed: int) -> Run:
        """Make one crawl."""
        self.setup.progress(f"{kind.name}, seed {seed}")
        options = {"query": self.setup.query, "species": "infospiders", **kind.settings}
        config = Config.read({}, {**options, "seed": seed, "max_requests": self.pages})
        scorer = self._scorers.setdefault(
            config.query, PageScorer(relevance.create(config.relevance, config.query))
        )
        makers = () if kind.maker is None else (kind.maker,)
        return run(world, config, self.seeds, scorer=scorer, concurrency=THREADS, makers=makers)

    def all(self, kinds: Sequence[Kind], world: Callable[[int], World]) -> dict[str, list[Run]]:
        """Make the crawls of every kind, once a seed, which the `world` may depend on."""
        return {
            kind.name: [self.run(kind, world(seed), seed) for seed in self.setup.seeds]
            for kind in kinds
        }

    def is_relevant(self, step: Step) -> bool:
        """By the labels where the topic is given, else by the crawl's own score."""
        if step.relevance is None:
            return False
        return step.fingerprint in self.labels if self.labels else step.relevance >= 0.12

    def delayed(self, median: float, seed: int, *, spread: bool = True) -> Delayed:
        """The world with latencies of `median` time-outs, the same for all without `spread`."""
        return Delayed(
            self.world,
            median * TIMEOUT_S,
            timeout_s=TIMEOUT_S,
            seed=seed,
            host_spread=_HOST_SPREAD * (spread and len(self.world.hosts()) > 1),
            page_spread=_PAGE_SPREAD * spread,
        )


def maker_of(traits: Traits, *, pays_for_time: bool = True) -> Maker:
    """Return what makes the species with these traits."""

    def make(have: SpeciesContext) -> Species:
        species = infospiders(
            have.base, have.open_links(), have.lexicon(), contest=have.contest, traits=traits
        )
        return species if pays_for_time else replace(species, fees=None)

    return make
