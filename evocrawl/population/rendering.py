"""Decides by energy whether pages like this one are worth opening in a browser.

The arms of the decision are the templates of URLs (`evocrawl.core.urls.templates`). Opening a page
of a template brings the net energy x = g − p: g is the energy on that page and on the pages that
are reached first through its links, p the fees for what it requested in the browser. In g a
relevant page counts for G at least: the energy models compare a page with the others of the crawl,
and give no energy to most pages of a site on which all pages are relevant. The belief about the
mean of x is normal, with the variance s² of one page known, s = G/8 (Gelman et al. 2013, Bayesian
Data Analysis, section 2.5):

    μ_n = (k·μ_0 + Σx) / (k + n),   σ_n = s / √(k + n)

μ_0 is the belief about the template's host, whose own μ_0 is that a page pays as half a relevant
one does: an unknown host is tried. A page is opened if a draw from the belief is above 0 (Thompson
1933), so that a template which does not pay is tried again, but rarely.

The draw depends on the seed, on the page and on what was learnt, and on nothing else: a crawl that
is resumed learns the same from its journal and decides the same.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from math import sqrt
from statistics import NormalDist
from typing import TypeVar

from evocrawl.core.budget import Budget
from evocrawl.core.fees import Fees
from evocrawl.core.model import Dead, Fetched, Fingerprint, Outcome, Page, Visit
from evocrawl.core.urls.identity import host_of
from evocrawl.core.urls.templates import template_of

K = TypeVar("K")
V = TypeVar("V")

_TEMPLATE_WEIGHT, _HOST_WEIGHT = 1.0, 2.0
"""k: the pages that the belief of the level above counts for."""
_MOST_ARMS = 10_000
_MOST_PAGES = 10_000
_FREE = 20
"""Requests that are always allowed, at any share, in a crawl without a limit."""
_NORMAL = NormalDist()


@dataclass(slots=True)
class Tally:
    """Pages of a template or a host that were opened in a browser, and their net energy."""

    pages: int = 0
    net: float = 0.0

    def mean(self, before: float, weight: float) -> float:
        """Return μ_n, where `before` is μ_0 and `weight` is k."""
        return (weight * before + self.net) / (weight + self.pages)


class RenderingChoice:
    """What opening pages in a browser has paid, by template and host.

    `gain` is G, the energy of a page whose relevance is `relevant_at` or more, and `share` the
    greatest share of the budget that pages in the browser may request. `requests` counts their
    requests. The last 10 000 templates and hosts are kept, and as many pages whose links may still
    pay. Every method is O(1).
    """

    def __init__(
        self,
        budget: Budget,
        fees: Fees,
        *,
        gain: float,
        relevant_at: float,
        share: float,
        seed: int = 0,
    ) -> None:
        self.requests = 0
        self._budget = budget
        self._fees = fees
        self._gain = gain
        self._relevant_at = relevant_at
        self._share = share
        self._seed = seed
        self._arms: OrderedDict[str, Tally] = OrderedDict()
        self._opened: OrderedDict[Fingerprint, str] = OrderedDict()

    def has_share(self, under_way: int = 0) -> bool:
        """Return True if one more request of a page in the browser is within the share.

        `under_way` is the number of requests of pages that are not settled yet.
        """
        whole = self._budget.share or self._budget.limit
        allowed = max(self._budget.spent, _FREE) if whole is None else whole
        return self.requests + under_way < self._share * allowed

    def is_worth(self, url: str, page: Fingerprint) -> bool:
        """Return True if a page at `url`, whose HTML is empty, is to be opened in a browser."""
        mean, spread = self.belief(url)
        return mean + spread * self._draw(page) > 0.0

    def belief(self, url: str) -> tuple[float, float]:
        """Return the mean net energy of such a page, and the standard deviation of the mean."""
        host = self._arms.get(host_of(url), Tally())
        arm = self._arms.get(template_of(url), Tally())
        mean = arm.mean(host.mean(self._gain / 2, _HOST_WEIGHT), _TEMPLATE_WEIGHT)
        return mean, self._gain / 8 / sqrt(_TEMPLATE_WEIGHT + arm.pages)

    def learn(self, visit: Visit, outcome: Outcome) -> None:
        """Learn from a settled visit: of a page opened in a browser, or one that it led to."""
        if not isinstance(outcome, Fetched | Dead):
            return
        page = outcome.page if isinstance(outcome, Fetched) else None
        energy = self._worth(page) if page else 0.0
        source = self._opened.get(visit.lead.source)
        if source is not None and energy:
            self._add(source, 0, energy)
        if outcome.cost.browser_requests:
            self.requests += outcome.cost.browser_requests
            url = page.url if page else visit.lead.url
            self._add(url, 1, energy - self._fees.of_browser(outcome.cost))
            if page:
                _keep(self._opened, page.fingerprint, url, _MOST_PAGES)

    def _worth(self, page: Page) -> float:
        """Return the energy that a page counts for; a copy or a page of a trap has none."""
        if page.energy and page.relevance >= self._relevant_at:
            return max(page.energy, self._gain)
        return max(page.energy, 0.0)

    def _add(self, url: str, pages: int, net: float) -> None:
        for name in (template_of(url), host_of(url)):
            tally = self._arms.get(name) or Tally()
            tally.pages += pages
            tally.net += net
            _keep(self._arms, name, tally, _MOST_ARMS)

    def _draw(self, page: Fingerprint) -> float:
        """Return a standard normal number."""
        key = b"%d %d %b" % (self._seed, self.requests, page)
        number = int.from_bytes(blake2b(key, digest_size=7).digest(), "big")
        return _NORMAL.inv_cdf((number + 0.5) / 2**56)


def _keep(kept: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > most:
        kept.popitem(last=False)
