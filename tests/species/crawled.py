"""Crawls a tiny web with a species and returns the order of visits as short names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from evocrawl.core.config.config import Config
from evocrawl.core.model import Cost, Dead, Fetched, Link, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.population.assembly import assemble
from evocrawl.relevance.base import Relevance

Pages = Mapping[str, tuple[float, Sequence[Link]]]


class WordsAreNumbers:
    """The relevance of a text is its number, 0 for a text that is not a number."""

    def page(self, title: str, text: str, language: str) -> float:  # noqa: ARG002
        return _number(text)

    def link(self, anchor: str, context: str, language: str = "") -> float:  # noqa: ARG002
        return 0.8 * _number(anchor) + 0.2 * _number(context)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def url_of(name: str) -> str:
    """Return a URL: ``x`` is a page of host a.test, ``b.test/x`` one of b.test."""
    return f"http://{name if '/' in name else 'a.test/' + name}"


def to(name: str, anchor: str = "", context: str = "", tag_path: str = "") -> Link:
    """Return a link to a page by its short name."""
    return Link(url_of(name), fingerprint(url_of(name)), anchor, context, tag_path=tag_path)


def order(
    species: str,
    pages: Pages,
    *,
    seeds: Sequence[str] = ("seed",),
    labels: Collection[str] | None = None,
    model: Relevance | None = None,
    most: int = 100,
    busy: Callable[[str], bool] = lambda _: False,
    **options: object,
) -> list[str]:
    """Return the first `most` visits of a crawl, one at a time; `busy` hosts never become free."""
    config = Config.read({}, {"query": "words", "species": species, **options})
    known = None if labels is None else {fingerprint(url_of(name)) for name in labels}
    assembly = assemble(
        config,
        concurrency=1,
        host_limit=lambda host: (1, 1e9 if busy(host) else 0.0),
        timeout_s=10.0,
        model=model or WordsAreNumbers(),
        labels=known,
    )
    population = assembly.population
    population.place([to(name) for name in seeds])
    by_url = {url_of(name): name for name in pages}
    visited = list[str]()
    while len(visited) < most and (visit := population.choose(0.0)) is not None:
        url = visit.lead.url
        visited.append(by_url.get(url, url))
        if url not in by_url:
            population.settle(visit.id, Dead("404", Cost()))
            continue
        relevance, links = pages[by_url[url]]
        page = Page(url, fingerprint(url), relevance, 0.0, links=tuple(links))
        population.settle(visit.id, Fetched(page, Cost()))
    return visited
