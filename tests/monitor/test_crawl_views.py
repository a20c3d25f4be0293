"""The views: a line, a table, the report at the end. Hostile text cannot control the terminal."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from evocrawl.core.budget import Budget
from evocrawl.core.ledger import Ledger
from evocrawl.core.model import Cost, Dead, Dropped, Lead, Refused, Visit
from evocrawl.core.urls.identity import fingerprint
from evocrawl.monitor.final import Ending, final_report
from evocrawl.monitor.plain import plain_line
from evocrawl.monitor.seeds import SeedWatch, Trouble
from evocrawl.monitor.snapshot import Snapshot, Wait
from evocrawl.monitor.summary import CrawlSummary, SeenPage
from evocrawl.monitor.terminal import drawn
from evocrawl.monitor.words import duration
from evocrawl.monitor.writer import PatientWriter

HOSTILE = "[red]\x1b[2J\x07\nERROR: \u202egnp\r[/]"


def summary(*, pages: int = 40, relevant: int = 10, spent: int = 100) -> CrawlSummary:
    found = CrawlSummary(Ledger(relevant_at=0.12), Budget(500))
    found.budget.spent = spent
    found.ledger.pages, found.ledger.relevant_pages = pages, relevant
    found.ledger.births = 30
    found.failures = Counter({"404": 3, HOSTILE: 1})
    seen = SeenPage(0.87, -1, f"http://a.test/{HOSTILE}", HOSTILE, HOSTILE, 12)
    found.latest.append(seen)
    found._best = [seen]
    found._host(f"a.test{HOSTILE}").relevant = 10
    return found


def snapshot(**changed: object) -> Snapshot:
    values = {"seconds": 50.0, "since_s": 10.0, "new_pages": 20, "new_requests": 25,
              "lower": 16, "upper": 60}  # fmt: skip
    return Snapshot(summary(), **{**values, **changed})  # type: ignore[arg-type]


def test_a_line_shows_the_progress_of_the_crawl() -> None:
    """Budget and time left, recent and total harvest, agents with bounds, speed, failures."""
    line = plain_line(snapshot())
    for part in ("100 of 500 requests", "about 3 min 20 s left", "10 of 40 pages relevant",
                 "10% in all", "agents 30 (LB 16, UB 60)", "2.0 pages/s", "404 3"):  # fmt: skip
        assert part in line
    assert line.isprintable()


def test_the_line_of_a_waiting_crawl_gives_the_reason() -> None:
    """The host, the time and the reason."""
    waits = [
        Wait("en.wikipedia.org", 40.2, "its robots.txt"),
        Wait("b.test", None, "asked 9 s ago"),
    ]
    line = plain_line(snapshot(new_pages=0, new_requests=0, waits=waits))
    assert line == "waiting for en.wikipedia.org, 40 s (its robots.txt); b.test (asked 9 s ago)"
    line = plain_line(snapshot(new_pages=0, new_requests=0, under_way=3))
    assert line == "waiting for 3 requests under way"


def test_the_line_shows_that_the_crawl_stops() -> None:
    """It also says that a second Ctrl-C stops the crawl at once."""
    closing = snapshot(is_closing=True, under_way=4)
    assert plain_line(closing) == "stopping: waiting for 4 requests under way"
    assert "Ctrl-C again stops at once" in shown(closing)


def test_a_crawl_whose_pages_are_of_an_earlier_one_shows_no_share_above_all() -> None:
    """Pages that have not changed since need no request."""
    (line,) = (
        each
        for each in final_report(summary(relevant=19, spent=6), Ending("exhausted", 3.0))
        if each.startswith("  requests")
    )
    assert line == "  requests  6 of 500 in 3 s"
    usual = final_report(summary(relevant=6, spent=10), Ending("exhausted", 3.0))
    assert "  requests  10 of 500 in 3 s, 60% of them brought a relevant page" in usual


def shown(now: Snapshot, width: int = 200) -> str:
    out = StringIO()
    Console(file=out, width=width, force_terminal=True, color_system=None).print(drawn(now))
    return out.getvalue()


def test_the_table_shows_the_crawl_and_text_without_markup() -> None:
    """Markup of rich, escape sequences and line ends of web text have no effect."""
    text = shown(snapshot())
    assert "harvest 10% of the last 100 requests, 10% of all" in text
    assert "10 of 40 pages (relevant from 0.12)" in text
    assert "0.87 relevant  [red]\\x1b[2J\\x07\\nERROR: \\u202egnp" in text
    for line in text.splitlines():
        assert (
            line.replace("\x1b[1m", "").replace("\x1b[0m", "").replace("\x1b[2m", "").isprintable()
        )


@pytest.mark.parametrize("width", [20, 80, 300])
def test_the_table_fits_the_terminal(width: int) -> None:
    """A line that is too long would break the drawing. The names of the rows stay whole."""
    lines = shown(snapshot(), width).splitlines()
    assert {"requests", "relevant", "failures"} <= {
        name
        for line in lines
        for name in line.replace("\x1b[1m", "").replace("\x1b[0m", "").split()
    }
    for line in lines:
        plain = line.replace("\x1b[1m", "").replace("\x1b[0m", "").replace("\x1b[2m", "")
        assert len(plain) <= width


def test_the_report_at_the_end_is_some_15_lines() -> None:
    """Stop reason, pages with the threshold, best pages, hosts, and the next commands."""
    command = ("scrapy", "crawl", "evospider", "-a", "query=coral reef", "-O", "pages.jsonl")
    lines = final_report(summary(), Ending("budget", 62.0, "coral reef", "coral.sqlite", command))
    text = "\n".join(lines)
    assert len(lines) <= 17
    assert lines[0] == "The crawl has ended: its budget of requests is used up."
    for part in ("10 relevant (relevant from 0.12)", "0.87 relevant  ", "agent 12",
                 "evocrawl export coral.sqlite --out pages.jsonl", "evocrawl report coral.sqlite",
                 "scrapy crawl evospider -a 'query=coral reef' -o pages.jsonl"):  # fmt: skip
        assert part in text
    assert all(line.isprintable() for line in lines)


def test_the_report_of_a_crawl_in_memory_says_that_it_cannot_be_continued() -> None:
    """It names the option for the next crawl; a password of a store is not shown."""
    assert "-a store=FILE" in final_report(summary(), Ending("shutdown", 3.0))[-1]
    secret = Ending(
        "shutdown", 3.0, "q", "redis://:secret@host/0", ("scrapy", "redis://:secret@host/0")
    )
    assert "secret" not in "\n".join(final_report(summary(), secret))
    command = ("scrapy", "crawl", "x", "-a", "dashboard_token=secret-of-the-dashboard")
    for words in (command, ("scrapy", "-s", "EVOCRAWL_DASHBOARD_TOKEN=secret-of-the-dashboard")):
        report = "\n".join(final_report(summary(), Ending("shutdown", 3.0, "q", "s", words)))
        assert "secret" not in report
        assert "token" not in report.lower()  # pasted, the command makes a token


@given(st.floats(0, 1e7))
def test_durations_have_two_units_at_most(seconds: float) -> None:
    """The last one is never 60 or more."""
    numbers = [int(each) for each in duration(seconds).split()[::2]]
    assert 1 <= len(numbers) <= 2
    assert numbers[0] >= 0
    assert all(each < 60 for each in numbers[1:])


def test_a_reader_that_does_not_read_does_not_stop_the_crawl() -> None:
    """If the pipe is full, lines are dropped, and the crawl ends."""
    reading, writing = os.pipe()
    fill(writing)
    stream = os.fdopen(writing, "w")
    writer = PatientWriter(stream)
    for number in range(1000):
        writer.write(f"line {number}")
    writer.close("the end")
    os.close(reading)  # the thread's write fails, and it ends
    writer._thread.join(60)
    assert not writer._thread.is_alive()
    stream.close()


def fill(pipe: int) -> None:
    os.set_blocking(pipe, False)
    with suppress(BlockingIOError):
        while True:
            os.write(pipe, b"x" * 65536)
    os.set_blocking(pipe, True)


def test_each_seed_has_its_cause() -> None:
    """Until a visit has ended the cause is the latest one; a second try replaces it."""
    urls = [f"http://{name}.test/" for name in ("dns", "gone", "barred", "guard", "later", "up")]
    watch = SeedWatch(
        lambda url: Trouble(f"waits for {url}", 7.4),
        lambda _: "robots.txt forbids it",
        lambda _: "x",
    )
    for url in urls:
        watch.add(url)
    outcomes = (Dead("CannotResolveHostError", Cost()), Dead("status 404", Cost()),
                Refused(Cost()), Dead("address", Cost()), Dropped("to be tried again"))  # fmt: skip
    for url, outcome in zip(urls, outcomes, strict=False):
        lead = Lead(url, fingerprint(url), "h", b"", 0, 0.0)
        watch.note_outcome(Visit(1, 1, lead, 0.0), outcome)
    found = {url: str(trouble) for url, trouble in watch.troubles()}
    assert found == {
        urls[0]: "its host name is not known (DNS); it is not tried again",
        urls[1]: "its server answers with status 404; it is not tried again",
        urls[2]: "robots.txt forbids it; it is not tried again",
        urls[
            3
        ]: "the address guard refuses its address (allow_networks=127.0.0.1 allows one); it is not "
        "tried again",
        urls[4]: f"waits for {urls[4]}; it is tried again in 7 s",
        urls[5]: f"waits for {urls[5]}; it is tried again in 7 s",
    }
