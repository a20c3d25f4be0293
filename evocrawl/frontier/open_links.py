"""The open links of each page, with the scores of one species."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from operator import attrgetter

from numpy.random import Generator

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Fingerprint, Lead
from evocrawl.frontier.page_links import PageLinks
from evocrawl.frontier.queue import MOST_LINKS
from evocrawl.frontier.sampling_set import SamplingSet


class OpenLinks:
    """Links by the page that contains them; claimed links are removed when they are read.

    A page that is fetched again may have the same links: each page keeps one link per target.
    About `most` links are in memory, the others in `spill`.
    """

    def __init__(
        self,
        is_claimed: Callable[[Fingerprint], bool],
        most: int = MOST_LINKS,
        spill: SpillFile | None = None,
    ) -> None:
        self._is_claimed = is_claimed
        self._links = PageLinks(most, spill)
        self._open = SamplingSet()

    def add(self, leads: Iterable[Lead]) -> None:
        """Add links to the pages that contain them. O(links of these pages).

        A claimed link that now leads to another host replaces the earlier link.
        """
        for page, found in groupby(leads, key=attrgetter("source")):
            here = self._links.get(page)
            known = {lead.fingerprint: at for at, lead in enumerate(here)}
            for lead in found:
                at = known.setdefault(lead.fingerprint, len(here))
                if at == len(here):
                    here.append(lead)
                elif here[at].host != lead.host and self._is_claimed(lead.fingerprint):
                    here[at] = lead
            self._links.put(page, here)
            self._open.add(page)

    def leads(self, page: Fingerprint) -> list[Lead]:
        """Return the open links of `page`; remove claimed links. O(links of the page)."""
        here = self._links.get(page)
        still = [lead for lead in here if not self._is_claimed(lead.fingerprint)]
        if not still:
            self._forget(page)
        elif len(still) < len(here):
            self._links.put(page, still)
        return still

    def draw_open(
        self, rng: Generator, contest: int, worth: Callable[[Fingerprint], float]
    ) -> Fingerprint | None:
        """Draw `contest` ≥ 1 pages with open links; return the one of the greatest `worth`.

        Return None if no page has open links. O(contest) amortised.
        """
        best: tuple[float, Fingerprint] | None = None
        while contest > 0 and (page := self._open.draw(rng)) is not None:
            if self._has_open(page):
                contest -= 1
                value = worth(page)
                if best is None or value > best[0]:
                    best = (value, page)
        return None if best is None else best[1]

    def _has_open(self, page: Fingerprint) -> bool:
        """Remove claimed links from the end of the page's list until one is open."""
        last = self._links.last_target(page)
        if last is not None and not self._is_claimed(last):
            return True
        leads = self._links.get(page)
        while leads and self._is_claimed(leads[-1].fingerprint):
            leads.pop()
        if leads:
            self._links.put(page, leads)
        else:
            self._forget(page)
        return bool(leads)

    def _forget(self, page: Fingerprint) -> None:
        self._links.forget(page)
        self._open.discard(page)
