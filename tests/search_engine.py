"""Replaces the network layer of ddgs: its engines build requests and read answers as usual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import primp


@dataclass
class Reply:
    """The response of primp to a request."""

    status_code: int
    text: str
    content: bytes = b""


class SearchEngine:
    """Answers each request with `reply`, or raises it; `asked` are the requests."""

    reply: ClassVar[Reply | Exception] = Reply(200, "")
    asked: ClassVar[list[tuple[str, str, dict[str, Any]]]] = []

    def __init__(self, **_: Any) -> None:
        self.cookies: dict[str, dict[str, str]] = {}

    def headers_update(self, headers: Any) -> None:
        """Take further headers."""

    def set_cookies(self, url: str, cookies: dict[str, str]) -> None:
        self.cookies[url] = cookies

    def request(self, method: str, url: str, **more: Any) -> Reply:
        self.asked.append((method, url, more))
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


def mojeek(*results: tuple[str, str]) -> Reply:
    """Return a page of results (URL, title) as the engine "mojeek" writes it."""
    rows = "".join(
        f'<li><h2><a href="{url}">{title}</a></h2><p class="s">text</p></li>'
        for url, title in results
    )
    return Reply(200, f'<html><body><ul class="results-standard">{rows}</ul></body></html>')


class InCrawl:
    """Extension: puts the substitute in place, with results on found.test."""

    @classmethod
    def from_crawler(cls, _: Any) -> InCrawl:
        SearchEngine.reply = mojeek(
            ("http://found.test/2", "coral bleaching 2"), ("http://127.0.0.1:1/", "coral bleaching")
        )
        primp.Client = SearchEngine  # type: ignore[misc, assignment]
        return cls()
