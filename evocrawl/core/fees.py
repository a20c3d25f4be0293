"""Fees that an agent pays for visits.

A visit to a page costs C, which the energy models subtract from the page's energy. In addition the
agent pays for time (Pant & Menczer 2002, c_t·t/t_max), for links that robots.txt disallows
(BioCrawler's obstacles cost more than a move), and for what its page requests in a browser.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from evocrawl.core.model import Cost


@dataclass(frozen=True, slots=True)
class Fees:
    """Energies charged to an agent.

    `visit` is C, charged if the agent took no energy of the page (a known page, a full
    population). `dead` is charged for a dead link, `refusal` for one that robots.txt disallows,
    `hand_on` for each page of relevance > 0, whether it has energy or not (Palotai et al.: a URL
    sent to the reinforcing agent). `latency` is c_t, charged in full for a fetch that took
    `timeout_s` (t_max) or longer and in proportion for a faster one; a `timeout_s` of 0 means no
    time-out, and time is free. `browser` is charged for each request of a page in the browser, but
    at most `most_browser` for a page.
    """

    visit: float
    refusal: float
    dead: float
    latency: float = 0.0
    timeout_s: float = 180.0
    hand_on: float = 0.0
    browser: float = 0.0
    most_browser: float = inf

    def of_time(self, cost: Cost) -> float:
        """Return c_t · min(t, t_max)/t_max."""
        if self.timeout_s <= 0:
            return 0.0
        return self.latency * min(max(cost.seconds, 0.0) / self.timeout_s, 1.0)

    def of_browser(self, cost: Cost) -> float:
        """Return the fee for what a page requested in a browser, 0 if it was not opened there."""
        return min(self.browser * cost.browser_requests, self.most_browser)
