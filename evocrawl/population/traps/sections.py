"""Detects endless parts of a site, and counts the visits to each.

A *section* is a folder, all queries of one address, or the addresses of one template that differ in
numbers. Two kinds of sections are endless although each page has new content:

- *mazes*, whose pages each lead to many other pages of the section: of at least `LEAST_LINKS` links
  into the section, hardly two lead to the same page;
- *counters*, such as calendars: each page is found on the one before, by a number that is one
  higher or lower.

A crawl may want the pages of either kind, so neither is excluded. After `PATIENCE` visits, and one
more for `SHARE` visits elsewhere, its links wait while links of other sections are open. A section
that leads to new pages of other sections is neither a maze nor a counter.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from evocrawl.core.model import Lead, Link
from evocrawl.core.urls.templates import template_of

PATIENCE = 12
SHARE = 8
LEAST_LINKS = 60
LEAST_HOPS = 6
LEAST_COPIES = 2
MOST_SECTIONS = 50_000

_MET = 0.1
_BRANCHES = 4
_WINDOW = 400
_DEEPEST = 3
_NEAR = 31
_SUSPECTS = 16
_NUMBER = re.compile(r"\d+")
_NUMBERS = re.compile(r"#(?:[/-]#)+")


@dataclass(slots=True)
class Section:
    """The counts of one section; `read`, `links` into it and `met` are of its latest pages.

    `copies` are its pages without new content.
    """

    sent: int = 0
    pages: int = 0
    hops: int = 0
    fresh: int = 0
    credit: int = 0
    copies: int = 0
    read: float = 0.0
    links: float = 0.0
    met: float = 0.0

    @property
    def is_maze(self) -> bool:
        """True if pages lead to ever new pages of the section."""
        is_met = self.met >= _MET * self.links
        is_known = self.links >= max(LEAST_LINKS, _BRANCHES * self.read)
        return is_known and not is_met and 4 * self.credit < self.pages

    @property
    def is_counter(self) -> bool:
        """True if each page is found on the one before, one number further."""
        return (
            self.hops >= LEAST_HOPS and 2 * self.hops >= self.sent and 2 * self.credit < self.hops
        )

    @property
    def open(self) -> int:
        """An estimate of the number of its links that wait to be followed."""
        return max(self.fresh - (self.hops or self.sent), 0)

    def lead_to(self, links: int, met: int) -> None:
        """Add a page with so many links into the section, of which some were `met` before."""
        self.pages += 1
        self.fresh += links - met
        self.read += 1
        self.links += links
        self.met += met
        if self.links > _WINDOW:
            self.read, self.links, self.met = self.read / 2, self.links / 2, self.met / 2


@dataclass(slots=True)
class Sections:
    """The latest `MOST_SECTIONS` sections; every method takes O(1), or O(links of the page)."""

    sent: int = 0
    open: int = 0
    _known: OrderedDict[str, Section] = field(default_factory=OrderedDict)
    _suspects: dict[str, Section] = field(default_factory=dict)

    def note(self, url: str, at: str, links: Sequence[Link], is_fresh: Sequence[bool]) -> None:
        """Add a page whose link stood at the address `at`; `is_fresh` is for its links."""
        self.open += sum(is_fresh)
        *places, counter = sections_of(url)
        start = url.partition("://")[0] + "://"
        for name in places:
            inside = start + name
            ours = [
                fresh for link, fresh in zip(links, is_fresh, strict=True)
                if link.url.startswith(inside)
            ]  # fmt: skip
            if ours:
                section = self._of(name)
                section.lead_to(len(ours), len(ours) - sum(ours))
                self._suspect(name, section)
        if counter and at and is_step(url, at):
            section = self._of(counter)
            section.hops += 1
            section.fresh += sum(
                fresh and sections_of(link.url)[-1] == counter
                for link, fresh in zip(links, is_fresh, strict=True)
            )
            self._suspect(counter, section)

    def credit(self, url: str, at: str) -> None:
        """Count a new page for the sections that its link stood in, and that it is not in."""
        own = sections_of(url)
        for name in sections_of(at):
            if name and name not in own and name in self._known:
                self._known[name].credit += 1

    def note_copy(self, url: str) -> None:
        """Count a page without new content."""
        for name in sections_of(url):
            if name in self._known:
                self._known[name].copies += 1

    def follow(self, lead: Lead) -> None:
        """Count a link that is followed."""
        self.sent += 1
        self.open -= 1
        for name in sections_of(lead.url):
            if name:
                self._of(name).sent += 1

    def waits(self, lead: Lead, most: int) -> str:
        """Return the section because of which a link has to wait, "" if it need not wait.

        A maze gets `most` visits in all.
        """
        if not self._suspects:
            return ""
        for name in sections_of(lead.url):
            section = self._suspects.get(name)
            if section is None:
                continue
            is_maze = section.is_maze
            if is_maze and section.sent >= most:
                return name
            is_over = section.sent >= PATIENCE + (self.sent - section.sent) // SHARE
            if is_over and (is_maze or section.is_counter) and self._others(name, section) > 0:
                return name
        return ""

    def is_maze(self, name: str) -> bool:
        """Return whether the known counts show a section to be a maze."""
        section = self._known.get(name)
        return section is not None and section.is_maze

    def repeats_itself(self, name: str) -> bool:
        """Return whether copies were found in a section: its content has an end."""
        section = self._known.get(name)
        return section is not None and section.copies >= LEAST_COPIES

    def sent_to(self, name: str) -> int:
        """Return the number of followed links of a section."""
        section = self._known.get(name)
        return 0 if section is None else section.sent

    def _others(self, name: str, section: Section) -> int:
        """Return an estimate of the number of waiting links of sections that are not suspects."""
        names = [*islice(self._suspects, _SUSPECTS)]
        outer = [
            each for each in names
            if not any(each != other and each.startswith(other) for other in names)
        ]  # fmt: skip
        of_suspects = sum(self._suspects[each].open for each in outer)
        if not any(name.startswith(each) for each in outer):
            of_suspects += section.open
        return self.open - of_suspects

    def _suspect(self, name: str, section: Section) -> None:
        if section.is_maze or section.is_counter:
            self._suspects[name] = section
        else:
            self._suspects.pop(name, None)

    def _of(self, name: str) -> Section:
        section = self._known.get(name)
        if section is None:
            section = self._known[name] = Section()
            if len(self._known) > MOST_SECTIONS:
                oldest, _ = self._known.popitem(last=False)
                self._suspects.pop(oldest, None)
        else:
            self._known.move_to_end(name)
        return section


@lru_cache(maxsize=4096)
def sections_of(url: str) -> tuple[str, ...]:
    """Return the names of the sections of an address; the last is that of a counter, or "".

    >>> sections_of("http://a.test/x/similar/wind-sea")
    ('a.test/x/', 'a.test/x/similar/', '')
    >>> sections_of("http://a.test/find?q=wind"), sections_of("http://a.test/2026/11/29/")
    (('a.test/find?', ''), ('a.test/2026/', 'a.test/2026/11/', 'a.test/#/'))
    """
    address, _, query = url.partition("://")[2].partition("?")
    host, *segments = address.split("/")
    if segments and not segments[-1]:
        segments.pop()
    names, name = list[str](), f"{host}/"
    for segment in segments[: min(len(segments) - 1, _DEEPEST)]:
        name += f"{segment}/"
        names.append(name)
    if query:
        names.append(f"{address}?")
    kind = template_of(url)
    return (*names, _NUMBERS.sub("#", kind) if "#" in kind or _NUMBER.search(query) else "")


def is_step(url: str, at: str) -> bool:
    """Return whether two addresses are one step of a number or a date apart, or one is finer.

    Dates have several numbers; as any day may follow the last of a month, the first number that
    differs may differ by up to `_NEAR`.

    >>> is_step("http://a.test/2026/12/01/", "http://a.test/2026/11/30/")
    True
    >>> is_step("http://a.test/9", "http://a.test/7"), is_step("http://a.test/5", "/x/4")
    (False, False)
    """
    if sections_of(url)[-1] != sections_of(at)[-1]:
        return False
    ours, theirs = _numbers(url), _numbers(at)
    most = _NEAR if len(ours) > 1 else 1
    for one, other in zip(ours, theirs, strict=False):
        if one != other:
            return abs(one - other) <= most
    return len(ours) != len(theirs)


def _numbers(url: str) -> list[int]:
    address = url[:2000].partition("://")[2].partition("/")[2]
    return [int(each) for each in _NUMBER.findall(address)[:16]]
