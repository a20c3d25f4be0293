"""Prints the results of crawls: the best pages, and the numbers in columns."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo.survey import is_about
from evocrawl.core.config.config import Config
from evocrawl.monitor.scores import scored, threshold

_TITLE_WIDTH = 48
_URL_WIDTH = 300


@dataclass(frozen=True, slots=True)
class Best:
    """A page in the table."""

    relevance: float
    title: str
    url: str
    agent: str


@dataclass(frozen=True, slots=True)
class Result:
    """A finished crawl: its `name`, best pages and numbers.

    `on_topic` counts the pages that are relevant by the term rule of `demo.survey`; it is valid for
    the default topic only. Missing stats are None.
    """

    name: str
    best: tuple[Best, ...]
    pages: int
    mean_relevance: float
    on_topic: int
    stats: dict[str, Any]


def load(name: str, pages: Path, stats: Path, best: int = 20) -> Result:
    """Read the files of a crawl; missing files and a last line cut short are ignored.

    >>> load("none", Path("/no/such"), Path("/no/such")).pages
    0
    """
    top: list[Best] = []
    count, total, on_topic = 0, 0.0, 0
    for item in _items(pages):
        relevance = float(item.get("relevance") or 0.0)
        count += 1
        total += relevance
        on_topic += is_about(str(item.get("text") or ""))
        names = (str(item.get(key) if item.get(key) is not None else "") for key in _NAMES)
        top = sorted([*top, Best(relevance, *names)], key=lambda page: -page.relevance)[:best]
    return Result(name, tuple(top), count, total / max(1, count), on_topic, _stats(stats))


_NAMES = ("title", "url", "agent")


def best_table(result: Result) -> str:
    """Return a line for each of the best pages: score, agent, title, URL."""
    relevant_at = Config.read({}).relevant_at
    score = f"score ({threshold(relevant_at)})"
    lines = [f"{score:<26}  {'agent':>6}  {pad('title', _TITLE_WIDTH)}  url"]
    for page in result.best:
        agent, title = clean(page.agent, 6), pad(clean(page.title, _TITLE_WIDTH), _TITLE_WIDTH)
        score = f"{scored(page.relevance, relevant_at):<26}"
        lines.append(f"{score}  {agent:>6}  {title}  {clean(page.url, _URL_WIDTH)}")
    return "\n".join(lines)


def numbers_table(results: Sequence[Result], *, topical: bool) -> str:
    """Return a column of numbers for each crawl; `topical` adds the row of the default topic."""
    rows = [row for row in _ROWS if topical or row[0] != _ON_TOPIC]
    lines = [f"{'':28}" + "".join(f"{result.name:>16}" for result in results)]
    lines += [
        f"{label:28}" + "".join(f"{_show(value(result)):>16}" for result in results)
        for label, value in rows
    ]
    return "\n".join(lines)


def clean(text: str, width: int) -> str:
    """Return `text` on one line of at most `width` columns, safe for a terminal.

    Control, format (also bidirectional), surrogate, private and unassigned characters become
    ``�``; spaces and line ends of any kind become one space.

    >>> clean("a\\x1b[2J\\n b", 20)
    'a�[2J b'
    """
    flat = " ".join(text[: 4 * width].split())
    safe = "".join("�" if unicodedata.category(char)[0] == "C" else char for char in flat)
    if columns(safe) <= width:
        return safe
    while columns(safe) > width - 1:
        safe = safe[:-1]
    return safe + "…"


def columns(text: str) -> int:
    """Return the number of terminal columns of `text`: wide characters 2, combining ones 0."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def pad(text: str, width: int) -> str:
    """Return `text` filled with spaces to `width` columns."""
    return text + " " * (width - columns(text))


def _items(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                item = json.loads(line)
            except ValueError:  # the last line of a crawl that was killed
                continue
            if isinstance(item, dict):
                yield item


def _stats(path: Path) -> dict[str, Any]:
    try:
        stats = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stats if isinstance(stats, dict) else {}


def _stat(key: str) -> Callable[[Result], Any]:
    return lambda result: result.stats.get(key)


def _pages_per_s(result: Result) -> float | None:
    seconds = result.stats.get("elapsed_time_seconds")
    return result.pages / seconds if seconds else None


def _show(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else clean(str(value), 15)


_ON_TOPIC = "pages on topic (term rule)"
_ROWS: tuple[tuple[str, Callable[[Result], Any]], ...] = (
    ("requests", _stat("evocrawl/requests")),
    ("pages", lambda result: result.pages),
    ("relevant pages", _stat("evocrawl/relevant_pages")),
    ("harvest rate", _stat("evocrawl/harvest_rate")),
    ("mean relevance", lambda result: result.mean_relevance),
    (_ON_TOPIC, lambda result: result.on_topic),
    ("final population", _stat("evocrawl/population/final")),
    ("seconds", _stat("elapsed_time_seconds")),
    ("pages per second", _pages_per_s),
    ("stopped by", _stat("evocrawl/stop_reason")),
)
