"""What keeps a population out of traps: pages that say nothing new, and links like those to them.

A page that says nothing new earns nothing, whatever its relevance; links of a template or domain
that is spent (see `evocrawl.yields`) are *held back*. They are not lost: they are open again when
the group yields again, or when there is nothing else to do. Only what has no end is left for good:

- links at the end of `LONGEST_RUN` pages in a row that said nothing new;
- links of a page that says nothing new whose path repeats itself (see `evocrawl.places`);
- links of an endless template;
- what is to be held back while `MOST_HELD` links are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from evocrawl.keys import KeyMap, KeySet
from evocrawl.model import Content, Fingerprint, Lead, Link, Page
from evocrawl.novelty import Novelty, Told
from evocrawl.pens import Held, Pens
from evocrawl.places import domain_of, has_token, repeats_itself, template_of
from evocrawl.species.base import Species
from evocrawl.urls import host_of
from evocrawl.yields import Yields

LONGEST_RUN = 20
MOST_HELD = 200_000
ENDLESS = "endless"
_AT_ONCE = 32
_PLACES = 1 << 24


class Targets:
    """Remembers where links led, in 16 MB: some 10 million targets before most look familiar."""

    def __init__(self) -> None:
        self._known = np.zeros(_PLACES, dtype=np.bool_)

    def meet(self, links: Sequence[Link]) -> float:
        """Return the share of `links`, at least one, to targets met before. O(links)."""
        places = [int.from_bytes(link.fingerprint[:4], "big") % _PLACES for link in links]
        share = float(self._known[places].mean())
        self._known[places] = True
        return share


@dataclass(slots=True)
class Traps:
    """Judges pages, and says which links are held back, by `yields` and what `novelty` remembers.

    `pens` hold those that wait, `endless` counts those left for good. Memory is some 16 bytes a
    page that said nothing new, beside that of the parts.
    """

    novelty: Novelty = field(default_factory=Novelty)
    yields: Yields = field(default_factory=Yields)
    targets: Targets = field(default_factory=Targets)
    pens: Pens = field(default_factory=Pens)
    endless: int = 0
    _runs: KeyMap = field(default_factory=lambda: KeyMap("<I"))
    _paroled: KeySet = field(default_factory=KeySet)

    @property
    def held(self) -> int:
        """How many links wait now."""
        return len(self.pens)

    def look(self, url: str, page: Fingerprint, content: Content) -> Told:
        """Tell what is new on a page, as things stand. O(characters)."""
        return self.novelty.look(page, template_of(url), content)

    def take(self, page: Page, via: Lead, *, is_first: bool) -> Told:
        """Tell what is new on a page that `via` led to, and remember it. O(characters)."""
        kind = template_of(page.url)
        told = self.novelty.look(page.fingerprint, kind, page.content)
        if told.is_new is False:
            self._runs.put(page.fingerprint, self._run(via.source) + told.is_telling)
        else:
            self.novelty.add(page.fingerprint, kind, page.content)
            self._runs.discard(page.fingerprint)
        if is_first:
            self._note(page, kind, told)
        return told

    def _note(self, page: Page, kind: str, told: Told) -> None:
        domain = domain_of(host_of(page.url))
        if told.is_new is not None and told.is_telling:
            self.yields.note(kind, domain, is_new=told.is_new)
        if told.new_words is not None:
            self.yields.new_words.note(domain, told.new_words)
        inward = [each for each in page.links if domain_of(host_of(each.url)) == domain]
        if inward:
            self.yields.links_met.note(domain, self.targets.meet(inward))

    def miss(self, lead: Lead) -> None:
        """A link led to no page."""
        self.yields.note(template_of(lead.url), domain_of(lead.host), is_new=False)

    def is_barren(self, page: Fingerprint) -> bool:
        """Return whether a page said nothing new when it was fetched. O(1)."""
        return page in self._runs

    def reason(self, lead: Lead) -> str:
        """Return what a link is held back by: the name of a group, `ENDLESS`, or "". O(1)."""
        if lead.fingerprint in self._paroled or not lead.source:
            return ""
        is_after_barren = self.is_barren(lead.source)
        if is_after_barren and (self._run(lead.source) >= LONGEST_RUN or repeats_itself(lead.url)):
            return ENDLESS
        domain = domain_of(lead.host)
        if self.yields.has_spent_templates(domain):
            kind = template_of(lead.url)
            if self.yields.is_endless(kind, has_token=has_token(lead.url)):
                return ENDLESS
            if self.yields.is_spent_template(kind):
                return f"template {kind}"
        is_spent = self.yields.is_spent_domain(domain)
        return f"domain {domain}" if is_spent or self._is_farm(lead.host, domain) else ""

    def sent(self, lead: Lead) -> None:
        """Somebody follows the link, or waits to. O(1)."""
        self.yields.go_to(lead.host, domain_of(lead.host))

    def _is_farm(self, host: str, domain: str) -> bool:
        return host != domain and self.yields.is_host_too_many(host, domain)

    def hold(self, reason: str, lead: Lead, species: Species) -> None:
        """Keep a link, or leave it for good where it is endless, or too many wait."""
        if reason == ENDLESS or self.held >= MOST_HELD:
            self.endless += 1
            return
        self.pens.put(reason, Held(lead, species))

    def freed(self, url: str) -> list[Held]:
        """Return some links whose group is not spent any more after a visit to `url`. O(1)."""
        if not self.pens:
            return []
        kind, domain = template_of(url), domain_of(host_of(url))
        names = [] if self.yields.is_spent_template(kind) else [f"template {kind}"]
        names += [] if self.yields.is_spent_domain(domain) else [f"domain {domain}"]
        pens = [name for name in names if name in self.pens]
        return [each for name in pens for each in self.pens.take(name, _AT_ONCE)]

    def paroled(self) -> list[Held]:
        """Return some links to go on with when there is nothing else; [] for none.

        They are of the group that is held back the longest, and pass. O(1).
        """
        name = self.pens.oldest
        if name is None:
            return []
        out = self.pens.take(name, _AT_ONCE)
        for each in out:
            self._paroled.add(each.lead.fingerprint)
        return out

    def _run(self, page: Fingerprint) -> int:
        """How many pages in a row said nothing new, up to this one."""
        known = self._runs.get(page)
        return 0 if known is None else int(known[0])
