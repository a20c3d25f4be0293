"""A crawl with few links in memory."""

from __future__ import annotations

import signal
from pathlib import Path

from livecrawl import QUERY, Crawl
from statefiles import HOST, recorded, tree

ARGUMENTS = {"query": QUERY, "seeds": f"http://{HOST}/0", "max_requests": 0}


def test_a_crawl_is_continued_with_another_amount_of_memory(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """It makes the same choices with two links in memory as with all, also after a kill."""
    proxy = serve({HOST: tree(150)})
    arguments = {**ARGUMENTS, "store": tmp_path / "s", "snapshot_visits": 20}
    crawl(proxy, arguments={**arguments, "memory_links": 2}, interrupt_at=60, by=signal.SIGKILL)
    last = crawl(proxy, arguments={**arguments, "memory_links": 1000})
    last.check_settled()
    assert "store: read the snapshot after" in last.log
    assert last.stat("store/runs") == 2
    assert recorded(tmp_path / "s").keys() == {str(number) for number in range(150)}


def test_a_crawl_ends_if_the_spill_file_has_no_room(serve, crawl: Crawl, tmp_path: Path) -> None:
    """R7: with exit code 1, and no link is lost: with room again the crawl continues."""
    proxy = serve({HOST: tree(60)})
    arguments = {**ARGUMENTS, "store": tmp_path / "s", "memory_links": 1}
    full = crawl(proxy, arguments=arguments, settings={"EXTENSIONS": {"nospill.NoSpill": 1}})
    assert full.code == 1
    assert full.stat("stop_reason") == "state_failed"
    assert "cannot write data that does not fit into memory" in full.log
    assert len(recorded(tmp_path / "s")) < 60
    assert crawl(proxy, arguments=arguments).code == 0
    assert recorded(tmp_path / "s").keys() == {str(number) for number in range(60)}
