"""What is known of a fetched page beside what the population sees of it."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.model import AgentId, Lead


@dataclass(frozen=True, slots=True)
class Answer:
    """The HTTP answer, for archives: header lines and body as they were on the wire."""

    status_line: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True, slots=True)
class Particulars:
    """Who fetched the page by which link, and how.

    `status` is the HTTP status, `fetched_at`, `published_at` and `changed_at` are ISO 8601 in UTC
    ("" where unknown), `parent` is the address of the page on which the link was found ("" for a
    seed), `duplicate_of` that of the page that says the same ("" for none), `truncated` names the
    caps that cut it short.
    """

    agent: AgentId
    lead: Lead
    status: int = 200
    fetched_at: str = ""
    parent: str = ""
    answer: Answer | None = None
    duplicate_of: str = ""
    truncated: tuple[str, ...] = ()
    published_at: str = ""
    changed_at: str = ""
