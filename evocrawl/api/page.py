"""A page of a crawl and a line of its results, for programs."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from evocrawl.core.fetch import RawResponse
from evocrawl.extraction.markdown import markdown_of
from evocrawl.store.stored_page import StoredPage


@dataclass(frozen=True, slots=True)
class Page:
    """A page: the fields of a `PageItem`, see there.

    `response` is its HTTP response as received; for a page that was opened in a browser, with the
    page as the browser shows it. None if the crawl does not keep responses. All text comes from the
    web: do not trust it.
    """

    url: str
    title: str
    relevance: float
    text: str = field(repr=False)
    language: str = ""
    status: int = 200
    fetched_at: str = ""
    published_at: str = ""
    changed_at: str = ""
    depth: int = 0
    parent: str = ""
    anchor: str = ""
    visit: int = 0
    agent: int = 0
    energy: float = 0.0
    content_fingerprint: str = ""
    duplicate_of: str = ""
    formats: tuple[str, ...] = ()
    truncated: tuple[str, ...] = ()
    response: RawResponse | None = field(default=None, repr=False)

    @property
    def markdown(self) -> str:
        """The main text as Markdown, with headings, lists, tables, code and links.

        It is computed at each call. Without a response it is the plain text, escaped. Raises
        MarkdownError if the extra "markdown" is not installed.
        """
        return markdown_of(self.url, self.title, self.text, self.response)

    @classmethod
    def of_message(cls, sent: Mapping[str, Any]) -> Self:
        """Return the page of a message."""
        names = {each.name for each in fields(cls)} - {"response"}
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in sent.items()
            if name in names and value is not None
        }
        return cls(**values, response=_response(sent.get("response")))

    @classmethod
    def of_stored(cls, stored: StoredPage, response: RawResponse | None) -> Self:
        """Return the page of a stored record."""
        names = [each.name for each in fields(cls) if each.name != "response"]
        return cls(**{name: getattr(stored, name) for name in names}, response=response)


@dataclass(frozen=True, slots=True)
class Result:
    """A page in a list of results, the most relevant first."""

    url: str
    title: str
    relevance: float
    is_relevant: bool
    depth: int
    agent: int
    visit: int


def _response(sent: Mapping[str, Any] | None) -> RawResponse | None:
    if sent is None:
        return None
    headers = tuple((str(name), str(value)) for name, value in sent["headers"])
    return RawResponse(str(sent["status_line"]), headers, base64.b64decode(sent["body"]))
