"""The evidence about links, in four tables: pages, targets of links, links and groups.

========  ========================================================================================
table     a row holds
========  ========================================================================================
pages     a fetched page: its label, the labels of its linked pages, the distance of a good page,
          whether this population has fetched it
targets   a linked address: its latest `KEPT` incoming links, its groups
links     one link: source page, target, words, match of anchor and context with the query
groups    a host, a folder of URLs or a tag path: its number of visited targets, the sum of their
          labels, the number of dead ones; of a host, the relevance of its best page by the bar;
          of a folder, its depth
========  ========================================================================================

A label, in [0, 1], is the quality of a page. Values that change with learning are computed from
these rows when they are needed, and not stored with the target. Targets and links, of which there
are many, are on disk; the numbers of addresses and groups take some 21 bytes of memory each.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.containers.paged_table import PagedTable
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Fingerprint
from evocrawl.core.urls.identity import host_of
from evocrawl.species.evo.link_model.group_names import PATHS, folder_of
from evocrawl.species.evo.link_model.group_numbers import GroupNumbers
from evocrawl.species.evo.link_model.hashing import LINK_WIDTH, URL, Ids
from evocrawl.species.evo.link_model.incoming import Incoming
from evocrawl.species.evo.link_model.latest_words import COMPARED, LatestWords
from evocrawl.species.evo.link_model.new_rows import NewLinks, NewPages, NewTargets
from evocrawl.species.evo.link_model.table import Table

KEPT = 6
"""Number of incoming links that a target keeps: the latest ones."""
FAR = 5
"""Greatest distance from the last good page, in links."""
_INSIDE, _OUTSIDE = PATHS, PATHS + 1
"""Groups of the links within a host, and of the links between hosts."""
SHARED_GROUPS = PATHS + 2
"""The first groups, which have the same numbers in every population."""

Rows = npt.NDArray[np.intp]
Reals = npt.NDArray[np.float64]


class LinkGraph:
    """The four tables, and the numbers of addresses and groups."""

    of_run = ("_latest",)
    """Attributes that are no part of a snapshot."""

    def __init__(self, spill: SpillFile) -> None:
        self.pages = Table(
            label=("f4", 0, 0), like=("f4", 0, 0), title_match=("f4", 0, 0), row=("i4", 0, -1),
            relevance=("f4", 0, 0), tried=("f4", 0, 0), gained=("f4", 0, 0),
            distance=("f4", 0, FAR), host=("i4", 0, 0), is_own=("?", 0, 1), depth=("i1", 0, 0),
        )  # fmt: skip
        self.became = Table(page=("i4", 0, -1))
        """The page of each target, −1 without one; a table of its own, since it is read often."""
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
        self.groups = Table(
            tried=("f4", 0, 0), gained=("f4", 0, 0), dead=("f4", 0, 0), best=("f4", 0, 0),
            depth=("i1", 0, 0),
        )  # fmt: skip
        self.groups.grow(SHARED_GROUPS)
        self._rows = KeyMap("<I")
        self._numbers = GroupNumbers(self.groups)
        self._latest = LatestWords(COMPARED)
        self.labels = self.best = 0.0
        self.tries = 0

    @property
    def mean_label(self) -> float:
        """The mean label of visited targets, with one page of label 0.1 as the prior."""
        return (self.labels + 0.1) / (self.tries + 1)

    def row(self, fingerprint: Fingerprint) -> int | None:
        """Return the row of a target, None for an unknown target."""
        known = self._rows.get(fingerprint)
        return None if known is None else known[0]

    def rows(self, fingerprints: Sequence[Fingerprint]) -> list[int | None]:
        """Return the rows of targets, None for an unknown target. O(targets)."""
        return [None if known is None else known[0] for known in self._rows.get_each(fingerprints)]

    def add_targets(self, new: NewTargets) -> range:
        """Add targets that `row` does not know; return their rows. O(targets)."""
        count = len(new.urls)
        records = self.targets.fresh(count)
        groups, number = list[int](), self._numbers.number
        for url in new.urls:
            host = host_of(url)
            groups += (number(host), number(folder_of(url, host)))
        records["host"], records["folder"] = groups[::2], groups[1::2]
        records["url_match"] = new.matches
        records["words"] = new.words
        at = self.targets.append(records)
        self.became.grow(count)
        for row, fingerprint in enumerate(new.fingerprints, at.start):
            self._rows.put(fingerprint, row)
        return range(at.start, at.stop)

    def add_pages(self, new: NewPages, visited: Incoming | None = None) -> range:
        """Add the pages of targets, without their links; return their numbers. O(pages).

        `visited` is the target with its links if it is a single one, None if it was not read.
        """
        at = self.pages.grow(len(new.rows))
        rows = np.array(new.rows)
        targets = self.targets.take(rows) if visited is None else visited.target
        for name, values in (
            ("row", rows), ("relevance", new.relevances), ("label", new.labels),
            ("like", new.likes), ("title_match", new.title_matches), ("is_own", new.is_own),
            ("host", targets["host"]), ("depth", self.groups["depth"][targets["folder"]]),
        ):  # fmt: skip
            self.pages[name][at] = values
        pages = range(at.start, at.stop)
        self.became["page"][rows] = pages
        sources = None if visited is None else visited.links["source"]
        distances = self._distances(targets["links"], new.labels, sources)
        self.pages["distance"][at] = np.minimum(distances, new.distances)
        return pages

    def page_of(self, row: int) -> int:
        """Return the page of a target, −1 without one."""
        return int(self.became["page"][row])

    def become(self, row: int, page: int) -> None:
        """Note that a target is a known page."""
        self.became["page"][row] = page

    def is_open(self, row: int) -> bool:
        """Return True if a target was not visited."""
        return bool(self.targets.get_one("is_open", row))

    def add_links(self, pages: Sequence[int], found: NewLinks) -> None:
        """Add links, each with the page that it is on; those of a page follow each other.

        O(links).
        """
        rows, sources = np.array(found.rows), np.array(pages)
        records = self.links.fresh(len(rows))
        records["source"] = sources
        records["target"] = rows
        records["path"] = found.paths
        records["words"] = found.words
        records["anchor_match"] = found.anchor_matches
        records["context_match"] = found.context_matches
        new = self.links.append(records)
        of_urls = self._add_inlinks(rows, np.arange(new.start, new.stop))
        self._latest.add(np.concatenate((found.words, of_urls), axis=1))
        became = self.became["page"][rows]
        is_known = became >= 0
        labels = self.pages["label"][became[is_known]]
        known_on = sources[is_known]
        for page in dict.fromkeys(known_on.tolist()):
            of_page = labels[known_on == page]
            self.pages["tried"][page] += len(of_page)
            self.pages["gained"][page] += of_page.sum()
        paths = records["path"][is_known]
        np.add.at(self.groups["tried"], paths, 1)
        np.add.at(self.groups["gained"], paths, labels)

    def _add_inlinks(self, rows: Rows, links: Rows) -> Ids:
        """Note `links` at the targets `rows`, of which a target may have several.

        Return the words of the URLs, shape (n, URL.width).
        """
        turns, counts = np.zeros(len(rows), np.intp), np.ones(len(rows), np.intp)
        different, place = rows, np.arange(len(rows))
        if len({*rows.tolist()}) < len(rows):
            different, place, counts = np.unique(rows, return_inverse=True, return_counts=True)
            order = np.argsort(place, kind="stable")
            turns[order] = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        targets = self.targets.take(different)
        # Of several links in one place the last one stays.
        targets["links"][place, (targets["count"][place] + turns) % KEPT] = links
        targets["count"] += counts
        self.targets.put(different, targets)
        of_urls: Ids = targets["words"][place]
        return of_urls

    def incoming(self, row: int) -> Incoming:
        """Return a target with its kept incoming links, 0 to `KEPT`."""
        target = self.targets.take(np.array([row]))
        links = target["links"][0]
        return Incoming(row, target, self.links.take(links[links >= 0]))

    def settle(self, visited: Incoming, label: float, *, is_page: bool = True) -> None:
        """Note a visit: the label counts for the target's groups and the pages that link to it."""
        self.targets.set_one("is_open", visited.row, False)
        self.labels += label
        self.tries += 1
        target, links = visited.target, visited.links
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

    def note_best(self, host: int, relevance: float) -> None:
        """Note the relevance of a page of a host, divided by that of a relevant page."""
        of_hosts = self.groups["best"]
        of_hosts[host] = min(1.0, max(of_hosts[host], relevance))
        self.best = max(self.best, min(1.0, relevance))

    def kinds(self, are_inside: npt.NDArray[np.bool_]) -> Rows:
        """Return the groups of links: within a host if `are_inside`, else between hosts."""
        groups: Rows = np.where(are_inside, _INSIDE, _OUTSIDE)
        return groups

    def relabel(self, pages: Rows, labels: Reals) -> None:
        """Change the labels of distinct `pages`, and all sums that contain them. O(pages)."""
        is_own = self.pages["is_own"][pages]
        change = (labels - self.pages["label"][pages])[is_own]
        self.pages["label"][pages] = labels
        self.labels += float(change.sum())
        rows = self.pages["row"][pages[is_own]]
        targets = self.targets.copies(rows)
        of_links = targets["links"]
        spread = np.repeat(change, (of_links >= 0).sum(1))
        links = self.links.copies(of_links[of_links >= 0])
        np.add.at(self.pages["gained"], links["source"], spread)
        np.add.at(self.groups["gained"], links["path"], spread)
        for kind in ("host", "folder"):
            np.add.at(self.groups["gained"], targets[kind], change)

    def are_new_on(self, page: int, rows: Rows) -> npt.NDArray[np.bool_]:
        """Return which targets `page` has no link to, shape (n,).

        False for a target with more than `KEPT` incoming links, of which `page` may have had one.
        """
        targets = self.targets.take(rows)
        links = targets["links"]
        sources = np.full(links.shape, -1)
        sources[links >= 0] = self.links.get("source", links[links >= 0])
        are_new: npt.NDArray[np.bool_] = (targets["count"] <= KEPT) & (sources != page).all(1)
        return are_new

    def latest_words(self) -> Ids:
        """Return the words of the latest links, at most `COMPARED`, with those of their URLs.

        Shape (n, WIDTH), oldest first.
        """
        count = min(len(self.links), COMPARED)
        if len(self._latest) < count:
            links = self.links.take(np.arange(len(self.links) - count, len(self.links)))
            of_urls = self.targets.get("words", links["target"])
            self._latest.add(np.concatenate((links["words"], of_urls), axis=1))
        return self._latest.latest(count)

    def distance(self, row: int | None, label: float) -> int:
        """Return the distance of a page with this label, of a target or of an unknown address."""
        links = np.full((1, KEPT), -1)
        if row is not None:
            links = self.targets.take(np.array([row]))["links"]
        return int(self._distances(links, [label])[0])

    def _distances(
        self, links: Rows, labels: Sequence[float], sources: Rows | None = None
    ) -> Reals:
        """Return the number of links from the last good page to pages, 0 for a good page.

        `links` are their incoming ones, shape (pages, KEPT), −1 for none; `sources` the pages with
        these links, if they are known.
        """
        are_links = links >= 0
        if sources is None:
            sources = self.links.get("source", links[are_links])
        nearest = np.full(links.shape, float(FAR - 1))
        nearest[are_links] = np.minimum(self.pages["distance"][sources], FAR - 1)
        are_good = np.array(labels) > 1.2 * self.mean_label
        distances: Reals = np.where(are_good, 0.0, nearest.min(1) + 1)
        return distances
