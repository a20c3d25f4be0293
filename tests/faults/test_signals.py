"""A crawl that gets SIGINT, SIGHUP and SIGKILL in turn loses nothing."""

from __future__ import annotations

from pathlib import Path
from signal import SIGHUP, SIGINT, SIGKILL, SIGTERM, Signals

import pytest
from livecrawl import QUERY, page
from running import start
from statefiles import HOST, asked, recorded, tree

from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response, not_found

PAGES = 200
IN_FLIGHT = 8
LENGTH = 40


@pytest.mark.takes_s(25)
@pytest.mark.parametrize(
    ("blows", "bad"),
    [
        pytest.param([(SIGINT,), (SIGKILL,)], 1, id="C2 B056 stopped, gone on, killed, gone on"),
        pytest.param([(SIGTERM, SIGTERM), (SIGHUP,)], 2, id="C8 twice at once, and hung up"),
    ],
)
def test_signals_in_turn(tmp_path: Path, blows: list[tuple[Signals, ...]], bad: int) -> None:
    """Every page is recorded once; SIGKILL repeats the requests that were under way."""
    arguments = {
        "query": QUERY,
        "seeds": f"http://{HOST}/0",
        "max_requests": 0,
        "store": tmp_path / "state.sqlite",
    }
    settings = {"CONCURRENT_REQUESTS": IN_FLIGHT}
    with LoopbackProxy({HOST: tree(PAGES)}) as proxy:
        for signals in blows:
            running = start(proxy, tmp_path / "run", arguments=arguments, settings=settings)
            running.hit(50, *signals).end()
        last = start(proxy, tmp_path / "run", arguments=arguments, settings=settings).end()
    assert (last.code, last.stat("stop_reason")) == (0, "exhausted")
    assert last.stat("store/runs") == len(blows) + 1
    pages = recorded(tmp_path / "state.sqlite")
    assert pages.keys() == {str(number) for number in range(PAGES)}
    assert pages.total() == PAGES
    assert asked(proxy.log).total() - PAGES <= bad * IN_FLIGHT


def chain(request: Request) -> Response:
    """Page n has one link, to page n + 1, and a different text."""
    number = request.path[1:]
    if not number.isdecimal():
        return not_found(request)
    onward = [f"/{int(number) + 1} coral"] if int(number) + 1 < LENGTH else []
    return page(*onward, text=f"{QUERY} {' '.join(f'{number}th{n}' for n in range(30))}")


def test_a_chain_of_a_project_spider_is_continued(tmp_path: Path) -> None:
    """B057: from its last page, with the arguments of the callback; it is killed twice."""
    settings = {
        "ADDONS": {"evocrawl.Addon": 300},
        "EVOCRAWL_QUERY": QUERY,
        "EVOCRAWL_MAX_REQUESTS": 0,
        "JOBDIR": tmp_path / "job",
    }
    spider = ("runspider", "chainspider.py")
    with LoopbackProxy({"chain.test": chain}) as proxy:
        for _ in range(2):
            running = start(proxy, tmp_path / "run", command=spider, settings=settings)
            running.hit(12, SIGKILL).end()
        last = start(proxy, tmp_path / "run", command=spider, settings=settings).end()
    assert (last.code, last.stat("pages")) == (0, LENGTH)
    assert asked(proxy.log).keys() == {str(number) for number in range(LENGTH)}
    assert asked(proxy.log).total() <= LENGTH + 2
    ends = [each for each in last.pages if each["url"].endswith(f"/{LENGTH - 1}")]
    assert ends == [
        {"url": f"http://chain.test/{LENGTH - 1}", "from": f"http://chain.test/{LENGTH - 2}"}
    ]
