"""Topics of the documentation web, defined by words, as labels for simulations.

A page belongs to a topic if it contains the terms of the topic at least four times, and often
enough among its words. The rules use whole terms of the field and no relevance model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MENTIONS = 4
_FEWEST_WORDS = 40


@dataclass(frozen=True, slots=True)
class Topic:
    """Query of a user and terms of the pages; `per_word` is the least share of the terms."""

    split: str
    name: str
    query: str
    terms: str
    per_word: float = 0.012


TOPICS = (
    Topic(
        "dev", "transaction", "database transaction isolation commit rollback",
        r"\btransactions?\b|\brollback\b|\bcommit\b",
    ),
    Topic(
        "dev", "auth", "user authentication password login",
        r"\bauthenticat\w+|\bpasswords?\b|\blogins?\b",
    ),
    Topic(
        "dev", "async", "asyncio coroutine event loop",
        r"\basync\w*|\bcoroutines?\b|\bawait\b|event loop",
    ),
    Topic(
        "dev", "threads", "thread mutex lock synchronization",
        r"\bthreads?\b|\bmutex\w*|\block(?:s|ed|ing)?\b", 0.02,
    ),
    Topic(
        "dev", "index", "database index btree query performance",
        r"\bindex(?:es)?\b|\bb-?tree\b", 0.025,
    ),
    Topic("dev", "iterators", "iterator range sequence algorithm", r"\biterators?\b", 0.03),
    Topic(
        "dev", "memory", "memory allocation smart pointers",
        r"\ballocat\w+|\bdealloc\w+|\bunique_ptr|\bshared_ptr", 0.02,
    ),
    Topic(
        "check", "unicode", "Unicode character encoding",
        r"\bunicode\b|\butf-?(?:8|16|32)\b|\bencodings?\b|\bcollations?\b", 0.01,
    ),
    Topic(
        "check", "email", "send email message SMTP", r"\be-?mails?\b|\bsmtp\b|\bmime\b",
    ),
    Topic(
        "check", "time", "time zone date timestamp duration",
        r"\btime ?zones?|\btimestamps?\b|\bdatetimes?\b|\bchrono\b|\bdurations?\b", 0.015,
    ),
    Topic(
        "check", "replication", "replication standby server failover",
        r"\breplica\w+|\bstandby\b",
    ),
    Topic(
        "check", "tasks", "task queue worker broker", r"\btasks?\b|\bworkers?\b|\bbrokers?\b", 0.03,
    ),
    Topic(
        "check", "math", "mathematical functions floating point",
        r"\bfloat(?:ing)?\b|\bcos\b|\bsqrt\b|\blogarithm\b|\bexponent\w*", 0.025,
    ),
    Topic(
        "check", "exceptions", "exception error handling",
        r"\bexceptions?\b|\bthrows?\b|\braised?\b", 0.03,
    ),
)  # fmt: skip

_RULES = [(each, re.compile(each.terms, re.IGNORECASE)) for each in TOPICS]


def topics_of(title: str, text: str) -> Iterator[str]:
    """Yield the names of the topics of a page."""
    words = f"{title} {text}"
    count = max(len(words.split()), _FEWEST_WORDS)
    for topic, terms in _RULES:
        mentions = sum(1 for _ in terms.finditer(words))
        if mentions >= _MENTIONS and mentions >= topic.per_word * count:
            yield topic.name


def table() -> str:
    """Return the topics as `evocrawl sim --topics` reads them."""
    lines = [("split", "topic", "query"), *((t.split, t.name, t.query) for t in TOPICS)]
    return "".join("\t".join(line) + "\n" for line in lines)
