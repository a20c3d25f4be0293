"""What a crawl knows of links: pages, the targets of their links, the links between, and groups.

========  ========================================================================================
table     a row holds
========  ========================================================================================
pages     a fetched page: its label, how much of what it links to was good, how far a good page is
targets   an address that is linked: its latest `KEPT` links in, its groups
links     one link: source page, target, words, how well anchor and context match the query
groups    a host, a folder of URLs or a tag path: how many of its pages were tried, how good they
          were, how many were none
========  ========================================================================================

A label is how good a page is, in [0, 1]. All that changes with learning is computed from
these rows when it is asked for, never stored with the target. Targets and links, of which there are
many, lie on disk, and the numbers of addresses and groups take some 21 bytes of memory each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from zlib import crc32

import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.containers.paged_table import PagedTable
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Fingerprint
from evocrawl.core.urls.identity import host_of
from evocrawl.species.evo.link_model.hashing import LINK_WIDTH, URL, Ids
from evocrawl.species.evo.link_model.table import Table

KEPT = 6
"""Links into a target that are kept; of more, the latest take the place of the oldest."""
FAR = 5
"""Links from the last good page that count as far."""
_PATHS = 4096
_INSIDE, _OUTSIDE = _PATHS, _PATHS + 1
"""Groups of the links within a host, and of those from one to another."""
_LATEST, _LONGEST_NAME = 512, 200
"""Hosts and folders whose groups are at hand: the links of a page share few."""

Rows = npt.NDArray[np.intp]
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PageLinks:
    """The links of a page as they are found, n of them, each to another target.

    `rows` are those of the targets, `paths` groups of tag paths, `words` has shape (n, LINK_WIDTH);
    how well anchor and context match the query lies in [0, 1].
    """

    rows: list[int]
    paths: list[int]
    words: Ids
    anchor_matches: list[float]
    context_matches: list[float]


@dataclass(frozen=True, slots=True)
class Targets:
    """Addresses that nothing has linked to so far, n of them; `words` has shape (n, URL.width)."""

    urls: Sequence[str]
    fingerprints: Sequence[Fingerprint]
    words: Ids
    matches: Sequence[float]


class LinkGraph:
    """The four tables, and the numbers of addresses and groups."""

    def __init__(self, spill: SpillFile) -> None:
        self.pages = Table(
            label=("f4", 0, 0), like=("f4", 0, 0), title_match=("f4", 0, 0), row=("i4", 0, -1),
            relevance=("f4", 0, 0), tried=("f4", 0, 0), gained=("f4", 0, 0),
            distance=("f4", 0, FAR), host=("i4", 0, 0),
        )  # fmt: skip
        self.became = Table(page=("i4", 0, -1))
        """The page that each target has become, −1 for none: wanted of many targets at once."""
        self.targets = PagedTable(
            spill, links=("i4", KEPT, -1), count=("i4", 0, 0), host=("i4", 0, 0),
            folder=("i4", 0, 0),
            is_open=("?", 0, 1), url_match=("f4", 0, 0),
            words=("u2", URL.width, 0),
        )  # fmt: skip
        self.links = PagedTable(
            spill, source=("i4", 0, 0), target=("i4", 0, 0), path=("i4", 0, 0),
            words=("u2", LINK_WIDTH, 0), anchor_match=("f4", 0, 0), context_match=("f4", 0, 0),
        )  # fmt: skip
        self.groups = Table(tried=("f4", 0, 0), gained=("f4", 0, 0), dead=("f4", 0, 0))
        self.groups.grow(_PATHS + 2)
        self._rows = KeyMap("<I")
        self._group_numbers = KeyMap("<I")
        self._latest_groups: dict[str, int] = {}
        self.labels = 0.0
        self.tries = 0

    @property
    def mean_label(self) -> float:
        """The mean label of what was tried, as if one page of 0.1 had been tried before."""
        return (self.labels + 0.1) / (self.tries + 1)

    def row(self, fingerprint: Fingerprint) -> int | None:
        """Return the row of a target, None when nothing has linked to it."""
        known = self._rows.get(fingerprint)
        return None if known is None else known[0]

    def add_targets(self, new: Targets) -> range:
        """Note targets that `row` does not know; return their rows. O(targets)."""
        count = len(new.urls)
        records = self.targets.fresh(count)
        groups = list[int]()
        for url in new.urls:
            host = host_of(url)
            groups += (self._group(host), self._group(folder_of(url, host)))
        records["host"], records["folder"] = groups[::2], groups[1::2]
        records["url_match"] = new.matches
        records["words"] = new.words
        at = self.targets.append(records)
        self.became.grow(count)
        for row, fingerprint in enumerate(new.fingerprints, at.start):
            self._rows.put(fingerprint, row)
        return range(at.start, at.stop)

    def add_page(
        self, row: int, relevance: float, label: float, like: float, title_match: float
    ) -> int:
        """Note the page that a target became; return its number. Its links are still to come."""
        page = len(self.pages)
        self.pages.grow(1)
        for name, value in (
            ("row", row), ("relevance", relevance), ("label", label), ("like", like),
            ("title_match", title_match), ("host", self.targets.get_one("host", row)),
        ):  # fmt: skip
            self.pages[name][page] = value
        self.became["page"][row] = page
        self.pages["distance"][page] = self._distance(row, label)
        return page

    def page_of(self, row: int) -> int:
        """Return the page that a target became, −1 for none."""
        return int(self.became["page"][row])

    def become(self, row: int, page: int) -> None:
        """A target has turned out to be a page that is known."""
        self.became["page"][row] = page

    def is_open(self, row: int) -> bool:
        """Return True while a target was not tried."""
        return bool(self.targets.get_one("is_open", row))

    def add_links(self, page: int, found: PageLinks) -> None:
        """Note the links of a page. O(links)."""
        rows = np.array(found.rows)
        records = self.links.fresh(len(rows))
        records["source"] = page
        records["target"] = rows
        records["path"] = found.paths
        records["words"] = found.words
        records["anchor_match"] = found.anchor_matches
        records["context_match"] = found.context_matches
        new = self.links.append(records)
        targets = self.targets.take(rows)
        counts = targets["count"]
        links = targets["links"]
        links[np.arange(len(rows)), counts % KEPT] = np.arange(new.start, new.stop)
        self.targets.set("links", rows, links)
        self.targets.set("count", rows, counts + 1)
        became = self.became["page"][rows]
        is_known = became >= 0
        labels = self.pages["label"][became[is_known]]
        self.pages["tried"][page] += len(labels)
        self.pages["gained"][page] += labels.sum()
        paths = records["path"][is_known]
        np.add.at(self.groups["tried"], paths, 1)
        np.add.at(self.groups["gained"], paths, labels)

    def settle(self, row: int, label: float, *, is_page: bool = True) -> None:
        """A target was tried: those that link to it and its groups gain by its label."""
        self.targets.set_one("is_open", row, False)
        self.labels += label
        self.tries += 1
        links = self.links.take(self.inlinks_of(row))
        target = self.targets.take(np.array([row]))
        groups = np.concatenate((target["host"], target["folder"], links["path"]))
        for table, numbers in ((self.groups, groups), (self.pages, links["source"])):
            np.add.at(table["tried"], numbers, 1)
            np.add.at(table["gained"], numbers, label)
        kind = groups[:0]
        if len(links):
            is_inside = bool((self.pages["host"][links["source"]] == target["host"]).any())
            kind = self.kinds(np.array([is_inside]))
            self.groups["tried"][kind] += 1
        if not is_page:
            np.add.at(self.groups["dead"], np.concatenate((groups[:2], kind)), 1)

    def kinds(self, are_inside: npt.NDArray[np.bool_]) -> Rows:
        """Return the groups of targets that a page of their own host links to, and of others."""
        groups: Rows = np.where(are_inside, _INSIDE, _OUTSIDE)
        return groups

    def relabel(self, pages: Rows, labels: Reals) -> None:
        """Give different `pages` other labels, and what they had lent to others too. O(pages)."""
        change = labels - self.pages["label"][pages]
        self.pages["label"][pages] = labels
        self.labels += float(change.sum())
        rows = self.pages["row"][pages]
        targets = self.targets.take(rows)
        of_links = targets["links"]
        spread = np.repeat(change, (of_links >= 0).sum(1))
        links = self.links.take(of_links[of_links >= 0])
        np.add.at(self.pages["gained"], links["source"], spread)
        np.add.at(self.groups["gained"], links["path"], spread)
        for kind in ("host", "folder"):
            np.add.at(self.groups["gained"], targets[kind], change)

    def inlinks_of(self, row: int) -> Rows:
        """Return the links kept into a target, shape (n,), n from 0 to KEPT."""
        links: Rows = self.targets.get_one("links", row)
        return links[links >= 0]

    def words(self, links: Rows) -> Ids:
        """Return the words of `links`, those of their targets' URLs last, shape (n, WIDTH)."""
        own = self.links.take(links)
        return np.concatenate((own["words"], self.targets.get("words", own["target"])), axis=1)

    def _distance(self, row: int, label: float) -> float:
        """Links from the last good page on the way here: 0 for a page better than most."""
        if label > 1.2 * self.mean_label:
            return 0.0
        sources = self.links.get("source", self.inlinks_of(row))
        nearest = self.pages["distance"][sources].min(initial=FAR - 1)
        return float(min(nearest + 1, FAR))

    def _group(self, name: str) -> int:
        number = self._latest_groups.get(name)
        if number is None:
            number = self._numbered(name)
            if len(self._latest_groups) >= _LATEST:
                self._latest_groups.clear()
            if len(name) <= _LONGEST_NAME:
                self._latest_groups[name] = number
        return number

    def _numbered(self, name: str) -> int:
        key = blake2b(name.encode(errors="replace"), digest_size=12).digest()
        known = self._group_numbers.get(key)
        if known is not None:
            return int(known[0])
        number = self.groups.grow(1).start
        self._group_numbers.put(key, number)
        return int(number)


def path_group(tag_path: str) -> int:
    """Return the number of the group of a tag path."""
    return crc32(tag_path.encode(errors="replace")) % _PATHS


def folder_of(url: str, host: str) -> str:
    """Return the host and the path up to its last slash.

    >>> folder_of("http://a.test/b/c.html?d=/", "a.test")
    'a.test/b/'
    """
    path = url.partition("//")[2].partition("?")[0].partition("#")[0].partition("/")[2]
    return f"{host}/{path[: path.rfind('/') + 1]}"
