"""What a crawl knows of links: pages, the targets of their links, the links between, and groups.

========  ========================================================================================
table     a row holds
========  ========================================================================================
pages     a fetched page: its label, how much of what it links to was good, how far a good page is
targets   an address that is linked: its latest `KEPT` links in, its groups, the page it became
links     one link: source page, target, words, how well anchor and context match the query
groups    a host, a folder of URLs or a tag path: how many of its pages were tried, how good
========  ========================================================================================

A label is how good a page is, in [0, 1]. Whatever changes with what is learnt is computed from
these rows when it is asked for, never stored with the target. Targets and links, of which there are
many, lie on disk, and the numbers of addresses and groups take some 25 bytes of memory each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from zlib import crc32

import numpy as np
import numpy.typing as npt

from evocrawl.keys import KeyMap
from evocrawl.links.table import Table
from evocrawl.links.words import LINK_WIDTH, URL, Ids
from evocrawl.model import Fingerprint
from evocrawl.spill import Spill
from evocrawl.tables import MappedTable
from evocrawl.urls import host_of

KEPT = 6
"""Links into a target that are kept; of more, the latest take the place of the oldest."""
FAR = 5
"""Links from the last good page that count as far."""
_PATHS = 4096

Rows = npt.NDArray[np.intp]
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Found:
    """A link as it is found: its words, and the match of anchor and context with the query.

    `row` is that of its target; a match lies in [0, 1].
    """

    row: int
    path: int
    words: list[int]
    anchor_match: float
    context_match: float


class Evidence:
    """The four tables, and the numbers of addresses and groups."""

    def __init__(self, spill: Spill) -> None:
        self.pages = Table(
            label=("f4", 0, 0), like=("f4", 0, 0), title_match=("f4", 0, 0), row=("i4", 0, -1),
            relevance=("f4", 0, 0), tried=("f4", 0, 0), gained=("f4", 0, 0),
            distance=("f4", 0, FAR),
        )  # fmt: skip
        self.targets = MappedTable(
            spill, links=("i4", KEPT, -1), count=("i4", 0, 0), host=("i4", 0, 0),
            folder=("i4", 0, 0),
            page=("i4", 0, -1), is_open=("?", 0, 1), url_match=("f4", 0, 0),
            words=("u2", URL.width, 0),
        )  # fmt: skip
        self.links = MappedTable(
            spill, source=("i4", 0, 0), target=("i4", 0, 0), path=("i4", 0, 0),
            words=("u2", LINK_WIDTH, 0), anchor_match=("f4", 0, 0), context_match=("f4", 0, 0),
        )  # fmt: skip
        self.groups = Table(tried=("f4", 0, 0), gained=("f4", 0, 0))
        self.groups.grow(_PATHS)
        self._rows = KeyMap("<I")
        self._group_numbers = KeyMap("<I")
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

    def add_target(
        self, url: str, fingerprint: Fingerprint, words: list[int], url_match: float
    ) -> int:
        """Note a target that `row` does not know; return its row. O(1)."""
        row = len(self.targets)
        self.targets.grow(1)
        self._rows.put(fingerprint, row)
        host = host_of(url)
        self.targets["host"][row] = self._group(host)
        self.targets["folder"][row] = self._group(folder_of(url, host))
        self.targets["url_match"][row] = url_match
        self.targets["words"][row] = words
        return row

    def add_page(
        self, row: int, relevance: float, label: float, like: float, title_match: float
    ) -> int:
        """Note the page that a target became; return its number. Its links are still to come."""
        page = len(self.pages)
        self.pages.grow(1)
        for name, value in (
            ("row", row), ("relevance", relevance), ("label", label), ("like", like),
            ("title_match", title_match),
        ):  # fmt: skip
            self.pages[name][page] = value
        self.targets["page"][row] = page
        self.pages["distance"][page] = self._distance(row, label)
        return page

    def add_links(self, page: int, found: Sequence[Found]) -> None:
        """Note the links of a page, each to another target. O(links)."""
        rows = np.array([each.row for each in found])
        new = self.links.grow(len(found))
        links = self.links
        links["source"][new] = page
        links["target"][new] = rows
        links["path"][new] = [each.path for each in found]
        links["words"][new] = [each.words for each in found]
        links["anchor_match"][new] = [each.anchor_match for each in found]
        links["context_match"][new] = [each.context_match for each in found]
        counts = self.targets["count"]
        self.targets["links"][rows, counts[rows] % KEPT] = np.arange(new.start, new.stop)
        counts[rows] += 1
        became = self.targets["page"][rows]
        is_known = became >= 0
        labels = self.pages["label"][became[is_known]]
        self.pages["tried"][page] += len(labels)
        self.pages["gained"][page] += labels.sum()
        paths = links["path"][new][is_known]
        np.add.at(self.groups["tried"], paths, 1)
        np.add.at(self.groups["gained"], paths, labels)

    def settle(self, row: int, label: float) -> None:
        """A target was tried: those that link to it and its groups gain by its label."""
        self.targets["is_open"][row] = False
        self.labels += label
        self.tries += 1
        groups, sources = self._credited(np.array([row]))
        for table, numbers in ((self.groups, groups), (self.pages, sources)):
            np.add.at(table["tried"], numbers, 1)
            np.add.at(table["gained"], numbers, label)

    def relabel(self, pages: Rows, labels: Reals) -> None:
        """Give different `pages` other labels, and what they had lent to others too. O(pages)."""
        change = labels - self.pages["label"][pages]
        self.pages["label"][pages] = labels
        self.labels += float(change.sum())
        rows = self.pages["row"][pages]
        of_links = self.inlinks(rows)
        spread = np.repeat(change, (of_links >= 0).sum(1))
        links = of_links[of_links >= 0]
        np.add.at(self.pages["gained"], self.links["source"][links], spread)
        np.add.at(self.groups["gained"], self.links["path"][links], spread)
        for kind in ("host", "folder"):
            np.add.at(self.groups["gained"], self.targets[kind][rows], change)

    def inlinks(self, rows: Rows) -> npt.NDArray[np.int32]:
        """Return the links kept into each of `rows`, shape (n, KEPT), −1 for none."""
        links: npt.NDArray[np.int32] = self.targets["links"][rows]
        return links

    def words(self, links: Rows) -> Ids:
        """Return the words of `links`, those of their targets' URLs last, shape (n, WIDTH)."""
        own, target = self.links["words"][links], self.links["target"][links]
        return np.concatenate((own, self.targets["words"][target]), axis=1)

    def _credited(self, rows: Rows) -> tuple[Rows, Rows]:
        """The groups and the pages that a try of `rows` tells about."""
        of_links = self.inlinks(rows)
        links = of_links[of_links >= 0]
        groups = np.concatenate(
            (self.targets["host"][rows], self.targets["folder"][rows], self.links["path"][links])
        )
        return groups, self.links["source"][links]

    def _distance(self, row: int, label: float) -> float:
        """Links from the last good page on the way here: 0 for a page better than most."""
        if label > 1.2 * self.mean_label:
            return 0.0
        of_links = self.targets["links"][row]
        sources = self.links["source"][of_links[of_links >= 0]]
        nearest = self.pages["distance"][sources].min(initial=FAR - 1)
        return float(min(nearest + 1, FAR))

    def _group(self, name: str) -> int:
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
