"""Exchanges learnt rules between the rule managers of several workers."""

from __future__ import annotations

from evocrawl.population.population import Population
from evocrawl.species.biocrawler.rules import MANAGED, Managed, Rule, RuleManager
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.redis.codec import RowCodec, SharedRule
from evocrawl.store.cluster.redis.state import ClusterState


class RuleExchange:
    """Synchronizes the rule managers of all populations of a crawl.

    A new rule of one manager reaches the others with their next heartbeat, and their agents at
    their next exchange. Redis keeps the best rules of all workers: the rules of a killed worker
    stay, and a new worker begins with them. An unreadable rule goes to the quarantine.
    """

    def __init__(
        self, state: ClusterState, rows: RowCodec, population: Population, host_leases: HostLeases
    ) -> None:
        self._state = state
        self._rows = rows
        self._host_leases = host_leases
        self._managers: dict[str, RuleManager] = {
            each.name: each.learning.manager
            for each in population.species
            if isinstance(each.learning, Managed)
        }

    async def exchange(self) -> None:
        """Send new rules to Redis and read the rules of other workers. Raises Unreachable."""
        for species, manager in self._managers.items():
            new = dict(manager.unsent)
            rules = [SharedRule(*key, strength) for key, strength in new.items()]
            rows = {self._rows.pack_rule(each): each.strength for each in rules}
            found = await self._state.exchange_rules(species, rows, MANAGED)
            manager.merge(await self._read(species, found), new)

    async def _read(self, species: str, rows: list[tuple[bytes, float]]) -> list[Rule]:
        rules = []
        for row, strength in rows:
            try:
                rule = self._rows.unpack_rule(row, strength)
            except ValueError as error:
                await self._host_leases.put_aside("", "rules", b"", row, error)
                await self._state.discard_rule(species, row)
            else:
                rules.append(Rule(rule.condition, rule.target, rule.strength))
        return rules
