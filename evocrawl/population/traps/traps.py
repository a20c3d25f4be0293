"""What keeps a population out of traps: pages that say nothing new, and links like those to them.

A page that says nothing new earns nothing, whatever its relevance; links of a template or domain
that is spent (see `evocrawl.population.traps.yields`), that grow (see
`evocrawl.population.traps.growing_urls`) or that are of a section
that lives off itself (see `evocrawl.population.traps.sections`) are *held back*. None is lost:
they are open again
when the group yields again, or when there is nothing else to do, the most promising group first.
What seems to have no end gets a share, each suspect its own:

====================================================  ============================================
links                                                 are let out, when nothing else is left
====================================================  ============================================
of a spent template or domain; of a counter           all
that a user's spider asked for itself                 all, before the others
that grow                                             one for `SHARE` pages that said something new
of an endless template                                the same
at the end of `LONGEST_RUN` pages that said nothing   the same
of the last two, where their pages lead elsewhere     up to a fifth of the budget
of a domain that is made up                           up to a fifth of the budget
of a maze                                             up to a sixth, all its visits counted
of a barren page, whose path repeats itself           one for 100 pages that said something new
====================================================  ============================================

A share of the budget is at least `LEAST_PART`. Where there is no budget, it is taken for
`NO_BUDGET` requests and those that brought a new page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from evocrawl.core.budget import Budget
from evocrawl.core.containers.keymap import KeySet
from evocrawl.core.model import Content, Fingerprint, Lead, Link, Page
from evocrawl.core.urls.identity import host_of
from evocrawl.core.urls.templates import domain_of, has_token, repeats_itself, template_of
from evocrawl.population.traps.barren_runs import Runs
from evocrawl.population.traps.growing_urls import Growth
from evocrawl.population.traps.held_links import HeldLink, HeldLinks
from evocrawl.population.traps.novelty import NoveltyIndex, NoveltyVerdict
from evocrawl.population.traps.sections import Sections
from evocrawl.population.traps.yields import YieldTracker
from evocrawl.species.base import Species

LONGEST_RUN = 20
SHARE = 20
NO_BUDGET = 1_000
LEAST_PART = 20
_FIFTH, _SIXTH = 5, 6
_RARELY = 100
_NEVER = 1 << 62
_AT_ONCE = 32
_PLACES = 1 << 24


class SeenTargets:
    """Remembers where links led, in 16 MB: some 10 million targets before most look familiar."""

    def __init__(self) -> None:
        self._known = np.zeros(_PLACES, dtype=np.bool_)

    def meet(self, links: Sequence[Link]) -> npt.NDArray[np.bool_]:
        """Return which of `links`, at least one, lead to targets met before. O(links)."""
        places = [int.from_bytes(link.fingerprint[:4], "big") % _PLACES for link in links]
        met: npt.NDArray[np.bool_] = self._known[places]
        self._known[places] = True
        return met


@dataclass(slots=True)
class TrapDetector:
    """Judges pages, and says which links are held back, by `yields` and what `novelty` remembers.

    `pens` hold the links that wait, `asked` those that a spider asked for itself. Memory is that
    of the parts.
    """

    novelty: NoveltyIndex = field(default_factory=NoveltyIndex)
    yields: YieldTracker = field(default_factory=YieldTracker)
    targets: SeenTargets = field(default_factory=SeenTargets)
    growth: Growth = field(default_factory=Growth)
    sections: Sections = field(default_factory=Sections)
    pens: HeldLinks = field(default_factory=HeldLinks)
    asked: HeldLinks = field(default_factory=HeldLinks)
    budget: Budget = field(default_factory=Budget)
    new_pages: int = 0
    _runs: Runs = field(default_factory=Runs)
    _paroled: KeySet = field(default_factory=KeySet)
    _let_out: dict[str, int] = field(default_factory=dict)
    _credited: str = ""
    _limit: int | None = None
    _is_dry: bool = False

    @property
    def held(self) -> int:
        """How many links wait now."""
        return len(self.pens) + len(self.asked)

    @property
    def may_let_out(self) -> bool:
        """False where no link waits, or the shares of all that wait are used up."""
        return self.held > 0 and not self._is_dry

    def look(self, url: str, page: Fingerprint, content: Content) -> NoveltyVerdict:
        """Tell what is new on a page, as things stand. O(characters)."""
        return self.novelty.look(page, template_of(url), content)

    def take(self, page: Page, via: Lead, at: str = "", *, is_first: bool) -> NoveltyVerdict:
        """Tell what is new on a page, and remember it. O(characters).

        `via` led to it, from the page at the address `at` (empty for a seed).
        """
        kind = template_of(page.url)
        told = self.novelty.look(page.fingerprint, kind, page.content)
        self._credited = ""
        if told.is_new is False:
            self._runs.go_on(page.fingerprint, via.source, is_longer=told.is_telling)
        else:
            self.novelty.add(page.fingerprint, kind, page.content)
            self._runs.end(page.fingerprint)
        if is_first:
            self._is_dry = False
            self._note(page, kind, told)
            self._note_links(page, kind, via, at)
            if told.is_new and at:
                self._credit(page, kind, via.source, at)
        return told

    def _note(self, page: Page, kind: str, told: NoveltyVerdict) -> None:
        domain = domain_of(host_of(page.url))
        self.new_pages += told.is_new is not False
        if told.is_new is not None and told.is_telling:
            self.yields.note(kind, domain, is_new=told.is_new)
        if told.new_words is not None:
            self.yields.new_words.note(domain, told.new_words)

    def _note_links(self, page: Page, kind: str, via: Lead, at: str) -> None:
        """Take in where the links of a page lead, and which of their targets no page had."""
        links = page.links
        if not links:
            self.growth.note(page, via.source, at, ())
            self.sections.note(page.url, at, (), ())
            return
        domain = domain_of(host_of(page.url))
        met = self.targets.meet(links)
        inward = [domain_of(host_of(each.url)) == domain for each in links]
        if any(inward):
            self.yields.links_met.note(domain, float(met[inward].mean()))
        is_fresh = (~met).tolist()
        fresh = [link for link, is_new in zip(links, is_fresh, strict=True) if is_new]
        self.growth.note(page, via.source, at, fresh)
        self.sections.note(page.url, at, links, is_fresh)
        if fresh and self.is_barren(page.fingerprint):
            own = sum(self._is_more_of(kind, each.url) for each in fresh)
            self.yields.feed(kind, own, len(fresh) - own)

    def _is_more_of(self, kind: str, url: str) -> bool:
        """Return whether `url` is one more address of a template, or of another with sessions.

        A site that names a new session in each link has several templates that feed each other.
        """
        other = template_of(url)
        if other.partition("?")[0] == kind.partition("?")[0]:
            return True
        return has_token(url) and self.yields.is_spent_template(other)

    def _credit(self, page: Page, kind: str, source: Fingerprint, at: str) -> None:
        """A page that says something new counts for the page its link stood on, too."""
        self.sections.credit(page.url, at)
        if not self.is_barren(source):
            return
        self._runs.credit(source)
        of_source = template_of(at)
        if of_source != kind:
            self.yields.credit(of_source, domain_of(host_of(at)))
            self._credited = at

    def miss(self, lead: Lead) -> None:
        """A link led to no page."""
        self._is_dry = False
        self.yields.note(template_of(lead.url), domain_of(lead.host), is_new=False)

    def is_barren(self, page: Fingerprint) -> bool:
        """Return whether a page said nothing new when it was fetched. O(1)."""
        return page in self._runs

    def reason(self, lead: Lead, *, is_drawn: bool = True) -> str:
        """Return the name of the group that a link is held back with, or "". O(1).

        Links of sections wait once an agent has drawn them (`is_drawn`), not before.
        """
        if lead.fingerprint in self._paroled or not lead.source:
            return ""
        name = self._endless(lead) or self._spent(lead)
        if name or not is_drawn:
            return name
        section = self.sections.waits(lead, self._part(_SIXTH))
        return f"section {section}" if section else ""

    def _endless(self, lead: Lead) -> str:
        """Return what a link is held back by that seems to have no end, or ""."""
        if self.is_barren(lead.source):
            if repeats_itself(lead.url):
                return f"repeats {domain_of(lead.host)}"
            if self._runs.length(lead.source) >= LONGEST_RUN:
                kind = template_of(lead.url)
                return f"run {kind}" if self.yields.is_known(kind) else "run"
        family = self.growth.family_of(lead.fingerprint)
        return f"growth {family.hex()}" if family else ""

    def _spent(self, lead: Lead) -> str:
        """Return the spent template or domain that a link is of, or ""."""
        domain = domain_of(lead.host)
        if self.yields.has_spent_templates(domain):
            kind = template_of(lead.url)
            if self.yields.is_spent_template(kind):
                return f"{'tokens' if has_token(lead.url) else 'template'} {kind}"
        is_spent = self.yields.is_spent_domain(domain)
        return f"domain {domain}" if is_spent or self._is_farm(lead.host, domain) else ""

    def sent(self, lead: Lead) -> None:
        """Count a link that is followed, or waits to be. O(1)."""
        self.yields.go_to(lead.host, domain_of(lead.host))
        self.growth.sent(lead)
        self.sections.follow(lead)

    def _is_farm(self, host: str, domain: str) -> bool:
        return host != domain and self.yields.is_host_too_many(host, domain)

    def hold(self, reason: str, lead: Lead, species: Species) -> None:
        """Keep a link. O(log n)."""
        pens = self.pens if lead.payload is None else self.asked
        pens.put(reason, HeldLink(lead, species))
        self.sections.open -= 1
        self._is_dry = False

    def freed(self, url: str) -> list[HeldLink]:
        """Return some links whose group is not spent any more after a visit to `url`. O(log n)."""
        if not self.held:
            return []
        names = [name for at in (url, self._credited) if at for name in self._yielding(at)]
        out = list[HeldLink]()
        for pens in (self.asked, self.pens):
            for name in names:
                if name in pens:
                    out += pens.take(name, _AT_ONCE)
                    pens.reopen(name)
        return self._opened(out)

    def _yielding(self, url: str) -> list[str]:
        """Return what links of the template and the domain of an address may wait by no more."""
        kind, domain = template_of(url), domain_of(host_of(url))
        names = list[str]()
        if not self.yields.is_spent_template(kind):
            names += [f"template {kind}", f"tokens {kind}"]
        if not self.yields.is_spent_domain(domain):
            names.append(f"domain {domain}")
        if url == self._credited:
            names += [f"run {kind}", "run"]
        return names

    def paroled(self) -> list[HeldLink]:
        """Return some links to go on with when there is nothing else; [] for none.

        They pass. What a spider asked for comes first; of the other groups the one that has brought
        most for its visits, as far as its share goes. O(log n).
        """
        if self._limit != self._budget():
            self._limit = self._budget()
            self.pens.reopen_all()
        name = self.asked.best(self._promise, lambda _: 0, 0)
        if name is not None:
            out = self.asked.take(name, _AT_ONCE)
        else:
            name = self.pens.best(self._promise, self._opens_at, self.new_pages)
            if name is None:
                self._is_dry = True
                return []
            out = self.pens.take(name, self._at_once(name))
            if self._part_of(name) != 1:
                self._let_out[name] = self._let_out.get(name, 0) + len(out)
        for each in out:
            self._paroled.add(each.lead.fingerprint)
        return self._opened(out)

    def _opened(self, out: list[HeldLink]) -> list[HeldLink]:
        self.sections.open += len(out)
        return out

    def _promise(self, name: str) -> float:
        """Return how much may be expected of a group that is held back, in [0, 1]."""
        what, _, group = name.partition(" ")
        if what in ("template", "tokens"):
            return self.yields.promise(group)
        if what == "domain":
            return self.yields.domain_promise(group)
        return 1.0 if what == "section" and not self.sections.is_maze(group) else 0.0

    def _part_of(self, name: str) -> int:
        """Return 1 for a group that has an end, n for one that gets a share of 1/n of the budget.

        0 for one that gets none but by what the crawl finds.
        """
        what, _, group = name.partition(" ")
        if what in ("template", "tokens"):
            if not self.yields.is_endless(group, has_token=what == "tokens"):
                return 1
            return _FIFTH if self.yields.leads_elsewhere(group) else 0
        if what == "domain":
            return _FIFTH if self.yields.is_made_up(group) else 1
        if what == "section":
            return _SIXTH if self.sections.is_maze(group) else 1
        if what == "run" and group and not self.yields.feeds_itself(group):
            return 1
        return _FIFTH if what == "run" and self.yields.leads_elsewhere(group) else 0

    def _opens_at(self, name: str) -> int:
        """Return the number of new pages from which on a link of the group may be let out."""
        part = self._part_of(name)
        used = self._let_out.get(name, 0)
        if name.startswith("section "):
            used = max(used, self.sections.sent_to(name.partition(" ")[2]))
        if part == 1 or (part and used < self._part(part)):
            return 0
        if part:
            return _NEVER if self._budget() else part * (used + 1) - NO_BUDGET
        return (used + 1) * (_RARELY if name.startswith("repeats ") else SHARE)

    def _at_once(self, name: str) -> int:
        """Return how many links of a group are let out together."""
        return _AT_ONCE if self._part_of(name) == 1 else 1

    def _budget(self) -> int | None:
        return self.budget.share or self.budget.limit

    def _part(self, part: int) -> int:
        """Return the share of 1/`part` of the budget, at least `LEAST_PART`."""
        return max((self._budget() or NO_BUDGET + self.new_pages) // part, LEAST_PART)
