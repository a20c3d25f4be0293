"""Gives search results of public search engines, by ddgs (Dux Distributed Global Search).

ddgs has no interface for another HTTP client: it makes its requests itself, like a browser. The
crawl requests the pages that it finds. Needs the extra "ddgs".
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, ClassVar

from evocrawl.seeding.base import Fetch, Seed, SeedError, Topic, seed
from evocrawl.seeding.ranking import ranked

logger = logging.getLogger(__name__)

_ALL = "auto"
_TIMEOUT_S = 10
_MOST_RESULTS = 100
_COUNTRIES = {
    "ar": "xa", "cs": "cz", "da": "dk", "el": "gr", "en": "us", "et": "ee", "he": "il", "hi": "in",
    "ja": "jp", "ko": "kr", "sv": "se", "uk": "ua", "vi": "vn", "zh": "cn",
}  # fmt: skip
"""The country that search engines expect with a language, if its code differs."""


class Metasearch:
    """``ddgs:auto``, or ``ddgs:`` and the names of search engines with commas."""

    form: ClassVar[str] = (
        "auto or search engines that ddgs knows, such as ddgs:auto or ddgs:duckduckgo,mojeek"
    )

    def __init__(self, argument: str) -> None:
        try:
            from ddgs.engines import ENGINES
        except ImportError as error:
            raise ImportError(f"pip install 'evocrawl[ddgs]': {error}") from error
        names = [each.strip() for each in (argument or _ALL).split(",")]
        if not {*names} <= {_ALL, *ENGINES["text"]}:
            raise ValueError(self.form)
        self._engines = ",".join(names)

    async def seeds(self, topic: Topic, fetch: Fetch) -> list[Seed]:  # noqa: ARG002 - the protocol
        """Return results in the order of ddgs. `fetch` is not used."""
        if not topic.query.strip():
            raise SeedError("there is no query to search for")
        logger.warning(
            "seeds: ddgs makes its requests to search engines itself: robots.txt, delays, the "
            "address guard and the budget of the crawl do not hold for them"
        )
        results = await asyncio.to_thread(self._search, topic)
        found = (
            seed(each.get("href"), each.get("title")) for each in results if isinstance(each, dict)
        )
        return ranked(filter(None, found), topic.most)

    def _search(self, topic: Topic) -> list[Any]:
        from ddgs import DDGS
        from ddgs.exceptions import DDGSException

        try:
            return DDGS(timeout=_TIMEOUT_S).text(
                topic.query,
                region=region_of(topic.language),
                max_results=min(topic.most, _MOST_RESULTS),
                backend=self._engines,
            )
        except DDGSException as error:
            raise SeedError(str(error) or type(error).__name__) from error


def region_of(language: str) -> str:
    """Return the name of a language in search engines, with a country.

    >>> region_of("de"), region_of("sv"), region_of("pt-BR"), region_of("zh-Hant"), region_of("")
    ('de-de', 'se-sv', 'br-pt', 'cn-zh', 'us-en')
    """
    name, _, country = (language or "en").lower().partition("-")
    return f"{country if len(country) == 2 else _COUNTRIES.get(name, name)}-{name}"
