"""The store of a crawl: another crawl's is refused, and a failed write is reported."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from livecrawl import HERE, QUERY, Crawl, page, site
from statefiles import HOST, asked, recorded, tree

from evocrawl.simulation.server.proxy import Request, Response, Site, redirect

ARGUMENTS = {"query": QUERY, "seeds": f"http://{HOST}/0", "max_requests": 0}


def test_a_state_that_does_not_fit_is_refused(serve, crawl: Crawl, tmp_path: Path) -> None:
    """R6, C7: one of another query, or of a version with other choices: exit code 2, no request."""
    proxy = serve({HOST: tree(30)})
    arguments = {**ARGUMENTS, "store": tmp_path / "s", "max_requests": 10}
    assert crawl(proxy, arguments=arguments).code == 0
    requests = len(proxy.log)
    other = crawl(proxy, arguments={**arguments, "query": "sea urchins"})
    assert other.code == 2
    assert f'the state of another crawl: query was "{QUERY}", is "sea urchins"' in other.log
    database = sqlite3.connect(tmp_path / "s")
    with database:
        database.execute("UPDATE ops SET key = x'00' WHERE kind = 'choose' AND visit = 3")
    database.close()
    changed = crawl(proxy, arguments=arguments)
    assert changed.code == 2
    assert "cannot be replayed" in changed.log
    assert "another version of evocrawl" in changed.log
    assert len(proxy.log) == requests


@pytest.mark.parametrize("budget", [3, 5])
def test_a_budget_that_ends_at_a_redirect_loses_no_page(
    serve, crawl: Crawl, tmp_path: Path, budget: int
) -> None:
    """With more budget the redirect is continued, at any of its requests."""
    moved = {f"/{n}": redirect(f"/p{n}") for n in range(1, 5)}
    there = {f"/p{n}": page(text=f"{QUERY} {n}") for n in range(1, 5)}
    start = page(*(f"/{n} {QUERY}" for n in range(1, 5)))
    proxy = serve({HOST: site({"/0": start, **moved, **there})})
    arguments = {**ARGUMENTS, "store": tmp_path / "s"}
    for max_requests in (budget, budget + 1, 0):
        assert crawl(proxy, arguments={**arguments, "max_requests": max_requests}).code == 0
    assert recorded(tmp_path / "s").keys() == {"0", *(each[1:] for each in there)}


def test_a_full_disk_ends_the_crawl(serve, crawl: Crawl, tmp_path: Path) -> None:
    """R7, C5, B062, R8: with exit code 1; with room again the crawl continues without a loss."""
    proxy = serve({HOST: tree(60)})
    arguments = {**ARGUMENTS, "store": tmp_path / "s"}
    full = crawl(proxy, arguments=arguments, settings={"EXTENSIONS": {"fulldisk.FullDisk": 1}})
    assert full.code == 1
    assert full.stat("stop_reason") == "state_failed"
    assert "database or disk is full" in full.log
    assert len(recorded(tmp_path / "s")) < 60
    assert crawl(proxy, arguments=arguments).code == 0
    assert recorded(tmp_path / "s").keys() == {str(number) for number in range(60)}


def test_requests_of_a_users_spider_are_restored(serve, crawl: Crawl, tmp_path: Path) -> None:
    """B051: with their callbacks, arguments and headers; a part that cannot be stored is named."""
    proxy = serve({HOST: tree(120)})
    command = ("runspider", str(HERE / "leafspider.py"))
    settings: dict[str, Any] = {
        "ADDONS": {"evocrawl.Addon": 300},
        "EVOCRAWL_QUERY": QUERY,
        "EVOCRAWL_MAX_REQUESTS": 0,
        "JOBDIR": tmp_path / "job",
    }
    killed = crawl(
        proxy, command=command, settings=settings, interrupt_at=40, by=signal.SIGKILL, cwd=HERE
    )
    last = crawl(proxy, command=command, settings=settings, cwd=HERE)
    last.check_settled()
    assert any("leaf" in each for each in last.pages)
    assert set(asked(proxy.log)) == {str(number) for number in range(120)}
    assert all(
        request.headers.get("x-own") == request.path
        for request in proxy.log
        if request.path not in ("/0", "/robots.txt", "/lost")
    )
    said = killed.log + last.log
    assert "<GET http://tree.test/lost> cannot be stored" in said
    state = tmp_path / "job" / "evocrawl.sqlite"
    assert recorded(state).keys() == {str(number) for number in range(120)}


def waking(pages: int) -> Site:
    """Return a tree whose robots.txt takes long the first time."""
    answer, robots = tree(pages), iter([10.0])

    async def site(request: Request) -> Response:
        if request.path == "/robots.txt":
            await asyncio.sleep(next(robots, 0.0))
            return Response(404)
        found = answer(request)
        assert isinstance(found, Response)
        return found

    return site


def test_links_that_waited_for_robots_txt_ask_again_after_a_resume(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """The crawl is killed while only robots.txt is under way."""
    proxy = serve({HOST: waking(15)})
    arguments = {**ARGUMENTS, "store": tmp_path / "s"}
    crawl(proxy, arguments=arguments, interrupt_at=1, by=signal.SIGKILL)
    assert crawl(proxy, arguments=arguments).stat("pages") == 15


@pytest.mark.parametrize("kind", ["folder", "text"])
def test_a_path_that_cannot_be_a_state_is_refused(
    serve, crawl: Crawl, tmp_path: Path, kind: str
) -> None:
    """At once, by name."""
    state = tmp_path / "s"
    if kind == "folder":
        state.mkdir()
    else:
        state.write_text("a letter to my aunt\n" * 50)
    crawled = crawl(serve({HOST: tree(3)}), arguments={**ARGUMENTS, "store": state})
    assert crawled.code == 2
    messages = {
        "folder": f"ERROR: store is '{state}'; allowed: a file",
        "text": f"ERROR: {state}: ",
    }
    assert messages[kind] in crawled.log
