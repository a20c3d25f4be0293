"""Sites after BioCrawler: a few have semantic content, some disallow crawlers, some links are dead.

Batzios et al. 2008, §3.2 and table 2: 1000 sites, 10 % of the pages semantic, 1 % of the sites
forbidden, 2 % of the links invalid; pages have random numbers of links, to any mixture of these.
The energy model gives the reward for semantic content, not the world. The paper does not give the
following choices: pages per site and links per page (10 each), half of the links within the site,
and semantic pages on a fifth of the sites, since crawlers must learn "which sites are rich".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from evocrawl.core.model import Fingerprint
from evocrawl.simulation.worlds.made_up.base import Compared, Synthetic, Weather
from evocrawl.simulation.worlds.made_up.webgraph import Graph, Integers, from_links

Kind: TypeAlias = Literal["semantic", "plain", "invalid", "forbidden"]
"""Kinds of addresses: food, vacant space, trap, obstacle (table 1)."""

SEMANTIC = "semantic"
_FORMATS = ("json-ld",)
_SAMPLE = 2000
_AT_ONCE = 50_000
"""Number of pages whose links are drawn at once; it limits the memory."""


@dataclass(frozen=True, slots=True)
class SitesPlan:
    """Requested numbers of the web. Raises ValueError for impossible ones.

    `pages_per_site` and `links_per_page` are means; page counts are 1 + Poisson, link counts are
    uniform in [1, 2 · mean − 1]. `semantic` is a share of all pages, on a share `semantic_sites` of
    the sites (or on more sites, if these do not have enough pages).
    """

    sites: int = 1000
    pages_per_site: float = 10.0
    links_per_page: int = 10
    semantic: float = 0.10
    semantic_sites: float = 0.20
    inside: float = 0.5
    weather: Weather = field(default_factory=lambda: Weather(dead=0.02, forbidden=0.01))

    def __post_init__(self) -> None:
        if self.sites < 1 or not 1 <= self.pages_per_site <= 1e6 or self.links_per_page < 1:
            raise ValueError("sites, pages_per_site and links_per_page must be at least 1")
        for name in ("semantic", "semantic_sites", "inside"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in [0, 1], not {getattr(self, name)}")


class Sites(Synthetic):
    """The web of a plan; the pages of a site have consecutive numbers."""

    def __init__(self, plan: SitesPlan, rng: Generator) -> None:
        sizes = 1 + rng.poisson(plan.pages_per_site - 1, plan.sites)
        self.plan = plan
        self.first_page = np.concatenate(([0], np.cumsum(sizes)))
        self._site_of = np.repeat(np.arange(plan.sites, dtype=np.int32), sizes)
        self._site_is_closed = np.zeros(plan.sites, dtype=bool)
        closed = rng.permutation(plan.sites)[: round(plan.weather.forbidden * plan.sites)]
        self._site_is_closed[closed] = True
        graph = _links(self.first_page, self._site_of, plan, rng)
        forbidden = self._site_is_closed[self._site_of]
        super().__init__("sites", graph, forbidden, plan.weather, 2, rng)
        self._is_semantic = np.zeros(len(self.graph), dtype=bool)
        self._is_semantic[_semantic_pages(self.first_page, plan, rng)] = True

    def compared(self, rng: Generator) -> tuple[Compared, ...]:
        """Return the numbers of the plan with those of the web, for links of at most 2000 pages."""
        plan, pages = self.plan, len(self.graph)
        sample = rng.choice(pages, size=min(_SAMPLE, pages), replace=False).tolist()
        links = [
            self.page(url) is None and "/old/" not in url
            for page in sample
            for url in self.link_urls(page, self.graph.out(page))
        ]
        return (
            Compared("sites", plan.sites, len(self._site_is_closed)),
            Compared("pages per site", plan.pages_per_site, pages / plan.sites),
            Compared("links per page", plan.links_per_page, len(self.graph.targets) / pages),
            Compared("semantic pages", plan.semantic, float(self._is_semantic.mean())),
            Compared("forbidden sites", plan.weather.forbidden, float(self._site_is_closed.mean())),
            Compared("invalid links", plan.weather.dead, sum(links) / max(len(links), 1)),
        )

    def kind_of(self, url: str) -> Kind:
        """Return the kind of an address, as a BioCrawler would find it."""
        page = self.page(url)
        if page is None:
            answer = self.answer(url, 0.0)
            if answer.is_forbidden:
                return "forbidden"
            page = self.page(answer.location)
        if page is None:
            return "invalid"
        if self.forbidden[page]:
            return "forbidden"
        return "semantic" if self._is_semantic[page] else "plain"

    def formats(self, page: int) -> tuple[str, ...]:
        """Return JSON-LD for a semantic page; the OWL files of the paper have no links."""
        return _FORMATS if self._is_semantic[page] else ()

    def host(self, page: int) -> str:
        """Return the host of a page; each site has one."""
        return f"s{self._site_of[page]}.sites.test"

    def topics_of(self, pages: Integers) -> tuple[Integers, Integers]:
        """Return 1 for semantic pages, 0 for plain ones."""
        topics = self._is_semantic[pages].astype(np.int64)
        return topics, topics

    def exists(self, page: int, now_s: float) -> bool:  # noqa: ARG002
        """Return True, since this world is static."""
        return True

    def revision(self, page: int, now_s: float) -> tuple[int, float | None]:  # noqa: ARG002
        """Return the first and only revision, without a date."""
        return 0, None

    def topics(self) -> tuple[str, ...]:
        """Return the one topic."""
        return (SEMANTIC,) if self._is_semantic.any() else ()

    def about(self, topic: str) -> frozenset[Fingerprint]:
        """Return the fetchable semantic pages; raises KeyError for another topic."""
        if topic not in self.topics():
            raise KeyError(topic)
        return self.fingerprints(np.flatnonzero(self._is_semantic))

    def hosts(self) -> tuple[str, ...]:
        """Return one host for each site."""
        return tuple(f"s{site}.sites.test" for site in range(self.plan.sites))

    def robots_txt(self, host: str) -> str:
        """Return rules that disallow all of a disallowed site."""
        site = int(host.partition(".")[0][1:])
        return "User-agent: *\nDisallow: /\n" if self._site_is_closed[site] else ""

    def _site_is_forbidden(self, page: int) -> bool:
        return bool(self.forbidden[page])


def _links(
    first_page: NDArray[np.int64], site_of: NDArray[np.int32], plan: SitesPlan, rng: Generator
) -> Graph:
    """Draw the links of every page: a share within its site, the others to any page."""
    counts = rng.integers(1, 2 * plan.links_per_page, size=len(site_of))
    parts = [
        _some_links(
            first_page, site_of, np.repeat(np.arange(low, low + len(some)), some), plan, rng
        )
        for low in range(0, len(counts), _AT_ONCE)
        for some in [counts[low : low + _AT_ONCE]]
    ]
    sources, targets = (np.concatenate(ends) for ends in zip(*parts, strict=True))
    return from_links(len(site_of), sources, targets)


def _some_links(
    first_page: NDArray[np.int64],
    site_of: NDArray[np.int32],
    sources: NDArray[np.int64],
    plan: SitesPlan,
    rng: Generator,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    pages = len(site_of)
    low, high = first_page[site_of[sources]], first_page[site_of[sources] + 1]
    inside = rng.random(len(sources)) < plan.inside
    targets = np.where(inside, rng.integers(low, high), rng.integers(pages, size=len(sources)))
    kept = _first_of_each(sources * pages + targets) & (sources != targets)
    return sources[kept].astype(np.int32), targets[kept].astype(np.int32)


def _first_of_each(keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    first = np.zeros(len(keys), dtype=bool)
    first[np.unique(keys, return_index=True)[1]] = True
    return first


def _semantic_pages(
    first_page: NDArray[np.int64], plan: SitesPlan, rng: Generator
) -> NDArray[np.int64]:
    """Draw the semantic pages from as few rich sites as the plan allows."""
    wanted = round(plan.semantic * int(first_page[-1]))
    order = rng.permutation(plan.sites)
    room = np.cumsum(np.diff(first_page)[order])
    rich = max(round(plan.semantic_sites * plan.sites), int(np.searchsorted(room, wanted)) + 1)
    pages = np.concatenate([np.arange(*first_page[site : site + 2]) for site in order[:rich]])
    return rng.choice(pages, size=wanted, replace=False)
