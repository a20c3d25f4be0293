"""`evocrawl report`: one file that shows a crawl, or two side by side, and that is harmless."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from stored_crawls import EVIL, QUERY, SEED, StoredCrawl, stored

from evocrawl.cli import main
from evocrawl.estimation.forecast import recall
from evocrawl.monitor import views
from evocrawl.monitor.curve import MOST, Curve, Point
from evocrawl.monitor.record import Record
from evocrawl.monitor.report.html import family, report_html
from evocrawl.monitor.report.markdown import plain
from evocrawl.monitor.steps import whole
from evocrawl.monitor.stored_record import SharedRecord, stored_record
from evocrawl.store.archive import Archive


def report(*stores: Path, out: Path, **options: object) -> str:
    more = [f"--{name}={value}" for name, value in options.items()]
    assert main(["report", *map(str, stores), "--out", str(out), *more]) == 0
    return out.read_text("utf-8")


@pytest.fixture
def crawl(tmp_path: Path) -> StoredCrawl:
    crawl = StoredCrawl(tmp_path / "crawl.sqlite", "energy", budget=60)
    crawl.run()
    crawl.close()
    return crawl


def test_the_numbers_are_those_of_the_crawl(crawl: StoredCrawl, tmp_path: Path) -> None:
    """Compared with the crawl's own ledger and agents."""
    found = json.loads(report(crawl.path, out=tmp_path / "r.json"))
    ledger, now = crawl.assembly.ledger, found["summary"]
    assert (now["pages"], now["relevant"]) == (ledger.pages, ledger.relevant_pages)
    assert (now["requests"], now["limit"]) == (crawl.assembly.budget.spent, 60)
    assert (now["agents"], now["agents_born"]) == (ledger.population, ledger.births)
    assert now["energy"] == pytest.approx(ledger.energy.of_agents)
    alive = {each["id"]: each for each in found["agents"] if each["is_alive"]}
    agents = crawl.population.lifecycle.agents
    assert alive.keys() == agents.keys()
    assert all(alive[each].get("energy") == pytest.approx(agents[each].energy) for each in alive)
    assert sum(found["costs"]["fees"].values()) == pytest.approx(ledger.energy.paid)
    scores = [row["relevance"] for row in found["pages"]]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == ledger.pages
    assert sum(row["visits"] for row in found["hosts"]) == ledger.visits.settled
    last = found["curve"][-1]
    assert (last["requests"], last["relevant"]) == (now["requests"], now["relevant"])
    assert found["ended"] == crawl.population.ended
    assert found["costs"]["failures"] == {"status 404": ledger.visits.outcomes["dead"]}


def test_the_command_makes_the_crawl_again(crawl: StoredCrawl, tmp_path: Path) -> None:
    command = json.loads(report(crawl.path, out=tmp_path / "r.json"))["command"]
    parts = shlex.split(command)
    assert parts[:3] == ["scrapy", "crawl", "evospider"]
    given = dict(part.split("=", 1) for part in parts if "=" in part)
    assert given == {
        "query": QUERY, "seeds": SEED, "species": "energy", "max_requests": "60",
        "store": str(crawl.path),
    }  # fmt: skip


def test_the_page_is_complete_in_itself_and_harmless(crawl: StoredCrawl, tmp_path: Path) -> None:
    """No script, no handler, no address except those of links; hostile titles are text."""
    text = report(crawl.path, out=tmp_path / "r.html")
    tree = html.fromstring(text)
    assert EVIL.split('"')[0] in tree.text_content()
    assert not tree.xpath("//script | //iframe | //object | //link | //img | //base | //form")
    assert not tree.xpath("//@*[starts-with(name(), 'on')] | //@src | //@style")
    assert all(
        each.startswith(("http://a.test/", "http://b.test/")) for each in tree.xpath("//@href")
    )
    policy = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert not re.search(r"url\(|@import", text)
    assert len(tree.xpath("//svg")) >= 5
    assert tree.xpath("//details") or len(tree.xpath("//*[@class='tree']/p")) > 0


def test_markdown_has_no_markup_of_the_web(crawl: StoredCrawl, tmp_path: Path) -> None:
    text = report(crawl.path, out=tmp_path / "r.md", pages=3)
    assert "<script" not in text
    assert "\x1b" not in text
    assert len(re.findall(r"^\| [01]\.\d+ relevant", text, re.M)) == 3
    assert f"# {QUERY}" in text


@given(st.text())
def test_no_text_is_markup(text: str) -> None:
    """On one line; no active character without a backslash."""
    line = plain(text)
    assert "\n" not in line
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]|<>]", line)


def test_two_crawls_side_by_side(crawl: StoredCrawl, tmp_path: Path) -> None:
    """The pages that only one of them found, in each format."""
    other = stored(tmp_path / "other.sqlite", "breadth_first", budget=12)
    found = json.loads(report(crawl.path, other, out=tmp_path / "two.json"))
    urls = []
    for path in (crawl.path, other):
        with Archive(path) as archive:
            urls.append({page.url for page in archive.pages()})
    first, second = (each for each in found["only"])
    assert {row["url"] for row in first["best"]} == urls[0] - urls[1]
    assert {row["url"] for row in second["best"]} == urls[1] - urls[0]
    assert found["both"]["pages"] == len(urls[0] & urls[1]) > 0
    text = report(crawl.path, other, out=tmp_path / "two.html")
    assert "What only one of them found" in text
    assert 'class="line1"' in text
    assert f"only 1: {crawl.path}" in text
    assert "### Only crawl 2 found" in report(crawl.path, other, out=tmp_path / "two.md")


def test_files_are_not_overwritten(
    crawl: StoredCrawl, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r.html"
    report(crawl.path, out=out)
    assert main(["report", str(crawl.path), "--out", str(out)]) == 2
    assert "--force" in capsys.readouterr().err
    assert main(["report", str(crawl.path), "--out", str(crawl.path), "--force"]) == 2
    assert main(["report", *[str(crawl.path)] * 3, "--out", str(tmp_path / "x")]) == 2
    assert main(["report", str(crawl.path), "--pages", "0", "--out", str(tmp_path / "x")]) == 2
    assert main(["report", str(tmp_path / "none"), "--out", str(tmp_path / "x")]) == 2
    assert not (tmp_path / "x").exists()


def test_a_crawl_without_pages_has_a_report(tmp_path: Path) -> None:
    crawl = StoredCrawl(tmp_path / "empty")
    crawl.run(0)
    crawl.close()
    assert "no page" in report(crawl.path, out=tmp_path / "r.html")
    assert "relevant pages: 0 of 0" in report(crawl.path, out=tmp_path / "r.md")


def test_a_deep_family_is_written_in_order() -> None:
    """A family of 3 000 generations: each one is there once, and all tags are closed."""
    agents: list[dict[str, Any]] = [{"id": n, "parent": n - 1 or None} for n in range(1, 3001)]
    steps = [*family(agents)]
    assert [each["id"] for _, each in steps if each is not None] == [*range(1, 3001)]
    kinds = [kind for kind, _ in steps]
    assert kinds.count("open") == kinds.count("close") > 0


def test_a_crawl_of_several_workers_is_shown_by_its_pages(crawl: StoredCrawl) -> None:
    with Archive(crawl.path) as archive:
        pages = [*archive.pages()]
        shared = SharedRecord(archive, 0.12)
    assert len(shared.results) == len(pages)
    assert shared.point().relevant == sum(page.relevance >= 0.12 for page in pages)
    assert sum(each.pages for each in shared.agents.values()) == len(pages)
    assert shared.began == min(page.fetched_at for page in pages)


def test_a_crawl_that_cannot_be_replayed_has_a_note(crawl: StoredCrawl) -> None:
    import sqlite3

    database = sqlite3.connect(crawl.path)
    with database:
        database.execute("UPDATE ops SET key = x'00' WHERE kind = 'choose' AND visit = 9")
    database.close()
    found = stored_record(str(crawl.path))
    assert "cannot be replayed" in found.notes[0]
    assert len(found.record.results) == 8


def test_a_long_curve_stays_small_and_keeps_its_ends() -> None:
    curve = Curve()
    for n in range(10 * MOST):
        curve.add(lambda n=n: Point(n, float(n), n, 0, 1, 0.0, None))  # type: ignore[misc]
    points = curve.whole(Point(n, float(n), n, 0, 1, 0.0, None))
    assert len(points) <= MOST
    assert (points[0].requests, points[-1].requests) == (0, 10 * MOST - 1)


def test_a_number_of_requests_has_one_point_on_the_curve() -> None:
    """It is that of the last visit, with its estimate of the recall."""

    class Ended(Record):
        def point(self) -> Point:
            return Point(120, 9.0, 100, 12, 1, 0.0, None, 0.1)

    record = Ended()
    for pages in (90, 95, 99):
        record.curve.add(lambda pages=pages: Point(120, 8.0, pages, 9, 1, 0.0, None, 0.1))  # type: ignore[misc]
    (row,) = whole(views.curve(record))
    assert (row["requests"], row["pages"], row["relevant"]) == (120, 100, 12)
    assert row["recall"] == recall(12, 0.1) > 0


def test_a_report_of_any_title_is_html(crawl: StoredCrawl) -> None:
    """Also of lone surrogates, which have no UTF-8."""
    from evocrawl.monitor.report.content import content

    found = content(stored_record(str(crawl.path)))
    found["pages"][0]["title"] = "\ud800</td><script>x</script>"
    found["pages"][0]["url"] = "javascript:alert(1)"
    tree = html.fromstring(report_html(found))
    assert not tree.xpath("//script")
    assert not tree.xpath("//a[starts-with(@href, 'javascript')]")
