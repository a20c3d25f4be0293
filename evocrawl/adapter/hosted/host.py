"""Exchanges messages between a hosted crawl and the program that started it.

Each message is a line of JSON. The crawl sends one of

==========  =======================================================================================
``began``   the spider is open
``page``    a page, with its relevance and its HTTP response
``answer``  the number of a question, with a `value` or an `error`
``error``   the crawl cannot begin or has failed
``end``     why the crawl has ended, and its last status
==========  =======================================================================================

The program sends questions with a number `ask` and a name `do`, and ``{"more": N}`` to take N more
pages. If no place is left, a page waits in `PageOutlet` and its visit is not settled. The number of
unsettled visits is bounded, so the memory of both sides is bounded, too. The crawl stops if its
program is gone.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections import deque
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from scrapy import signals

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.controls import CrawlControls
from evocrawl.adapter.hosted.line_pipe import LinePipe
from evocrawl.adapter.shared_controls import WorkerControls
from evocrawl.core.errors import EvocrawlError, SettingError
from evocrawl.core.items import PageItem
from evocrawl.core.sanitize import one_line
from evocrawl.monitor import views
from evocrawl.monitor.crawl_record import CrawlRecord
from evocrawl.monitor.dashboard.source import ControlError
from evocrawl.monitor.page_texts import PageTexts

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from evocrawl.core.fetch import RawResponse

logger = logging.getLogger(__name__)

hosts: WeakKeyDictionary[Crawler, CrawlHost] = WeakKeyDictionary()
"""The host of each crawler; the program that makes the crawler adds it."""

BY_PROGRAM = ("program", "stopped_by_program")
"""First word of log lines, and the stop reason of a crawl that its program has stopped."""
_LONGEST_BODY = 16 * 1024 * 1024


class CrawlHost:
    """Extension: sends messages and answers questions for one crawler.

    `messages` is the descriptor of the pipe for messages. `pages_ahead` is the number of pages that
    may be sent before the program asks for more; None sends no pages.
    """

    def __init__(self, crawler: Crawler, messages: int, pages_ahead: int | None) -> None:
        self._crawler = crawler
        self._messages = messages
        self._places = pages_ahead
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_over = False
        self._reason = ""
        self._pipe: LinePipe | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the crawler's host, and begin its record of the crawl."""
        host = hosts[crawler]
        assert isinstance(host, cls)
        host.attach(CrawlContext.of(crawler))
        return host

    def attach(self, context: CrawlContext) -> None:
        """Record the events of the population of `context` from now on."""
        self._context = context
        self._record = CrawlRecord(context.population, context.ledger, context.forecast)
        context.journaled.snapshots.parts["record"] = self._record
        self._record.texts = PageTexts()
        crawl = self._crawler, context, self._record
        self._controls = (
            CrawlControls(*crawl, *BY_PROGRAM)
            if context.cluster is None
            else WorkerControls(*crawl, context.cluster, *BY_PROGRAM)
        )
        connect = self._crawler.signals.connect
        connect(self._opened, signals.spider_opened)
        connect(self._closed, signals.spider_closed)
        connect(self._stopped, signals.engine_stopped)

    @property
    def sends_pages(self) -> bool:
        """Whether pages are sent."""
        return self._places is not None

    async def send_page(self, item: PageItem) -> None:
        """Send a page once there is a place for it."""
        if self._places is not None and not self._is_over and (self._places <= 0 or self._waiting):
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            await place
        elif self._places is not None:
            self._places -= 1
        fetch = self._context.page_context.fetches.get(item.visit)
        answer = None if fetch is None else fetch.answer
        self._send("page", {**asdict(item), "response": packed_response(answer)})

    def _opened(self) -> None:
        self._pipe = LinePipe(self._received, self._gone, self._messages)
        self._send("began", {"store": str(self._context.state_path or self._context.config.store)})

    def _closed(self, reason: str) -> None:
        self._reason = self._context.stop_reason(reason)

    async def _stopped(self) -> None:
        if self._pipe is not None:
            self._send("end", {"reason": self._reason, "status": self._status()})
            await self._pipe.close()

    def _gone(self) -> None:
        """End the crawl: the program that started it is gone."""
        self._release()
        if self._controls.state in ("running", "paused"):
            self._controls.stop()

    def _received(self, message: dict[str, Any]) -> None:
        if "more" in message:
            self._give_places(int(message["more"]))
            return
        number, name = message["ask"], str(message["do"])
        try:
            value = self._answer(name, message)
        except Exception as error:  # an error in an answer must not end the crawl
            if not isinstance(error, EvocrawlError):
                logger.exception("program: cannot answer %s", one_line(name))
            self._send("answer", number, error=described(error))
        else:
            self._send("answer", number, value=value)

    def _answer(self, name: str, message: dict[str, Any]) -> Any:
        match name:
            case "status":
                return self._status()
            case "feedback":
                return self._mark(str(message["url"]), relevant=bool(message["relevant"]))
            case "commit":
                if self._context.cluster is None:
                    self._context.journaled.commit()
                return None
            case "stop":
                self._release()
                if self._controls.state in ("running", "paused"):
                    self._controls.stop()
                return None
            case "pause" | "resume":
                getattr(self._controls, name)()
                return None
            case _:
                raise ControlError(f"a hosted crawl has no command {name!r}")

    def _mark(self, url: str, *, relevant: bool) -> dict[str, Any]:
        result = self._record.results.of_url(url)
        if result is None:
            raise ControlError(f"the crawl has no page {url[:200]!r}")
        return self._controls.mark(result.visit, relevant=relevant)

    def _status(self) -> dict[str, Any]:
        config = self._context.config
        now = views.totals(self._record, config.relevant_at, self._context.budget.limit)
        return {"state": self._controls.state, "reason": self._reason, **now}

    def _give_places(self, count: int) -> None:
        if self._places is None:
            return
        while count and self._waiting:
            count -= 1
            _wake(self._waiting.popleft())
        self._places += count

    def _release(self) -> None:
        """Release all pages that wait, because the crawl ends."""
        self._is_over = True
        while self._waiting:
            _wake(self._waiting.popleft())

    def _send(self, kind: str, value: Any, /, **more: Any) -> None:
        if self._pipe is not None:
            self._pipe.send(message_of(kind, value, **more))


class PageOutlet:
    """Item pipeline: sends each page to the program that started the crawl."""

    def __init__(self, host: CrawlHost) -> None:
        self._host = host

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the host of the crawler."""
        return cls(hosts[crawler])

    async def process_item(self, item: Any) -> Any:
        """Send a page once there is a place for it; return the item."""
        if isinstance(item, PageItem) and self._host.sends_pages:
            await self._host.send_page(item)
        return item


def message_of(kind: str, value: Any, /, **more: Any) -> bytes:
    """Return a message as a line. ASCII: a page may hold lone surrogates, which have no UTF-8."""
    return json.dumps({kind: value, **more}, allow_nan=False).encode("ascii") + b"\n"


def error_message(error: BaseException) -> bytes:
    """Return the message for an error that ends the crawl."""
    return message_of("error", described(error))


def described(error: BaseException) -> dict[str, Any]:
    """Return an error as JSON values; a SettingError with its data."""
    found: dict[str, Any] = {"kind": type(error).__name__, "message": str(error)}
    if isinstance(error, SettingError):
        found |= {"name": error.name, "allowed": error.allowed, "hint": error.hint}
        found["value"] = error.value if isinstance(error.value, str) else repr(error.value)
    return found


def packed_response(answer: RawResponse | None) -> dict[str, Any] | None:
    """Return a response as JSON values; None for no response and for more than 16 MiB."""
    if answer is None or len(answer.body) > _LONGEST_BODY:
        return None
    body = base64.b64encode(answer.body).decode("ascii")
    return {"status_line": answer.status_line, "headers": answer.headers, "body": body}


def _wake(place: asyncio.Future[None]) -> None:
    if not place.done():
        place.set_result(None)
