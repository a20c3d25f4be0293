"""What kinds of addresses and registrable domains have brought, and which are spent.

Each fetched page is new or barren (see `evocrawl.population.traps.novelty`); a link that led
nowhere is barren too. A group, the addresses of one template or of one domain, is *spent* while

- barren visits > `PATIENCE` + new pages: it has brought less than it took, with some patience at
  the beginning. So the budget of a group grows with what it yields, and nothing is capped;
- a domain has more hosts that were gone to than `PATIENCE` + new pages: then others of its hosts
  wait, for each costs a robots.txt at least;
- a domain's links hardly ever lead where others have led before. Webs that people make have menus
  and ways back, what a program makes up as it goes has none;
- a domain's pages bring hardly any new words. Text that is put together by chance need not repeat
  itself, but its words are soon all used; Heaps' law says that those of real text never are.

The last two go by a domain's latest `BLOCK` pages, not the first, and count where it is far below
other domains: a crawl within one domain never stops for them.

A list is credited with what its links bring: a new page counts for the template of the barren page
on which its link stood.

A template with a query, or with a token in the path, is *endless* from `ENDLESS` barren visits for
each new page on, where its barren pages bring the addresses of more of their own: a calendar, a
counter, sessions. One whose addresses stand on other pages has an end.
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
    """What a group has brought.

    Of a template, `own` and `out` are the addresses first met on its barren pages: those of its
    own path, and the others. Of a domain, `templates` are spent, `hosts` were gone to.
    """

    new: int = 0
    barren: int = 0
    own: int = 0
    out: int = 0
    templates: int = 0
    hosts: set[str] | None = None

    @property
    def is_spent(self) -> bool:
        """True where the group has brought less than it took."""
        return self.barren > PATIENCE + self.new

    @property
    def promise(self) -> float:
        """How often a visit has brought something new, in (0, 1)."""
        return (self.new + 1) / (self.new + self.barren + 2)


@dataclass(slots=True)
class BlockMean:
    """A mean over the last whole block of `BLOCK` pages; over all there are before the first."""

    blocks: int = 0
    mean: float = 0.0
    _count: int = 0
    _sum: float = 0.0

    def note(self, share: float) -> None:
        """Take in what a page tells. O(1)."""
        self._count += 1
        self._sum += share
        if not self.blocks or self._count == BLOCK:
            self.mean = self._sum / self._count
        if self._count == BLOCK:
            self.blocks, self._count, self._sum = self.blocks + 1, 0, 0.0


@dataclass(slots=True)
class Gauge:
    """A share in [0, 1] that pages tell of their domains.

    A domain is low that has two blocks of pages, the last of them below `floor`, and below an
    eighth of the mean of the other domains.
    """

    floor: float
    _domains: OrderedDict[str, BlockMean] = field(default_factory=OrderedDict)
    _total: float = 0.0

    def note(self, domain: str, share: float) -> None:
        """Take in what a page tells. O(1)."""
        known = _met(self._domains, domain, BlockMean)
        before = known.mean
        known.note(share)
        self._total += known.mean - before
        if len(self._domains) > MOST_DOMAINS:
            _, oldest = self._domains.popitem(last=False)
            self._total -= oldest.mean

    def is_low(self, domain: str) -> bool:
        """Return whether the domain is low, as far as can be told. O(1)."""
        known = self._domains.get(domain)
        if known is None or known.blocks < 2 or len(self._domains) < 2:
            return False
        others = (self._total - known.mean) / (len(self._domains) - 1)
        return known.mean < min(self.floor, _SHARE_OF_OTHERS * others - _ROUNDING)


class YieldTracker:
    """Counts by template and by domain; all methods are O(1).

    Memory is some 35 bytes a template that was visited, which are as many as pages where addresses
    are names and not numbers, and about a kilobyte for each of the latest `MOST_DOMAINS` domains,
    of whose hosts `MOST_HOSTS` are told apart. What a domain that is forgotten has brought is
    counted anew.
    """

    def __init__(self) -> None:
        self.new_words = Gauge(0.002)
        self.links_met = Gauge(0.02)
        self._templates = KeyMap("<IIII")
        self._domains: OrderedDict[str, Yield] = OrderedDict()

    def note(self, template: str, domain: str, *, is_new: bool) -> None:
        """Count one visit: whether it brought something new."""
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
        """Count the addresses that were first met on a barren page of the template."""
        known = self._of_template(template)
        known.own += own
        known.out += out
        self._put(template, known)

    def promise(self, template: str) -> float:
        """Return how often addresses of the template have brought something new, in (0, 1)."""
        return self._of_template(template).promise

    def domain_promise(self, domain: str) -> float:
        """Return how often pages of the domain have brought something new, in (0, 1)."""
        return self._domains.get(domain, Yield()).promise

    def has_spent_templates(self, domain: str) -> bool:
        """Return whether some template of the domain is spent."""
        known = self._domains.get(domain)
        return known is not None and known.templates > 0

    def is_spent_template(self, template: str) -> bool:
        """Return whether the addresses of a template have brought less than they took."""
        return self._of_template(template).is_spent

    def is_spent_domain(self, domain: str) -> bool:
        """Return whether a domain has brought less than it took, or is one that no people made."""
        known = self._domains.get(domain)
        is_spent = known is not None and known.is_spent
        return is_spent or self.is_made_up(domain)

    def go_to(self, host: str, domain: str) -> None:
        """Somebody goes to a host."""
        known = self._of_domain(domain)
        if known.hosts is None:
            known.hosts = set()
        if len(known.hosts) < MOST_HOSTS:
            known.hosts.add(host)

    def is_host_too_many(self, host: str, domain: str) -> bool:
        """Return whether the domain has to yield first before another host of it is gone to."""
        known = self._domains.get(domain)
        if known is None or not known.hosts or host in known.hosts:
            return False
        return len(known.hosts) > PATIENCE + known.new

    def is_endless(self, template: str, *, has_token: bool = False) -> bool:
        """Return whether a template makes up addresses without end, and they hardly bring anything.

        `has_token`: the address has a token in its path, of which there are as many as one likes.
        """
        known = self._of_template(template)
        may_be = has_token or "?" in template
        is_barren = known.barren >= ENDLESS * max(known.new, 1)
        return may_be and is_barren and self.feeds_itself(template)

    def feeds_itself(self, template: str) -> bool:
        """Return whether barren pages of the template bring the addresses of more of their own."""
        known = self._of_template(template)
        return 2 * known.own > known.barren

    def is_known(self, template: str) -> bool:
        """Return whether an address of the template was visited."""
        known = self._of_template(template)
        return known.new + known.barren > 0

    def leads_elsewhere(self, template: str) -> bool:
        """Return whether barren pages of the template bring other addresses than their own."""
        known = self._of_template(template)
        return 0 < known.barren <= known.out

    def is_made_up(self, domain: str) -> bool:
        """Return whether a domain is one that no people made, as far as can be told."""
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
    """What is kept of a domain, which is the latest from now on."""
    known = domains.get(domain)
    if known is None:
        known = domains[domain] = new()
    else:
        domains.move_to_end(domain)
    return known


def _key(template: str) -> bytes:
    return blake2b(template.encode("utf-8", "replace"), digest_size=12).digest()
