"""Counts what URL templates and registrable domains have yielded, and which are spent.

Each fetched page is new or barren (see `evocrawl.population.traps.novelty`); a link without a page
is barren, too. A group is the addresses of one template or of one domain. It is *spent* if

- barren visits > `PATIENCE` + new pages: its yield is less than its cost, with some patience at the
  beginning. So the budget of a group grows with its yield, and no group has a fixed limit;
- the domain has more visited hosts than `PATIENCE` + new pages: then its other hosts wait, since
  each costs at least a request for robots.txt;
- the links of the domain hardly ever lead to a target of earlier links. Sites made by people have
  menus and links back; pages that a program generates on request have none;
- the pages of the domain have hardly any new words. Random text need not repeat itself, but it soon
  has used all its words; by Heaps' law, real text never has.

The last two rules use the latest `BLOCK` pages of a domain, and apply only if the domain is far
below other domains: they never stop a crawl within one domain.

A list is credited with the pages that its links lead to: a new page counts for the template of the
barren page on which its link stood.

A template with a query, or with a token in the path, is *endless* if it has at least `ENDLESS`
barren visits for each new page, and its barren pages link to more addresses of the same template:
calendars, counters, sessions. A template whose addresses are also on other pages has an end.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TypeVar

from evocrawl.core.containers.keymap import KeyMap

PATIENCE = 6
ENDLESS = 12
BLOCK = 8
MOST_DOMAINS = 50_000
MOST_HOSTS = 10_000

_SHARE_OF_OTHERS = 1 / 8
_ROUNDING = 1e-9
Kept = TypeVar("Kept")


@dataclass(slots=True)
class Yield:
    """The yield of a group.

    For a template, `own` and `out` count addresses that were first found on its barren pages: those
    of the template's path, and others. For a domain, `templates` is the number of spent templates,
    and `hosts` has the visited hosts.
    """

    new: int = 0
    barren: int = 0
    own: int = 0
    out: int = 0
    templates: int = 0
    hosts: set[str] | None = None

    @property
    def is_spent(self) -> bool:
        """True if the yield of the group is less than its cost."""
        return self.barren > PATIENCE + self.new

    @property
    def promise(self) -> float:
        """The estimated share of visits that yield a new page, in (0, 1)."""
        return (self.new + 1) / (self.new + self.barren + 2)


@dataclass(slots=True)
class BlockMean:
    """The mean of the last complete block of `BLOCK` pages; before the first, of all pages."""

    blocks: int = 0
    mean: float = 0.0
    _count: int = 0
    _sum: float = 0.0

    def note(self, share: float) -> None:
        """Add the value of a page. O(1)."""
        self._count += 1
        self._sum += share
        if not self.blocks or self._count == BLOCK:
            self.mean = self._sum / self._count
        if self._count == BLOCK:
            self.blocks, self._count, self._sum = self.blocks + 1, 0, 0.0


@dataclass(slots=True)
class Gauge:
    """Averages a measure in [0, 1] of pages by domain.

    A domain is low if it has two blocks of pages and the mean of the last one is below `floor` and
    below an eighth of the mean of the other domains.
    """

    floor: float
    _domains: OrderedDict[str, BlockMean] = field(default_factory=OrderedDict)
    _total: float = 0.0

    def note(self, domain: str, share: float) -> None:
        """Add the value of a page. O(1)."""
        known = _met(self._domains, domain, BlockMean)
        before = known.mean
        known.note(share)
        self._total += known.mean - before
        if len(self._domains) > MOST_DOMAINS:
            _, oldest = self._domains.popitem(last=False)
            self._total -= oldest.mean

    def is_low(self, domain: str) -> bool:
        """Return whether the domain is known to be low. O(1)."""
        known = self._domains.get(domain)
        if known is None or known.blocks < 2 or len(self._domains) < 2:
            return False
        others = (self._total - known.mean) / (len(self._domains) - 1)
        return known.mean < min(self.floor, _SHARE_OF_OTHERS * others - _ROUNDING)


class YieldTracker:
    """Counts by template and by domain; all methods are O(1).

    Memory is some 35 bytes for each visited template (if addresses are names and not numbers, each
    page has its own template), and about a kilobyte for each of the latest `MOST_DOMAINS` domains.
    Up to `MOST_HOSTS` hosts of a domain are counted. The counts of an older domain start again.
    """

    def __init__(self) -> None:
        self.new_words = Gauge(0.002)
        self.links_met = Gauge(0.02)
        self._templates = KeyMap("<IIII")
        self._domains: OrderedDict[str, Yield] = OrderedDict()

    def note(self, template: str, domain: str, *, is_new: bool) -> None:
        """Count one visit, and whether it yielded a new page."""
        of_domain = self._of_domain(domain)
        of_domain.new += is_new
        of_domain.barren += not is_new
        known = self._of_template(template)
        was_spent = known.is_spent
        known.new += is_new
        known.barren += not is_new
        self._put(template, known)
        of_domain.templates += known.is_spent - was_spent

    def credit(self, template: str, domain: str) -> None:
        """Count a new page for the template of the barren page that led to it."""
        known = self._of_template(template)
        was_spent = known.is_spent
        known.new += 1
        self._put(template, known)
        self._of_domain(domain).templates += known.is_spent - was_spent

    def feed(self, template: str, own: int, out: int) -> None:
        """Count addresses that were first found on a barren page of the template."""
        known = self._of_template(template)
        known.own += own
        known.out += out
        self._put(template, known)

    def promise(self, template: str) -> float:
        """Return the estimated share of new pages among those of the template, in (0, 1)."""
        return self._of_template(template).promise

    def domain_promise(self, domain: str) -> float:
        """Return the estimated share of new pages among those of the domain, in (0, 1)."""
        return self._domains.get(domain, Yield()).promise

    def has_spent_templates(self, domain: str) -> bool:
        """Return whether some template of the domain is spent."""
        known = self._domains.get(domain)
        return known is not None and known.templates > 0

    def is_spent_template(self, template: str) -> bool:
        """Return whether the yield of a template is less than its cost. As `Yield.is_spent`."""
        known = self._templates.get(_key(template))
        return known is not None and known[1] > PATIENCE + known[0]

    def is_spent_domain(self, domain: str) -> bool:
        """Return whether the yield of a domain is less than its cost, or it is generated."""
        known = self._domains.get(domain)
        is_spent = known is not None and known.is_spent
        return is_spent or self.is_made_up(domain)

    def go_to(self, host: str, domain: str) -> None:
        """Count a visit to a host."""
        known = self._of_domain(domain)
        if known.hosts is None:
            known.hosts = set()
        if len(known.hosts) < MOST_HOSTS:
            known.hosts.add(host)

    def is_host_too_many(self, host: str, domain: str) -> bool:
        """Return whether the domain has to yield new pages before another host is visited."""
        known = self._domains.get(domain)
        if known is None or not known.hosts or host in known.hosts:
            return False
        return len(known.hosts) > PATIENCE + known.new

    def is_endless(self, template: str, *, has_token: bool = False) -> bool:
        """Return whether a template has endless addresses with hardly any new page.

        `has_token` is True if the address has a token in its path, which has endless values.
        """
        known = self._of_template(template)
        may_be = has_token or "?" in template
        is_barren = known.barren >= ENDLESS * max(known.new, 1)
        return may_be and is_barren and self.feeds_itself(template)

    def feeds_itself(self, template: str) -> bool:
        """Return whether barren pages of the template link to new addresses of the template."""
        known = self._of_template(template)
        return 2 * known.own > known.barren

    def is_known(self, template: str) -> bool:
        """Return whether an address of the template was visited."""
        known = self._of_template(template)
        return known.new + known.barren > 0

    def leads_elsewhere(self, template: str) -> bool:
        """Return whether barren pages of the template link to new addresses of other templates."""
        known = self._of_template(template)
        return 0 < known.barren <= known.out

    def is_made_up(self, domain: str) -> bool:
        """Return whether the known counts show that a program generates the domain's pages."""
        return self.links_met.is_low(domain) or self.new_words.is_low(domain)

    def _put(self, template: str, known: Yield) -> None:
        self._templates.put(_key(template), known.new, known.barren, known.own, known.out)

    def _of_domain(self, domain: str) -> Yield:
        known = _met(self._domains, domain, Yield)
        if len(self._domains) > MOST_DOMAINS:
            self._domains.popitem(last=False)
        return known

    def _of_template(self, template: str) -> Yield:
        return Yield(*(self._templates.get(_key(template)) or ()))


def _met(domains: OrderedDict[str, Kept], domain: str, new: Callable[[], Kept]) -> Kept:
    """Return the counts of a domain, and make it the latest domain."""
    known = domains.get(domain)
    if known is None:
        known = domains[domain] = new()
    else:
        domains.move_to_end(domain)
    return known


def _key(template: str) -> bytes:
    return blake2b(template.encode("utf-8", "replace"), digest_size=12).digest()
