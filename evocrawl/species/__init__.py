"""Species of agents: how they see, choose, learn and breed. One species a file."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from evocrawl.core.clock import Clock
from evocrawl.core.model import Fingerprint
from evocrawl.core.numbering import Numbering
from evocrawl.species.ache import ache
from evocrawl.species.base import PageBase, Species
from evocrawl.species.baselines import (
    at_random,
    best_first,
    best_first_anchor,
    breadth_first,
    oracle,
)
from evocrawl.species.biocrawler.species import biocrawler, biocrawler_dumb
from evocrawl.species.energy import LinkRelevance, energy
from evocrawl.species.evo.busy_hosts import BusyHosts
from evocrawl.species.evo.interfaces import LeadsByRow, SharedModel, row_of
from evocrawl.species.evo.species import evo
from evocrawl.species.fish_search import fish_search
from evocrawl.species.foragers.species import foragers
from evocrawl.species.foragers.text_states import TextStates
from evocrawl.species.infospiders.keyword_net import Lexicon
from evocrawl.species.infospiders.species import infospiders
from evocrawl.species.parts import Bar, OpenLinks, Queue
from evocrawl.species.random_queue import RandomQueue
from evocrawl.species.shark_search import shark_search
from evocrawl.species.tag_path_bandit import tag_path_bandit

__all__ = ["SPECIES", "Maker", "Species", "SpeciesContext"]


RowOf: TypeAlias = Callable[[Fingerprint], int | None]
"""Returns the row of a target, or None if it has no row."""


class QueueMaker(Protocol):
    """A function that makes an empty queue."""

    def __call__(self, row_of: RowOf | None = None) -> Queue:
        """Return a queue; with `row_of`, it may keep rows in place of targets.

        A `Numbering` also names the part that holds the links by row, so that the queue need not.
        """


@dataclass(frozen=True, slots=True)
class SpeciesContext:
    """The parts that species are made of; each species uses some of them.

    `frontier` makes an empty queue, `open_links` an empty store of open links by page, `lexicon` a
    reader of the words around links, `links` a link model, and `leads` a store of links by row.
    `is_awaited` returns whether links may wait for a busy host, `chance_elsewhere` the chance of
    the best link that waits at another worker of the crawl. `clock` has the time,
    `relevant_at` is the least relevance of a relevant page, and `labels` are the relevant pages, if
    a simulation knows them.
    """

    base: PageBase
    relevance: LinkRelevance
    frontier: QueueMaker
    open_links: Callable[[], OpenLinks]
    wander_share: float
    boldness: float
    contest: int
    selectivity: float = 0.0
    relevant_at: float = 0.2
    labels: Collection[Fingerprint] | None = None
    clock: Clock = field(default_factory=Clock)
    is_awaited: Callable[[str], bool] = field(kw_only=True, default=lambda _: False)
    chance_elsewhere: Callable[[], float] = field(kw_only=True, default=lambda: 0.0)
    lexicon: Callable[[], Lexicon] = field(kw_only=True)
    links: Callable[[], SharedModel] = field(kw_only=True)
    leads: Callable[[], LeadsByRow] = field(kw_only=True)

    def bar(self, share: float) -> Bar:
        """Return the bar for relevant pages: `relevant_at`, or that of the best `share` if lower.

        The shares in `SPECIES` were the best of 0.1, 0.2 and 0.4 on topics of an encyclopaedia.
        """
        return Bar(self.base.ranks, self.relevant_at, share)


Maker: TypeAlias = Callable[[SpeciesContext], Species]


def evo_with(have: SpeciesContext, model: SharedModel, **options: Any) -> Species:
    """Return the species `evo` with a link model, and other options of `evo` if given."""
    base, leads = have.base, have.leads()
    queue = have.frontier(Numbering(model.row_of, leads, row_of))
    busy_hosts = BusyHosts(have.selectivity, have.is_awaited, have.chance_elsewhere)
    return evo(queue, base, model, leads, busy_hosts, **options)


SPECIES: dict[str, Maker] = {
    "evo": lambda have: evo_with(have, have.links()),
    "energy": lambda have: energy(
        have.base,
        have.open_links(),
        have.relevance,
        wander_share=have.wander_share,
        boldness=have.boldness,
        contest=have.contest,
    ),
    "infospiders": lambda have: infospiders(
        have.base, have.open_links(), have.lexicon(), contest=have.contest
    ),
    "weblog": lambda _: foragers("weblog", TextStates()),
    "reinforcement": lambda _: foragers("reinforcement", TextStates()),
    "weblog_reinforcement": lambda _: foragers("weblog_reinforcement", TextStates()),
    "biocrawler": lambda have: biocrawler(have.base.is_claimed),
    "biocrawler_dumb": lambda have: biocrawler_dumb(have.base.is_claimed),
    "best_first": lambda have: best_first(have.frontier()),
    "best_first_anchor": lambda have: best_first_anchor(have.frontier(), have.relevance),
    "breadth_first": lambda have: breadth_first(have.frontier()),
    "random": lambda have: at_random(RandomQueue(have.base.is_claimed)),
    "fish_search": lambda have: fish_search(have.frontier(), have.bar(0.2)),
    "shark_search": lambda have: shark_search(have.frontier(), have.relevance),
    "ache": lambda have: ache(have.frontier(), have.base.is_claimed, have.bar(0.4)),
    "tag_path_bandit": lambda have: tag_path_bandit(have.base.is_claimed),
    "oracle": lambda have: oracle(have.frontier(), have.labels),
}
"""The maker of each species, by its name in the settings."""
