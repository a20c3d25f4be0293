"""The trial that the experiments on MySpiders share, and its kinds of crawls."""

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
"""σ of log-normal latencies, for hosts and for the pages of a host."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the compared crawls: its settings, and its species if that has no name."""

    name: str
    settings: Mapping[str, object]
    maker: Maker | None = None


class Trial:
    """Web, query, seeds and budget, the same for all crawls of an experiment."""

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
        """c_t of the paper."""
        return len(self.seeds) * Traits().theta / self.pages

    def run(self, kind: Kind, world: World, seed: int) -> Run:
        """Run one crawl."""
        self.setup.progress(f"{kind.name}, seed {seed}")
        options = {"query": self.setup.query, "species": "infospiders", **kind.settings}
        config = Config.read({}, {**options, "seed": seed, "max_requests": self.pages})
        scorer = self._scorers.setdefault(
            config.query, PageScorer(relevance.Wanted.by(config).make())
        )
        makers = () if kind.maker is None else (kind.maker,)
        return run(world, config, self.seeds, scorer=scorer, concurrency=THREADS, makers=makers)

    def all(self, kinds: Sequence[Kind], world: Callable[[int], World]) -> dict[str, list[Run]]:
        """Run the crawls of every kind, one for each seed, in the `world` of that seed."""
        return {
            kind.name: [self.run(kind, world(seed), seed) for seed in self.setup.seeds]
            for kind in kinds
        }

    def is_relevant(self, step: Step) -> bool:
        """Return whether a page is relevant, by labels if there is a topic, else by its score."""
        if step.relevance is None:
            return False
        return step.fingerprint in self.labels if self.labels else step.relevance >= 0.12

    def delayed(self, median: float, seed: int, *, spread: bool = True) -> Delayed:
        """Return the world with a median latency of `median` time-outs; `spread` varies it."""
        return Delayed(
            self.world,
            median * TIMEOUT_S,
            timeout_s=TIMEOUT_S,
            seed=seed,
            host_spread=_HOST_SPREAD * (spread and len(self.world.hosts()) > 1),
            page_spread=_PAGE_SPREAD * spread,
        )


def maker_of(traits: Traits, *, pays_for_time: bool = True) -> Maker:
    """Return the maker of the species with these traits."""

    def make(have: SpeciesContext) -> Species:
        species = infospiders(
            have.base, have.open_links(), have.lexicon(), contest=have.contest, traits=traits
        )
        return species if pays_for_time else replace(species, fees=None)

    return make
