"""Webs whose pages are made from their addresses, for crawls with traps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from tiny_webs import crawl as crawl_web
from tiny_webs import link, make_population

from evocrawl.core.events import Event
from evocrawl.core.model import Content, Cost, Dead, Fetched, Outcome, Page
from evocrawl.core.urls.identity import fingerprint

SPECIES = ("evo", "energy", "best_first")
WORDS = np.array([f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in "lmnrst"])


class Made:
    """A web whose pages are made from their addresses: text and links."""

    def __init__(self, make: Callable[[str], tuple[str, Iterable[str]] | None]) -> None:
        self.make = make

    def answer(self, url: str, price: Callable[[float], float]) -> Outcome:
        made = self.make(url)
        if made is None:
            return Dead("404", Cost())
        text, links = made
        relevance = float("coral" in text)
        content = Content("", text)
        version = text.encode()
        page = Page(
            url, fingerprint(url), relevance, price(relevance), tuple(map(link, links)), version,
            content,
        )  # fmt: skip
        return Fetched(page, Cost(seconds=1.0))


def said(url: str, words: int = 60) -> str:
    """Return a different text for each address."""
    rng = np.random.default_rng(list(url.encode()))
    return "coral " + " ".join(rng.choice(WORDS, words))


def visited(species: str, make: Callable[[str], Any], **options: Any) -> tuple[list[str], Any]:
    """Crawl such a web from ``http://a.test/``; return the addresses in order, and the events."""
    population, _ = make_population(species, budget=options.pop("budget", 3000), **options)
    events: list[Event] = []
    population.on_event.append(events.append)
    return crawl_web(population, Made(make), ["http://a.test/"]), events  # type: ignore[arg-type]
