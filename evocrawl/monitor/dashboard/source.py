"""The crawl that the dashboard shows and controls: a running one or a stored one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from evocrawl.core.errors import EvocrawlError
from evocrawl.core.model import AgentId, VisitId
from evocrawl.monitor.record import Record
from evocrawl.monitor.views import exclusions_of
from evocrawl.population.population import Population
from evocrawl.species.reasons import Trait, traits_of

Row = dict[str, Any]


class ControlError(EvocrawlError, ValueError):
    """The crawl refuses a control; the message says what is allowed."""


class Controls(Protocol):
    """Controls of a running crawl. Each method raises ControlError if it is not possible."""

    @property
    def state(self) -> str:
        """ "running", "paused", "stopping" or "finished"."""

    def parameters(self) -> Row:
        """Return the parameters that can be changed, by name."""

    def exclusions(self) -> list[str]:
        """Return the hosts, path patterns and lines of agents that are excluded."""

    def traits(self, agent: AgentId) -> Sequence[Trait]:
        """Return what a living agent has inherited or learnt; nothing of a dead one."""

    def stop(self) -> None:
        """End the crawl cleanly."""

    def pause(self) -> None:
        """Stop choosing links until `resume`."""

    def resume(self) -> None:
        """Continue after `pause`."""

    def change(self, values: Mapping[str, Any]) -> Row:
        """Change parameters; return all of them."""

    def exclude(self, pattern: str) -> None:
        """Exclude a host, or addresses that match a pattern, from now on."""

    def exclude_line(self, agent: AgentId) -> None:
        """End an agent and all its living descendants."""

    def mark(self, visit: VisitId, *, relevant: bool) -> Row:
        """Teach the crawl that a page is relevant, or is not; return what was before."""


class ReadOnly:
    """The controls of a crawl that has ended or that another process runs: all are refused.

    `population` is that of the store, as far as it is read.
    """

    def __init__(self, population: Population, state: str, reason: str) -> None:
        self.state = state
        self._population = population
        self._reason = reason

    def parameters(self) -> Row:
        """Return no parameters."""
        return {}

    def exclusions(self) -> list[str]:
        """Return the exclusions of the store."""
        return exclusions_of(self._population)

    def traits(self, agent: AgentId) -> Sequence[Trait]:
        """Return the traits of an agent that is alive where the store ends."""
        one = self._population.lifecycle.agents.get(agent)
        return () if one is None else traits_of(one, one.species.choice)

    def stop(self) -> None:
        """Raise ControlError."""
        raise ControlError(self._reason)

    pause = resume = stop

    def change(self, values: Mapping[str, Any]) -> Row:  # noqa: ARG002 - the protocol's form
        """Raise ControlError."""
        raise ControlError(self._reason)

    def exclude(self, pattern: str) -> None:  # noqa: ARG002
        """Raise ControlError."""
        raise ControlError(self._reason)

    def exclude_line(self, agent: AgentId) -> None:  # noqa: ARG002
        """Raise ControlError."""
        raise ControlError(self._reason)

    def mark(self, visit: VisitId, *, relevant: bool) -> Row:  # noqa: ARG002
        """Raise ControlError."""
        raise ControlError(self._reason)


@dataclass(slots=True)
class Source:
    """A crawl on the dashboard. `store` is "" for a crawl in memory, `note` a line for the viewer.

    `learnt` is the file of the link model that a stored crawl began with.
    """

    record: Record
    controls: Controls
    query: str
    species: str
    relevant_at: float
    store: str = ""
    learnt: str = ""
    note: str = ""
    title_of: Callable[[str], str] = lambda _: ""
    """Returns the title of a page, by its URL, whose result has none."""
    free_in_s: Callable[[str], float] = lambda _: 0.0
    """Returns in how many seconds a host may be asked again, 0 or less for now."""

    @property
    def limit(self) -> int | None:
        """The present budget of requests, None without a limit."""
        budget = getattr(self.record, "budget", None)
        return None if budget is None else budget.limit
