"""Options of the topic, the seeds, the budget and the relevance of pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from evocrawl.core.config.option import (
    flag,
    maybe,
    names,
    number,
    option,
    path,
    paths,
    places,
    text,
    text_up_to,
    whole,
    words,
)
from evocrawl.core.config.stop import STOP_ALLOWED, stop_rule

_OTHER_PLACE = re.compile(r"\{(?!(?:title|query)\})\w*\}")


def templates(raw: Any) -> tuple[str, ...]:
    """Parse URLs separated as by `words`; raises ValueError for a place of another name."""
    found = words(raw)
    if any(map(_OTHER_PLACE.search, found)):
        raise ValueError(raw)
    return found


@dataclass(frozen=True, kw_only=True)
class CrawlOptions:
    """Options of the topic, the seeds, the budget and the relevance of pages."""

    query: str = option(
        "",
        text_up_to(10_000),
        "search words, 10000 characters at most",
        "topic of the crawl, in plain words",
    )
    seeds: tuple[str, ...] = option(
        (),
        places,
        "http(s) URLs or sources of seeds, separated by spaces or commas",
        "where the agents start: URLs, and sources such as searxng:https://host/, "
        "mediawiki:https://host/w/api.php, sitemap:https://host, feed:https://host/feed.xml, "
        "cdx:https://host/index?url=*.example.org, ddgs:auto, store:crawl.sqlite, file:urls.txt, "
        "stdin:",
    )
    seed_sources: tuple[str, ...] = option(
        (),
        places,
        "sources of seeds, separated by spaces or commas",
        "sources of seeds that are tried in turn, until one gives seeds, if `seeds` is not set; "
        "before seed_templates",
    )
    seeds_limit: int = option(
        20, whole(1), "a whole number from 1", "most seeds that each source gives"
    )
    seed_templates: tuple[str, ...] = option(
        ("https://en.wikipedia.org/wiki/{title}",),
        templates,
        "URLs that contain {title} or {query}",
        "seeds to build from the query if neither seeds nor seed_sources give any: {title} is the "
        "query as an article title, {query} the query percent-encoded",
    )
    allowed_domains: tuple[str, ...] = option(
        (),
        names,
        "domain names, separated by spaces or commas",
        "domains to which evospider restricts itself, with their subdomains; all domains if empty",
    )
    max_requests: int = option(
        1000,
        whole(0),
        "a whole number; 0 for no limit",
        "most HTTP requests of the crawl, including robots.txt, redirects, retries and failures; "
        "your own spiders have no limit unless this is set",
    )
    stop: str = option(
        "",
        stop_rule,
        STOP_ALLOWED,
        "rule that ends the crawl before its budget is used up: `yield<2%` where the next 1 000 "
        "requests would bring fewer than 20 relevant pages, `recall>90%` where nine tenths of the "
        "relevant pages within reach are found, both by estimates; of two conditions, the first "
        "that holds ends the crawl",
    )
    seed: int = option(
        0, whole(0, 2**63 - 1), "a whole number from 0", "seed of the random generator"
    )
    relevance: str = option(
        "tfidf+2*vectors+opening",
        text,
        "the name of a relevance model, or several with weights, such as 0.7*tfidf+0.3*vectors",
        "model that scores pages, or a mix of models: see explanation/relevance.md",
    )
    calibrated: bool = option(
        True,
        flag,
        "true or false",
        "whether the relevance of a page is the chance that a reader would call it relevant; if "
        "false, it is the model's own score, as in the papers",
    )
    examples: str = option(
        "",
        path,
        "a folder or file of pages that are marked relevant or not",
        "pages from which the relevance model `classifier` learns what is relevant",
    )
    fresh_h: float = option(
        24.0,
        number(0, above=True),
        "a number above 0",
        "hours for which relevance models that use age count a page as fresh",
    )
    language: str = option(
        "",
        text,
        "a language code such as en or de",
        "language of the query; determined by its script and words if empty",
    )
    dictionaries: tuple[str, ...] = option(
        (),
        paths,
        "files that `evocrawl dictionary` wrote, separated by spaces or commas",
        "dictionaries by which pages in another language are read in that of the query: see "
        "guide/languages.md",
    )
    relevant_at: float = option(
        None,
        maybe(number(0, 1)),
        "a number from 0 to 1",
        "lowest relevance of a relevant page; 0.5 unless set, 0.12 if `calibrated` is false",
    )
