"""One agent, as the parts of its species know it."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.random import Generator

from evocrawl.core.model import AgentId, Fingerprint


@dataclass(slots=True)
class Agent:
    """An agent. `page` is where it sits, `mind` what its species learns and inherits.

    `in_flight` is the number of its visits under way, `visits` of those that are settled.
    """

    id: AgentId
    energy: float
    page: Fingerprint
    rng: Generator
    parent: AgentId | None = None
    mind: object = None
    in_flight: int = 0
    visits: int = 0
