"""A killed crawl is resumed: no page is lost, none recorded twice, few are requested again."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from livecrawl import QUERY, Crawl
from statefiles import HOST, asked, recorded, tree

from evocrawl.store.archive import Archive

PAGES = 200
IN_FLIGHT = 8
ARGUMENTS = {"query": QUERY, "seeds": f"http://{HOST}/0", "max_requests": 0}
SETTINGS = {"CONCURRENT_REQUESTS": IN_FLIGHT}


@pytest.mark.parametrize(
    ("species", "journal"), [("best_first", "whole"), ("energy+infospiders", "compact")]
)
def test_no_page_is_lost_by_kills(
    serve, crawl: Crawl, tmp_path: Path, species: str, journal: str
) -> None:
    """Each kill costs the requests under way at most; the last run ends the crawl.

    It goes on from snapshots.

    R1, R2, R3, C1, B055.
    """
    proxy = serve({HOST: tree(PAGES)})
    state = tmp_path / "state.sqlite"
    arguments = {**ARGUMENTS, "species": species, "store": state, "snapshot_visits": 15}
    arguments["journal"] = journal
    kills = (3, 40, 60)
    for later in kills:
        killed = crawl(
            proxy,
            arguments=arguments,
            settings=SETTINGS,
            interrupt_at=len(proxy.log) + later,
            by=signal.SIGKILL,
        )
        assert killed.code == -signal.SIGKILL
    last = crawl(proxy, arguments=arguments, settings=SETTINGS)
    assert last.code == 0
    last.check_settled()
    assert "store: read the snapshot after" in last.log
    assert "took a snapshot" in last.log
    assert last.stat("stop_reason") == "exhausted"
    assert last.stat("store/runs") == len(kills) + 1
    everything = {str(number) for number in range(PAGES)}
    assert set(recorded(state)) == everything
    assert last.stat("pages") == PAGES
    requests = asked(proxy.log)
    assert set(requests) == everything
    assert requests.total() - PAGES <= len(kills) * IN_FLIGHT
    with Archive(state) as archive:
        assert archive.is_compact == (journal == "compact")


def test_a_stopped_crawl_repeats_nothing(serve, crawl: Crawl, tmp_path: Path) -> None:
    """C8, R8: Ctrl-C once, in a JOBDIR; requests under way end before the crawl does."""
    proxy = serve({HOST: tree(150)})
    settings = {**SETTINGS, "JOBDIR": tmp_path / "job"}
    stopped = crawl(proxy, arguments=ARGUMENTS, settings=settings, interrupt_at=60)
    assert stopped.code == 0
    stopped.check_settled()
    last = crawl(proxy, arguments=ARGUMENTS, settings=settings)
    assert last.stat("pages") == 150
    assert asked(proxy.log).total() == 150
    assert len(recorded(tmp_path / "job" / "evocrawl.sqlite")) == 150


def test_a_finished_crawl_reports_it_and_fetches_nothing(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """R5, R8: with more budget it continues, and loses no link."""
    proxy = serve({HOST: tree(60)})
    arguments = {**ARGUMENTS, "store": tmp_path / "s", "max_requests": 20}
    first = crawl(proxy, arguments=arguments)
    assert first.stat("stop_reason") == "budget"
    fetched = len(proxy.log)
    again = crawl(proxy, arguments=arguments)
    assert again.code == 0
    assert len(proxy.log) == fetched
    assert again.stat("stop_reason") == "budget"
    assert "has ended (budget); raise max_requests to continue it" in again.log
    more = crawl(proxy, arguments={**arguments, "max_requests": 0})
    assert more.stat("stop_reason") == "exhausted"
    assert set(recorded(tmp_path / "s")) == {str(number) for number in range(60)}
    assert asked(proxy.log).total() == 60
