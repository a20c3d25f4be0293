"""Shows a crawl on a terminal: a table that is drawn again and again below the log.

A thread draws it, so a terminal that takes no text (Ctrl-S, a dead connection) blocks only the
thread and not the crawl. The crawl only replaces the snapshot that is drawn next.
"""

from __future__ import annotations

import logging
import sys
from threading import Thread
from typing import TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from evocrawl.core.sanitize import one_line
from evocrawl.monitor.scores import scored, threshold
from evocrawl.monitor.snapshot import Snapshot
from evocrawl.monitor.words import (
    budget,
    duration,
    failures,
    gain,
    hosts,
    recall,
    shown_url,
    under_way,
)
from evocrawl.monitor.writer import without_lock

_STOP_S = 2.0
"""Seconds that the terminal has to take the last text."""


class TerminalView:
    """Shows the last snapshot; the log appears above it."""

    def __init__(self, stream: TextIO, refresh_per_s: float = 1.0) -> None:
        self._snapshot: Snapshot | None = None
        self._live = Live(
            console=Console(file=without_lock(stream)),
            get_renderable=self._drawn,
            refresh_per_second=refresh_per_s,
            transient=True,
            redirect_stdout=False,
        )
        self._log = _LogAbove(stream)

    def start(self) -> None:
        """Begin to draw."""
        self._live.start()
        self._log.begin()

    def show(self, snapshot: Snapshot) -> None:
        """Draw this snapshot next; returns at once."""
        self._snapshot = snapshot

    def stop(self) -> None:
        """Remove the table; give up after two seconds if the terminal takes no text."""
        self._log.end()
        thread = Thread(target=self._live.stop, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the process ends, and no thread may be started any more
            self._live.stop()
            return
        thread.join(_STOP_S)

    def _drawn(self) -> Group | Text:
        return Text("") if self._snapshot is None else drawn(self._snapshot)


def drawn(now: Snapshot) -> Group:
    """Return the table of a snapshot. Text from the web is never read as markup."""
    summary, ledger = now.summary, now.summary.ledger
    left = "" if now.left_s is None else f", about {duration(now.left_s)} left"
    rows = [
        ("requests", f"{budget(summary)} in {duration(now.seconds)}{left}"),
        (
            "relevant",
            f"{ledger.relevant_pages} of {ledger.pages} pages ({threshold(ledger.relevant_at)}); "
            f"harvest {summary.recent_harvest:.0%} of the last 100 requests, "
            f"{summary.harvest:.0%} of all",
        ),
        ("agents", now.population),
        ("speed", f"{now.pages_per_s:.1f} pages/s from {hosts(summary.hosts_seen)}"),
        ("failures", failures(summary.failures)),
    ]
    outlook = summary.outlook
    if outlook is not None:
        rows.insert(2, ("left", f"{gain(outlook)} in the next 1 000 requests; "
                        f"recall {recall(outlook)}"))  # fmt: skip
    if now.is_closing:
        rows.append(("stopping", f"{under_way(now.under_way)}; Ctrl-C again stops at once"))
    elif now.waits:
        rows.append(("waiting for", now.waiting))
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="ellipsis", no_wrap=True, ratio=1)  # makes room for the whole names
    for name, text in rows:
        table.add_row(name, Text(text))
    for index, page in enumerate(reversed(summary.latest)):
        name = one_line(page.title.strip(), 80) or shown_url(page.url)
        line = f"{scored(page.relevance, ledger.relevant_at)}  {name}  {shown_url(page.url)}"
        table.add_row("" if index else "latest", Text(line))
    return Group(Text("─" * 40, style="dim"), table)


class _LogAbove:
    """Sends log records for the terminal through the view, which keeps the table below them."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._moved: list[logging.StreamHandler[TextIO]] = []

    def begin(self) -> None:
        """Move the log's handlers to the `sys.stderr` of the view."""
        for handler in logging.getLogger().handlers:
            if isinstance(handler, logging.StreamHandler) and handler.stream is self._stream:
                handler.setStream(sys.stderr)
                self._moved.append(handler)

    def end(self) -> None:
        """Move them back."""
        for handler in self._moved:
            handler.setStream(self._stream)
        self._moved.clear()
