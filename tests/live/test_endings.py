"""The start and end of a crawl for its user: failing seeds, the table, the report, Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import pty
import select
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from livecrawl import FAST, QUERY, ROOT, Crawl, page, site
from processes import Process, start

from evocrawl.simulation.server.proxy import Request, Response

SEEDS = {"seeds": "http://reef.test/ http://gone.test/", "query": QUERY, "max_requests": 20}


def test_a_crawl_whose_seeds_all_fail_ends_with_an_error(serve, crawl: Crawl) -> None:
    """Exit code 1, its own stop reason, and the cause of each failure."""
    forbidding = Response(200, b"User-agent: *\nDisallow: /", {"Content-Type": "text/plain"})
    proxy = serve({"reef.test": site({}), "gone.test": site({"/robots.txt": forbidding})})
    crawled = crawl(proxy, arguments=SEEDS)
    assert crawled.code == 1
    assert crawled.stat("stop_reason") == "seeds_failed"
    assert crawled.stats["finish_reason"] == "seeds_failed"
    answer = "seed http://reef.test/: no page: its server answers with status 404"
    assert answer in crawled.log
    assert "seed http://gone.test/: no page: robots.txt forbids it" in crawled.log
    assert "The crawl has ended: no page of its seeds could be fetched." in crawled.log
    assert crawled.stat("visits/unsettled") == 0


def test_one_page_is_enough_and_the_report_shows_it(serve, crawl: Crawl, tmp_path: Path) -> None:
    """With progress_s=0 the report is in the log; it names the next commands."""
    proxy = serve({"reef.test": site({"/": page(text=QUERY, title="Reef\x1b[2J")})})
    store = tmp_path / "reef.sqlite"
    crawled = crawl(proxy, arguments={**SEEDS, "store": store})
    assert crawled.code == 0
    assert "The crawl has ended: no link is left to follow." in crawled.log
    assert f"evocrawl export {store} --out pages.jsonl" in crawled.log
    assert " relevant  Reef" in crawled.log
    assert "\x1b" not in crawled.log
    assert "'evocrawl/moves/back'" not in crawled.log


@pytest.mark.takes_s(12)
def test_a_seed_without_a_response_is_named_after_five_seconds(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """A warning names the cause and the next try; the crawl continues."""
    warning = "WARNING: seed http://reef.test/: no page yet: it has not answered yet"
    log = tmp_path / "log"

    async def slow(_: Request) -> Response:
        while warning not in log.read_text():
            await asyncio.sleep(0.1)
        return page(text=QUERY)

    proxy = serve({"reef.test": site({"/": slow})})
    crawled = crawl(proxy, arguments={**SEEDS, "seeds": "http://reef.test/"})
    assert warning in crawled.log
    assert crawled.code == 0
    assert len(crawled.pages) == 1


@pytest.mark.parametrize("moment", ["spider_opened", "engine_started"])
def test_a_stop_before_the_engine_runs_is_a_clean_one(
    serve, crawl: Crawl, tmp_path: Path, moment: str
) -> None:
    """Scrapy alone ignores it and ends with the spider open. A stop before any request is whole."""
    proxy = serve({"reef.test": site({"/": page(text=QUERY)})})
    arguments = {**SEEDS, "store": tmp_path / "reef.sqlite"}
    stopping = {"EXTENSIONS": {"stopper.StopAt": 1}, "STOP_AT": moment}
    stopped = crawl(proxy, arguments=arguments, settings=stopping)
    assert stopped.code == 0
    assert stopped.stats["finish_reason"] == "shutdown"
    assert "The crawl has ended: it was stopped." in stopped.log
    assert "at once" not in stopped.log
    assert "Traceback" not in stopped.log
    assert proxy.log == []
    assert len(crawl(proxy, arguments=arguments).pages) == 1


def crawl_in_a_terminal(
    proxy_url: str, settings: Mapping[str, object], options: Sequence[str]
) -> tuple[Process, int]:
    """Start a crawl that prints to a terminal; return it and the terminal's other end."""
    line = ["crawl", "evospider", "-a", f"query={QUERY}", "-a", "seeds=http://reef.test/"]
    for name, value in settings.items():
        line += ["-s", f"{name}={value}"]
    master, slave = pty.openpty()
    environment = {**os.environ, "http_proxy": proxy_url, "TERM": "xterm", "COLUMNS": "120"}
    terminal = Path(os.ttyname(slave))
    crawl = start("scrapy", [*line, *options], cwd=ROOT, environment=environment, output=terminal)
    # The terminal hangs up when no process has it open: the crawl's comes first.
    while not _has_open(crawl.pid, terminal):
        assert crawl.poll() is None
        time.sleep(0.02)
    os.close(slave)
    return crawl, master


def _has_open(pid: int, file: Path) -> bool:
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # it is closed by now
            if os.readlink(link) == str(file):
                return True
    return False


@pytest.mark.parametrize(
    ("signals", "last"),
    [(1, "The crawl has ended: it was stopped."), (2, "The crawl was stopped at once.")],
)
def test_a_terminal_shows_the_crawl_and_ctrl_c_gives_the_command_to_continue(
    serve, tmp_path: Path, signals: int, last: str
) -> None:
    """The table is drawn and removed, the cursor comes back, the command comes last."""

    shown, sent = b"", 0

    async def slow(request: Request) -> Response:
        await asyncio.sleep(1.0)
        while sent and signals == 2:  # no response ends the crawl before the second signal does
            await asyncio.sleep(0.1)
        return page(f"/{int(request.path[1:]) + 1} next", text=f"{QUERY} {request.path}")

    pages = {f"/{n}": slow for n in range(500)}
    proxy = serve({"reef.test": site({**pages, "/": page("/0 first", text=QUERY)})})
    settings = {**FAST, "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "EVOCRAWL_PROGRESS_S": 0.5}
    options = ["-a", f"store={tmp_path / 'reef.sqlite'}"]
    crawl, master = crawl_in_a_terminal(proxy.url, settings, options)
    while select.select([master], [], [], 240)[0]:
        try:
            shown += os.read(master, 65536)
        except OSError:  # the process has closed its terminal
            break
        is_shown = b"harvest" in shown and b"latest" in shown
        if sent < signals and (b"gracefully" in shown if sent else is_shown):
            crawl.send_signal(signal.SIGINT)
            sent += 1
    os.close(master)
    text = shown.decode()
    assert crawl.wait(60) == 0
    assert " relevant  http://reef.test/" in text
    assert "(LB 16, UB 60)" in text
    assert not [line for line in ("Versions:", "Enabled ", "Overridden") if line in text]
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1
    end = text.rpartition("\x1b[?25h")[2]
    assert last in end
    assert "go on     scrapy crawl evospider" in end
    assert (f"evocrawl report {tmp_path / 'reef.sqlite'}" in end) == (signals == 1)


@pytest.mark.takes_s(15)
def test_a_terminal_that_takes_no_text_does_not_change_the_crawl(serve, tmp_path: Path) -> None:
    """As after Ctrl-S, or with a broken connection: the crawl ends with all its pages."""
    pages = {f"/{n}": page(f"/{n + 1} next", text=f"{QUERY} {n}") for n in range(40)}
    proxy = serve({"reef.test": site({**pages, "/": page("/0 first", text=QUERY)})})
    settings = {**FAST, "DOWNLOAD_DELAY": 0.04, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    settings |= {"EVOCRAWL_PROGRESS_S": 0.02, "LOG_FILE": str(tmp_path / "log")}
    options = ["-O", str(tmp_path / "pages.jsonl")]
    crawl, master = crawl_in_a_terminal(proxy.url, settings, options)
    try:
        assert crawl.wait(240) == 0
    finally:
        crawl.kill()
    waiting = os.read(master, 65536)
    os.close(master)
    assert len((tmp_path / "pages.jsonl").read_text().splitlines()) == 41
    assert len(waiting) > 2000
    assert b"The crawl has ended" not in waiting
