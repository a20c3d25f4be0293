"""How crawlers that learn rules tell them to those of other workers."""

from __future__ import annotations

from evocrawl.population.population import Population
from evocrawl.species.biocrawler.rules import MANAGED, Managed, Rule, RuleManager
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.redis.board import ClusterState
from evocrawl.store.cluster.redis.codec import RowCodec, SharedRule


class RuleExchange:
    """Brings the rule managers of all populations of a crawl into step.

    What one is told by its crawlers the others hear a beat later, and their crawlers when they next
    exchange rules. Redis keeps the best rules of all: those of a worker that is killed stay, and
    one that joins begins with them. Rules that cannot be read are put aside.
    """

    def __init__(
        self, board: ClusterState, rows: RowCodec, population: Population, holdings: HostLeases
    ) -> None:
        self._board = board
        self._rows = rows
        self._holdings = holdings
        self._managers: dict[str, RuleManager] = {
            each.name: each.learning.manager
            for each in population.species
            if isinstance(each.learning, Managed)
        }

    async def exchange(self) -> None:
        """Tell what is new here and hear what is new elsewhere. Raises Unreachable."""
        for species, manager in self._managers.items():
            told = dict(manager.untold)
            rules = [SharedRule(*key, strength) for key, strength in told.items()]
            rows = {self._rows.pack_rule(each): each.strength for each in rules}
            found = await self._board.exchange_rules(species, rows, MANAGED)
            manager.hear(await self._read(species, found), told)

    async def _read(self, species: str, rows: list[tuple[bytes, float]]) -> list[Rule]:
        rules = []
        for row, strength in rows:
            try:
                rule = self._rows.unpack_rule(row, strength)
            except ValueError as error:
                await self._holdings.put_aside("", "rules", b"", row, error)
                await self._board.discard_rule(species, row)
            else:
                rules.append(Rule(rule.condition, rule.target, rule.strength))
        return rules
