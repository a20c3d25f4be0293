"""Protects a population from traps: pages without new content, and links that look like theirs.

A page without new content earns no energy, for any relevance. A link is *held back* if its template
or domain is spent (`evocrawl.population.traps.yields`), if its address grows
(`evocrawl.population.traps.growing_urls`) or if its section is endless
(`evocrawl.population.traps.sections`). No link is lost: held-back links open again when their
group yields again or, the most promising group first, when no other link is open. Some groups
get a share of the budget only (`evocrawl.population.traps.release_shares`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress

from evocrawl.core.containers.keymap import KeySet
from evocrawl.core.model import Content, Fingerprint, Lead, Page
from evocrawl.core.urls.identity import host_of
from evocrawl.core.urls.templates import domain_of, has_token, template_of
from evocrawl.population.traps.barren_runs import Runs
from evocrawl.population.traps.growing_urls import Growth
from evocrawl.population.traps.held_links import HeldLink, HeldLinks
from evocrawl.population.traps.link_groups import LinkGroups
from evocrawl.population.traps.novelty import NoveltyIndex, NoveltyVerdict
from evocrawl.population.traps.release_shares import ReleaseShares
from evocrawl.population.traps.sections import Sections
from evocrawl.population.traps.seen_targets import SeenTargets
from evocrawl.population.traps.yields import YieldTracker
from evocrawl.species.base import Species

_AT_ONCE = 32


@dataclass(slots=True)
class TrapDetector:
    """Judges pages, and decides which links are held back, by `yields` and `novelty`.

    `held_links` has the held-back links that were extracted, `asked` those that a spider requested
    itself. Memory is that of the parts.
    """

    novelty: NoveltyIndex = field(default_factory=NoveltyIndex)
    yields: YieldTracker = field(default_factory=YieldTracker)
    targets: SeenTargets = field(default_factory=SeenTargets)
    growth: Growth = field(default_factory=Growth)
    sections: Sections = field(default_factory=Sections)
    held_links: HeldLinks = field(default_factory=HeldLinks)
    asked: HeldLinks = field(default_factory=HeldLinks)
    shares: ReleaseShares = field(init=False)
    _groups: LinkGroups = field(init=False)
    _runs: Runs = field(default_factory=Runs)
    _released: KeySet = field(default_factory=KeySet)
    _credited: str = ""
    _limit: int | None = None
    _is_dry: bool = False

    def __post_init__(self) -> None:
        self.shares = ReleaseShares(self.yields, self.sections)
        self._groups = LinkGroups(self.yields, self.growth, self._runs)

    @property
    def held(self) -> int:
        """The number of held-back links."""
        return len(self.held_links) + len(self.asked)

    @property
    def may_let_out(self) -> bool:
        """False if no link is held back, or if the shares of all their groups are used up."""
        return self.held > 0 and not self._is_dry

    def look(self, url: str, page: Fingerprint, content: Content) -> NoveltyVerdict:
        """Return what is new on a page now. O(characters)."""
        return self.novelty.look(page, template_of(url), content)

    def take(self, page: Page, via: Lead, at: str = "", *, is_first: bool) -> NoveltyVerdict:
        """Return what is new on a page, and add the page to all counts. O(characters).

        The link `via` led to it, from the page at the address `at` ("" for a seed).
        """
        kind = template_of(page.url)
        verdict = self.novelty.look(page.fingerprint, kind, page.content)
        self._credited = ""
        if verdict.is_new is False:
            self._runs.go_on(page.fingerprint, via.source, is_longer=verdict.is_telling)
        else:
            self.novelty.add(page.fingerprint, kind, page.content)
            self._runs.end(page.fingerprint)
        if is_first:
            self._is_dry = False
            self._note(page, kind, verdict)
            self._note_links(page, kind, via, at)
            if verdict.is_new is False:
                self.sections.note_copy(page.url)
            if verdict.is_new and at:
                self._credit(page, kind, via.source, at)
        return verdict

    def _note(self, page: Page, kind: str, verdict: NoveltyVerdict) -> None:
        domain = domain_of(host_of(page.url))
        self.shares.new_pages += verdict.is_new is not False
        if verdict.is_new is not None and verdict.is_telling:
            self.yields.note(kind, domain, is_new=verdict.is_new)
        if verdict.new_words is not None:
            self.yields.new_words.note(domain, verdict.new_words)

    def _note_links(self, page: Page, kind: str, via: Lead, at: str) -> None:
        """Note where the links of a page lead, and which of their targets are new."""
        links = page.links
        if not links:
            self.growth.note(page, via.source, at, ())
            self.sections.note(page.url, at, (), ())
            return
        domain = domain_of(host_of(page.url))
        is_fresh = self.targets.add(links)
        hosts = [each.host or host_of(each.url) for each in links]
        is_inward = {host: domain_of(host) == domain for host in dict.fromkeys(hosts)}
        inward = [is_inward[host] for host in hosts]
        if any(inward):
            fresh_inward = [*compress(is_fresh, inward)]
            share = (len(fresh_inward) - sum(fresh_inward)) / len(fresh_inward)
            self.yields.links_met.note(domain, share)
        fresh = [*compress(links, is_fresh)]
        self.growth.note(page, via.source, at, fresh)
        self.sections.note(page.url, at, links, is_fresh)
        if fresh and self.is_barren(page.fingerprint):
            own = sum(self._is_more_of(kind, each.url) for each in fresh)
            self.yields.feed(kind, own, len(fresh) - own)

    def _is_more_of(self, kind: str, url: str) -> bool:
        """Return whether `url` belongs to a template, or both are templates of sessions.

        A site that puts a new session id in each link has several templates that link each other.
        """
        other = template_of(url)
        if other.partition("?")[0] == kind.partition("?")[0]:
            return True
        return has_token(url) and self.yields.is_spent_template(other)

    def _credit(self, page: Page, kind: str, source: Fingerprint, at: str) -> None:
        """Credit the page whose link led to new content."""
        self.sections.credit(page.url, at)
        if not self.is_barren(source):
            return
        self._runs.credit(source)
        of_source = template_of(at)
        if of_source != kind:
            self.yields.credit(of_source, domain_of(host_of(at)))
            self._credited = at

    def miss(self, lead: Lead) -> None:
        """Note that a link led to no page."""
        self._is_dry = False
        self.yields.note(template_of(lead.url), domain_of(lead.host), is_new=False)

    def is_barren(self, page: Fingerprint) -> bool:
        """Return whether a page had no new content when it was fetched. O(1)."""
        return page in self._runs

    def reason(self, lead: Lead) -> str:
        """Return the name of the group with which a drawn link has to be held back, or "". O(1)."""
        if lead.fingerprint in self._released or not lead.source:
            return ""
        name = self._groups.names([lead])[0]
        if name:
            return name
        section = self.sections.waits(lead, self.shares.for_maze())
        return f"section {section}" if section else ""

    def reasons(self, leads: Sequence[Lead]) -> Sequence[str]:
        """Return for each link of one page the group with which it has to be held back, or "".

        A link of a section is held back only when an agent has drawn it. O(links).
        """
        if not leads or not leads[0].source:
            return [""] * len(leads)
        names = self._groups.names(leads)
        if self._released and any(names):
            released = [each.fingerprint in self._released for each in leads]
            names = ["" if out else name for name, out in zip(names, released, strict=True)]
        return names

    def follow(self, lead: Lead) -> None:
        """Count a link that an agent has chosen. O(1)."""
        self.yields.go_to(lead.host, domain_of(lead.host))
        self.growth.sent(lead)
        self.sections.follow(lead)

    def hold(self, reason: str, lead: Lead, species: Species) -> None:
        """Hold a link back in the group `reason`. O(log n)."""
        queues = self.held_links if lead.payload is None else self.asked
        queues.put(reason, HeldLink(lead, species), self.shares.rank(reason, lead))
        self.sections.open -= 1
        self._is_dry = False

    def freed(self, url: str) -> list[HeldLink]:
        """Release links whose group is no longer spent after a visit to `url`. O(log n)."""
        if not self.held:
            return []
        names = [name for at in (url, self._credited) if at for name in self._yielding(at)]
        out = list[HeldLink]()
        for queues in (self.asked, self.held_links):
            for name in names:
                if name in queues:
                    out += queues.take(name, _AT_ONCE)
                    queues.reopen(name)
        return self._opened(out)

    def _yielding(self, url: str) -> list[str]:
        """Return the groups of the template and domain of an address that may be released."""
        kind, domain = template_of(url), domain_of(host_of(url))
        names = list[str]()
        if not self.yields.is_spent_template(kind):
            names += [f"template {kind}", f"tokens {kind}"]
        if not self.yields.is_spent_domain(domain):
            names.append(f"domain {domain}")
        if url == self._credited:
            names += [f"run {kind}", "run"]
        return names

    def released(self) -> list[HeldLink]:
        """Release and return some links when no other link is open; [] if none may be released.

        They are not held back again. Links that a spider requested come first, then those of the
        group that has brought most per visit, within its share. O(log n).
        """
        if self._limit != self.shares.limit:
            self._limit = self.shares.limit
            self.held_links.reopen_all()
        name = self.asked.best(self.shares.promise, lambda _: 0, 0)
        if name is not None:
            out = self.asked.take(name, _AT_ONCE)
        else:
            name = self.held_links.best(
                self.shares.promise, self.shares.opens_at, self.shares.new_pages
            )
            if name is None:
                self._is_dry = True
                return []
            has_end = self.shares.has_end(name)
            out = self.held_links.take(name, _AT_ONCE if has_end else 1)
            if not has_end:
                self.shares.note_released(name, len(out))
        for each in out:
            self._released.add(each.lead.fingerprint)
        return self._opened(out)

    def _opened(self, out: list[HeldLink]) -> list[HeldLink]:
        self.sections.open += len(out)
        return out
