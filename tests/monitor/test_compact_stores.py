"""What reads a store with a compact journal: pages are all there, choices are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from stored_crawls import SEED, StoredCrawl, name

from evocrawl.cli import main
from evocrawl.monitor.dashboard.follower import Follower
from evocrawl.monitor.explain import explain
from evocrawl.monitor.stored_record import stored_record
from evocrawl.store.archive import Archive


@pytest.fixture
def compact(tmp_path: Path) -> Path:
    """Return the store of a crawl with a compact journal and entries after its snapshot."""
    crawl = StoredCrawl(tmp_path / "s")
    crawl.journaled.snapshots.compacts = True
    crawl.run(20)
    crawl.journaled.take_snapshot()
    crawl.run(5)
    crawl.close()
    return crawl.path


def test_a_page_is_explained_by_its_record(compact: Path) -> None:
    """With the way from the seed, and a note; of an address without a page only that is known."""
    with Archive(compact) as archive:
        assert archive.is_compact
        page = [*archive.pages()][-1]
    found = explain(str(compact), page.url)
    assert (found.status, found.path[0].url, found.path[-1].url) == ("fetched", SEED, page.url)
    assert found.reason is None
    assert "journal=compact" in found.notes[0]
    assert explain(str(compact), name(44)).status == "unknown"


def test_a_report_has_the_pages_and_says_what_it_lacks(compact: Path) -> None:
    """Its pages are those of the store."""
    with Archive(compact) as archive:
        urls = [page.url for page in archive.pages()]
    report = stored_record(str(compact))
    assert [each.url for each in report.record.results] == urls
    assert "journal=compact" in report.notes[0]
    assert "max_requests" not in report.command
    assert main(["report", str(compact), "--out", str(compact.parent / "report.html")]) == 0


def test_a_dashboard_shows_the_pages(compact: Path) -> None:
    """It replays nothing."""
    follower = Follower(str(compact))
    assert follower.step() is False
    with Archive(compact) as archive:
        assert len(follower.source.record.results) == len(archive) > 10
    assert "journal=compact" in follower.source.note
    assert follower.source.controls.state == "stopped"
    follower.close()


def test_a_dashboard_says_when_the_crawl_has_removed_what_it_reads(tmp_path: Path) -> None:
    """The numbers stay those of the last entry that was there."""
    crawl = StoredCrawl(tmp_path / "s")
    crawl.journaled.snapshots.compacts = True
    crawl.run(5)
    follower = Follower(str(crawl.path))
    while follower.step():
        pass
    crawl.run(5)
    crawl.journaled.take_snapshot()
    crawl.run(5)
    crawl.close()
    assert follower.step() is False
    assert "journal=compact" in follower.source.note
    assert "replayed up to entry" in follower.source.note
    follower.close()


def test_a_world_file_needs_the_whole_journal(
    compact: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says so; the pages are exported."""
    world = compact.parent / "world.jsonl"
    assert main(["export", str(compact), "--format", "world", "--out", str(world)]) == 2
    assert "journal=compact" in capsys.readouterr().err
    assert not world.exists()
    pages = compact.parent / "pages.jsonl"
    assert main(["export", str(compact), "--out", str(pages)]) == 0
    assert len(pages.read_text().splitlines()) > 10
