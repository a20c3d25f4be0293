"""Sends agents to the workers that lease the hosts of their links, and takes agents in."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from evocrawl.core.model import Lead
from evocrawl.population.exchange import PopulationExchange
from evocrawl.population.individual import Individual
from evocrawl.store.cluster.redis.codec import TravellingAgent
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.outbox import OutboxBatch

logger = logging.getLogger(__name__)


class AgentTravel:
    """Moves agents between the population of this worker and Redis; `put` sends a batch."""

    def __init__(
        self,
        exchange: PopulationExchange,
        calls: RedisCommands,
        put: Callable[[OutboxBatch], None],
    ) -> None:
        self._exchange = exchange
        self._calls = calls
        self._put = put

    def welcome(self, guests: Iterable[TravellingAgent]) -> None:
        """Add agents that travelled to a host of this worker to the population."""
        for guest in guests:
            if not self._exchange.arrive(guest.species, guest.energy, guest.page, guest.mind):
                logger.warning("cluster: rejected an agent: unknown species or invalid mind")

    def send(self, agent: Individual, lead: Lead, owner: str) -> None:
        """Send an agent that was called back to the host of `lead`, if it may leave.

        `owner` is the worker that leases the host.
        """
        if not self._exchange.may_leave(agent):
            self._exchange.stay(agent)
            return
        minds = agent.species.minds
        mind = () if minds is None else minds.pack(agent.mind)
        guest = TravellingAgent(agent.species.name, agent.energy, lead.source, mind)
        # The guest has to be in Redis before its host's owner looks for it.
        news = self._calls.news(owner, "guest", lead.host)
        self._put(OutboxBatch(visits=[self._calls.visit(lead.host, guest)], news=[news]))
        self._exchange.leave(agent)
