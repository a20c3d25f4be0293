"""Runs the crawls of a server within the limits that its operator has set."""

from __future__ import annotations

import asyncio
import re
import secrets
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from evocrawl.api.crawl import Crawl
from evocrawl.api.errors import CrawlError
from evocrawl.api.status import CrawlStatus
from evocrawl.core.errors import EvocrawlError, SettingError

_NAME = re.compile(r"[a-z0-9]{1,12}(?:-[a-z0-9]{1,12}){0,4}")
_LONGEST_QUERY = 500
_MOST_SEEDS = 50
_LONGEST_ADDRESS = 2_000
_STOP_S = 20.0


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits that the operator sets.

    ================  =========================================================================
    field             meaning
    ================  =========================================================================
    max_requests      most HTTP requests of a crawl, and its budget if the agent gives none
    max_crawls        most crawls that run at once
    max_s             seconds after which a crawl is stopped
    settings          settings of Scrapy and evocrawl for each crawl; an agent cannot change them
    ================  =========================================================================
    """

    max_requests: int = 500
    max_crawls: int = 2
    max_s: float = 1800.0
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise SettingError for a limit out of range, and for a setting that opens robots.txt."""
        for name in ("max_requests", "max_crawls", "max_s"):
            if getattr(self, name) < 1:
                raise SettingError(name, getattr(self, name), "a number from 1")
        if "ROBOTSTXT_OBEY" in self.settings:
            value = self.settings["ROBOTSTXT_OBEY"]
            raise SettingError("ROBOTSTXT_OBEY", value, "nothing: crawls of agents always obey")


class Crawls:
    """Crawls by name. Their stores, and those of earlier servers, are in `folder`.

    Without `folder` they are in a temporary folder, which is removed at the end of the block. The
    end of the block stops all crawls.
    """

    def __init__(self, limits: Limits, folder: str | Path = "") -> None:
        self.limits = limits
        self._is_temporary = not folder
        self._folder = Path(folder or ".")
        self._running: dict[str, Crawl] = {}
        self._ended: dict[str, CrawlStatus] = {}
        self._clocks: dict[str, asyncio.Task[None]] = {}
        self._starting = 0

    async def __aenter__(self) -> Self:
        if self._is_temporary:
            self._folder = Path(tempfile.mkdtemp(prefix="evocrawl-mcp-"))
        else:
            self._folder.mkdir(parents=True, exist_ok=True)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        clocks = [*self._clocks.values()]
        for clock in clocks:
            clock.cancel()
        await asyncio.gather(*clocks, return_exceptions=True)
        running = [crawl.close() for crawl in self._running.values()]
        await asyncio.gather(*running, return_exceptions=True)
        if self._is_temporary:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def start(
        self, query: str, seeds: Sequence[str], max_requests: int | None, domains: Sequence[str]
    ) -> str:
        """Begin a crawl; return its name. Raises CrawlError beyond a limit, and what `Crawl` does.

        `seeds` are addresses; only the operator may use other sources of seeds, such as files.
        """
        budget = self.limits.max_requests if max_requests is None else max_requests
        _check(query, seeds, domains, budget, self.limits.max_requests)
        if len(self._running) + self._starting >= self.limits.max_crawls:
            raise CrawlError(
                f"{self.limits.max_crawls} crawls are running, which is the most that this server "
                "allows: wait for one to end, or stop one"
            )
        name = self._new_name(query)
        crawl = Crawl(
            query, list(seeds), max_requests=budget, store=self._store(name), pages_ahead=None,
            settings=dict(self.limits.settings), stop_s=_STOP_S,
            **({"allowed_domains": list(domains)} if domains else {}),
        )  # fmt: skip
        self._starting += 1
        try:
            await crawl.start()
        finally:
            self._starting -= 1
        self._running[name] = crawl
        self._clocks[name] = asyncio.create_task(self._watch(name, crawl))
        return name

    def names(self) -> list[str]:
        """Return the names of all crawls, also of earlier servers."""
        stored = (path.stem for path in self._folder.glob("*.sqlite"))
        return sorted(name for name in stored if _NAME.fullmatch(name))

    def store_of(self, name: str) -> str:
        """Return the store of a crawl. Raises CrawlError for an unknown name."""
        path = self._store(name) if _NAME.fullmatch(name) else None
        if path is None or not path.is_file():
            known = ", ".join(self.names()[-10:]) or "none yet"
            raise CrawlError(f"there is no crawl {name[:100]!r}; crawls: {known}")
        return str(path)

    def running(self, name: str) -> Crawl | None:
        """Return a crawl of this server; None once it is over. Raises CrawlError if unknown."""
        self.store_of(name)
        return self._running.get(name)

    async def status(self, name: str) -> CrawlStatus:
        """Return how far a crawl is. Raises CrawlError if unknown."""
        crawl = self.running(name)
        if crawl is not None:
            return await crawl.status()
        return self._ended.get(name) or CrawlStatus("finished", reason="of an earlier server")

    async def _watch(self, name: str, crawl: Crawl) -> None:
        """Stop the crawl when its time is over, and free its place at its end."""
        try:
            with suppress(EvocrawlError):
                await asyncio.wait_for(crawl.wait(), self.limits.max_s)
        except TimeoutError:
            with suppress(EvocrawlError):
                await crawl.stop()
        await crawl.close()
        self._ended[name] = await crawl.status()
        del self._running[name]
        del self._clocks[name]

    def _store(self, name: str) -> Path:
        return self._folder / f"{name}.sqlite"

    def _new_name(self, query: str) -> str:
        """Return a new name from the first words of the query; no file has this name."""
        words = re.findall("[a-z0-9]{1,12}", query.lower())[:3]
        while True:
            name = "-".join([*words, secrets.token_hex(3)])
            if not self._store(name).exists():
                return name


def _check(
    query: str, seeds: Sequence[str], domains: Sequence[str], budget: int, most: int
) -> None:
    if not 1 <= budget <= most:
        raise CrawlError(f"max_requests is {budget}; this server allows 1 to {most}")
    if len(query) > _LONGEST_QUERY:
        raise CrawlError(f"the query has {len(query)} characters; allowed: {_LONGEST_QUERY}")
    if len(seeds) > _MOST_SEEDS:
        raise CrawlError(f"{len(seeds)} seeds are given; allowed: {_MOST_SEEDS}")
    if len(domains) > _MOST_SEEDS:
        raise CrawlError(f"{len(domains)} domains are given; allowed: {_MOST_SEEDS}")
    for text in (*seeds, *domains):
        if len(text) > _LONGEST_ADDRESS:
            raise CrawlError(
                f"{text[:50]!r}… has {len(text)} characters; allowed: {_LONGEST_ADDRESS}"
            )
    for seed in seeds:
        if not seed.lower().startswith(("http://", "https://")) or re.search(r"\s", seed):
            raise CrawlError(f"the seed {seed[:200]!r} is no http or https address")
