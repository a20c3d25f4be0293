"""Makes the parts that the species of a crawl consist of: queues, stores of links, link model."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from evocrawl.core.config.config import Config
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Fingerprint
from evocrawl.frontier import CandidatesByRow, Frontier, MemoryPageBase, OpenLinks
from evocrawl.population.environment import Environment
from evocrawl.relevance.base import Relevance, met_by
from evocrawl.relevance.lexicon import Lexicon
from evocrawl.relevance.terms import link_analyser_of
from evocrawl.relevance.vectors.model import query_vectors_of
from evocrawl.species import RowOf, SpeciesContext
from evocrawl.species.evo.link_model import LinkModel, persistence, prior


class SpeciesParts:
    """Makes the parts that species consist of; `link_model` is the first one made, None before."""

    def __init__(
        self,
        config: Config,
        model: Relevance,
        environment: Environment,
        base: MemoryPageBase,
        spill: SpillFile,
        labels: Collection[Fingerprint] | None,
    ) -> None:
        self.link_model: LinkModel | None = None
        self._config = config
        self._model = model
        self._environment = environment
        self._base = base
        self._spill = spill
        self._labels = labels

    def context(self) -> SpeciesContext:
        """Return the parts for the makers of species."""
        config = self._config
        return SpeciesContext(
            self._base,
            self._model,
            self._frontier,
            self._open_links,
            config.wander_share,
            config.boldness,
            config.contest,
            config.selectivity,
            config.relevant_at,
            self._labels,
            self._environment.clock,
            is_awaited=self._environment.awaits,
            chance_elsewhere=self._environment.chance_elsewhere,
            lexicon=self._lexicon,
            links=self._links,
            leads=self._leads,
        )

    def _frontier(self, row_of: RowOf | None = None) -> Frontier:
        return Frontier(self._base.is_claimed, self._config.memory_links, self._spill, row_of)

    def _open_links(self) -> OpenLinks:
        return OpenLinks(self._base.is_claimed, self._config.memory_links, self._spill)

    def _lexicon(self) -> Lexicon:
        return Lexicon(self._config.query, self._config.language)

    def _leads(self) -> CandidatesByRow:
        return CandidatesByRow(self._config.memory_links, self._spill)

    def _links(self) -> LinkModel:
        config = self._config
        made = LinkModel(
            self._model.link,
            link_analyser_of(config.query, config.language),
            config.relevant_at,
            prior.shipped(),
            spill=self._spill,
            vectors=query_vectors_of(self._model),
            meets=partial(met_by, self._model),
        )
        if config.learnt:
            persistence.load(made, config.learnt)
        self.link_model = self.link_model or made
        return made
