"""What a BioCrawler sees: the links to a fixed number of domains.

Batzios et al. 2008, §3.3.1: "The vision vector is populated by the outgoing links of the current
page the crawler is at. If the page links to less distinct domains than the actual size of the
vision vector, the links of the previous page or pages the crawler has been at are used to fill in
the remaining spaces." The paper does not describe a page with links to more domains than there are
spaces; here the domains in sight are drawn at random, so that each can be in sight. A domain is a
host here, as for politeness and robots.txt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from numpy.random import Generator

from evocrawl.core.model import Fetched, Fingerprint, Lead, Outcome, Visit
from evocrawl.species.agent import Agent
from evocrawl.species.base import Move, View

ROOT = b""
"""The start of founders: an artificial page whose links are the seeds."""

_PAGES = 20_000
"""Number of pages whose links are kept; the oldest are dropped first."""
_TRIES = 32

Domains = dict[str, list[Lead]]
"""Links by the domain they lead to, in the order of the page."""


@dataclass(slots=True)
class Trail:
    """The distinct pages that a crawler has visited, the last first."""

    pages: list[Fingerprint] = field(default_factory=list)

    def arrive(self, page: Fingerprint, length: int) -> None:
        """Add the page of the crawler; keep at most `length` pages."""
        if self.pages[:1] != [page]:
            self.pages = [page, *(each for each in self.pages if each not in (page, ROOT))]
            del self.pages[length:]


class Vision:
    """The sight of crawlers: `size` ≥ 1 domains, with pages that were visited before.

    A link that led to no page is out of sight until its own page is fetched again. Only seeds that
    no agent has followed are in sight.
    """

    def __init__(
        self,
        size: int,
        trail_of: Callable[[Agent], Trail],
        is_claimed: Callable[[Fingerprint], bool],
    ) -> None:
        self._size = size
        self._trail_of = trail_of
        self._is_claimed = is_claimed
        self._seen: dict[Fingerprint, Domains] = {}
        self._pages: list[Fingerprint] = []
        self._next = 0

    def found(self, leads: Sequence[Lead]) -> None:
        """Replace the known links of a page by its present ones, or add seeds."""
        if not leads or (len(leads) == 1 and self._is_known(leads[0])):
            return
        page = leads[0].source
        if page == ROOT:
            leads = [*(seed for each in self._seeds().values() for seed in each), *leads]
        else:
            self._keep(page)
        self._seen[page] = _by_domain(leads)

    def wander(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Never wander."""
        return None

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> View:
        """See links to the domains whose host is free. O(links of the pages looked at)."""
        trail = self._trail_of(agent)
        trail.arrive(agent.page, self._size)
        found: Domains = {}
        for page in trail.pages:
            self._add(found, page, agent.rng)
            if len(found) == self._size:
                break
        busy = frozenset(domain for domain in found if not is_free(domain))
        return View([lead for each in found if each not in busy for lead in found[each]], busy)

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Go from a dead end to a known page that links somewhere. O(1)."""
        for _ in range(min(_TRIES, len(self._pages))):
            page = self._pages[int(agent.rng.integers(len(self._pages)))]
            if page != agent.page and any(self._seen[page].values()):
                return Move(page, "dead end")
        return Move(ROOT, "dead end") if agent.page != ROOT and self._seeds() else None

    def freed(self, host: str) -> None:
        """Do nothing: no link is queued by host."""

    def landed(self, visit: Visit, outcome: Outcome) -> None:
        """Forget the link of a settled visit that brought no page. O(links to the domain)."""
        lead = visit.lead
        if isinstance(outcome, Fetched):
            return
        here = self._seen.get(lead.source, {})
        links = here.get(lead.host, [])
        here[lead.host] = [each for each in links if each.fingerprint != lead.fingerprint]

    def _add(self, found: Domains, page: Fingerprint, rng: Generator) -> None:
        """Fill the vision with the domains of one page."""
        here = self._seeds() if page == ROOT else self._seen.get(page, {})
        names = [name for name, leads in here.items() if leads and name not in found]
        room = self._size - len(found)
        if len(names) > room:
            names = [names[each] for each in rng.permutation(len(names))[:room]]
        for name in names:
            found[name] = here[name]

    def _seeds(self) -> Domains:
        """Return the seeds that no agent has followed."""
        seeds = (seed for here in self._seen.get(ROOT, {}).values() for seed in here)
        return _by_domain([seed for seed in seeds if not self._is_claimed(seed.fingerprint)])

    def _is_known(self, lead: Lead) -> bool:
        """Return True if its page already has this very link, which was then not visited."""
        return any(each is lead for each in self._seen.get(lead.source, {}).get(lead.host, ()))

    def _keep(self, page: Fingerprint) -> None:
        """Make room for the links of a page."""
        if page in self._seen:
            return
        if len(self._pages) < _PAGES:
            self._pages.append(page)
            return
        del self._seen[self._pages[self._next]]
        self._pages[self._next] = page
        self._next = (self._next + 1) % _PAGES


def _by_domain(leads: Sequence[Lead]) -> Domains:
    domains: Domains = {}
    for lead in leads:
        if lead.fingerprint != lead.source:
            domains.setdefault(lead.host, []).append(lead)
    return domains
