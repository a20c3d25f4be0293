"""Reads the whole record of a stored crawl, for reports."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, fields
from typing import Any

from evocrawl.core.config.config import Config
from evocrawl.core.config.population import DEFAULT_SPECIES
from evocrawl.core.urls.identity import host_of
from evocrawl.monitor.crawl_record import CrawlRecord
from evocrawl.monitor.curve import Point
from evocrawl.monitor.opt_outs import opt_outs_of
from evocrawl.monitor.record import AgentRecord, HostRecord, Record
from evocrawl.monitor.results import Result
from evocrawl.monitor.stored_crawl import AnyArchive, RebuiltPopulation, config_of, open_store
from evocrawl.store.archive import Archive
from evocrawl.store.journal.compaction import COMPACT
from evocrawl.store.stored_page import StoredPage

_SHARED = (
    "Several workers share this crawl: it keeps no journal of choices, so that there are no "
    "energies, agents have no ancestors, and the curve counts pages in place of requests."
)
_COMPACT = (
    f"This report was made from the pages alone: {COMPACT}. There are no energies, agents have no "
    "ancestors, and the curve counts pages in place of requests."
)


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """The data of a stored crawl for reports.

    `ended` is why the crawl ended, "" if it can go on. `began` and `stopped` are the dates of the
    first and the last page, ISO 8601, "" without pages. `command` makes the crawl again. `opt_outs`
    is what `evocrawl.monitor.opt_outs` finds.
    """

    store: str
    about: dict[str, Any]
    record: Record
    relevant_at: float
    limit: int | None
    ended: str
    began: str
    stopped: str
    command: str
    notes: list[str] = field(default_factory=list)
    opt_outs: dict[str, Any] | None = None


def stored_record(store: str, *, learnt: str = "") -> StoredRecord:
    """Read a stored crawl from beginning to end; raises StateError."""
    with open_store(store) as archive:
        about = archive.about()
        is_file = isinstance(archive, Archive)
        if isinstance(archive, Archive) and not archive.is_compact:
            rebuilt = RebuiltPopulation(about, learnt=learnt)
            assembly = rebuilt.assembly
            record = CrawlRecord(rebuilt.population, assembly.ledger, assembly.forecast)
            problem = rebuilt.replay(archive.ops())
            notes = [f"The journal was replayed in part only: {problem}"] if problem else []
            began, stopped = _dates([page.fetched_at for page in archive.pages()])
            opt_outs = opt_outs_of(archive, (each.url for each in record.results))
            limit = rebuilt.assembly.budget.limit
            return StoredRecord(
                store, about, record, rebuilt.config.relevant_at, limit,
                rebuilt.population.ended or "", began, stopped, command_of(about, store, limit),
                notes, opt_outs,
            )  # fmt: skip
        config = config_of(about, "")
        relevant_at = config.relevant_at
        shared = SharedRecord(archive, relevant_at)
        # The limit of a run is in the journal; without it the command has none, not no limit.
        limit = about.get("max_requests", config.max_requests)
        return StoredRecord(
            store, about, shared, relevant_at, None, "", shared.began, shared.stopped,
            command_of(about, store, limit), [_COMPACT if is_file else _SHARED],
            opt_outs_of(archive, (each.url for each in shared.results)),
        )  # fmt: skip


class SharedRecord(Record):
    """The record of a crawl of several workers or with a compact journal, made from its pages.

    Pages do not contain the number of requests, so there is no outlook.
    """

    def __init__(self, archive: AnyArchive, relevant_at: float) -> None:
        super().__init__()
        self._relevant = 0
        dates = []
        for page in archive.pages():
            dates.append(page.fetched_at)
            self._add(page, page.relevance >= relevant_at)
        self.began, self.stopped = _dates(dates)

    def point(self) -> Point:
        """Return the present point of the crawl."""
        pages = len(self.results)
        return Point(pages, 0.0, pages, self._relevant, len(self.agents), 0.0, None)

    def _add(self, page: StoredPage, is_relevant: bool) -> None:
        host_name = host_of(page.url)
        host = self.hosts.setdefault(host_name, HostRecord(host_name))
        agent = self.agents.setdefault(
            page.agent, AgentRecord(page.agent, None, "", len(self.results), 0.0)
        )
        self._relevant += is_relevant
        for each in (host, agent):
            each.visits += 1
            each.pages += 1
            each.relevant += is_relevant
        host.seconds += page.seconds
        self.results.add(_result(page))
        self.curve.add(self.point)


def _result(page: StoredPage) -> Result:
    return Result(
        page.visit, page.url, page.title, host_of(page.url), page.relevance, page.agent,
        page.depth, page.parent, page.anchor, page.energy, page.language, page.seconds,
    )  # fmt: skip


def _dates(dates: list[str]) -> tuple[str, str]:
    return (min(dates), max(dates)) if dates else ("", "")


def command_of(about: dict[str, Any], store: str, limit: int | None) -> str:
    """Return the command line that makes the crawl again, or continues it.

    Names the options that differ from their defaults. Options of each run that are not kept
    (such as delays) have their defaults.
    """
    plain = Config.read({}, {"query": "a", "species": about.get("species", "evo")})
    spider = str(about.get("spider", "evospider"))
    values = {name: about[name] for name in _option_names() if name in about}
    values["max_requests"] = limit or 0
    parts = ["scrapy", "crawl", spider]
    is_own = spider != "evospider"
    for name, value in values.items():
        default = DEFAULT_SPECIES if name == "species" else _as_json(getattr(plain, name))
        if name == "learnt" or value == default:
            continue
        text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
        parts += ["-s", f"EVOCRAWL_{name.upper()}={text}"] if is_own else ["-a", f"{name}={text}"]
    if not store.startswith(("redis", "unix")):
        parts += ["-s", f"EVOCRAWL_STORE={store}"] if is_own else ["-a", f"store={store}"]
    return shlex.join(parts)


def _option_names() -> list[str]:
    return [each.name for each in fields(Config)]


def _as_json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
