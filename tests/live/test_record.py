"""A crawl can be recorded, and replayed with any species."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from livecrawl import QUERY, Crawl, page, site

from evocrawl.core.config.config import Config
from evocrawl.core.model import Dead
from evocrawl.simulation.runner import Run, run
from evocrawl.simulation.server.proxy import Response, redirect
from evocrawl.simulation.server.world_server import sites_of
from evocrawl.simulation.worlds.recorded import Recorded
from evocrawl.simulation.worlds.registry import open_world

WORLD = "sites:sites=40,pages_per_site=5,forbidden=0,moved=0.1,dead=0.1,seed=2"
ONE_AT_A_TIME = {"CONCURRENT_REQUESTS": 1, "ROBOTSTXT_OBEY": False}


def replay(file: Path, arguments: dict[str, Any], species: str) -> Run:
    config = Config.read({}, {**arguments, "species": species})
    return run(open_world(file), config, str(arguments["seeds"]).split())


def unknown(done: Run) -> int:
    return sum(step.reason.startswith("unknown") for step in done.steps)


def test_a_recorded_crawl_is_replayed_with_its_species_and_with_others(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """The same species and seed repeat the crawl; others report unknown addresses."""
    world = open_world(WORLD)
    pages = list(world.documents())
    options = {
        "query": " ".join(pages[0].text.split()[:3]),
        "seeds": " ".join(each.url for each in pages[:60:20]),
        "max_requests": 100,
        "seed": 3,
        "species": "energy",
    }
    file = tmp_path / "crawl.jsonl.gz"
    crawled = crawl(
        serve(sites_of(world)), arguments={**options, "record": file}, settings=ONE_AT_A_TIME
    )
    crawled.check_settled()
    again = replay(file, options, "energy")
    visited = [step for step in again.steps if step.outcome == "fetched"]
    assert [each["relevance"] for each in crawled.pages] == [each.relevance for each in visited]
    assert [each["agent"] for each in crawled.pages] == [each.agent for each in visited]
    assert len(visited) == crawled.stat("pages") > 30
    assert len(again.steps) == crawled.stat("visits/settled")
    assert again.requests == crawled.stat("requests")
    assert unknown(again) == 0
    other = replay(file, options, "best_first")
    assert 0 < unknown(other) < len(other.steps)
    assert sum(step.outcome == "fetched" for step in other.steps) > 10


HOSTILE = '"}\n{"url": "http://evil.test/"}\x00</script>\u2028'


def _web() -> dict[str, Any]:
    links = [f"/{name} to {name}" for name in (
        "fine", "not-there", "broken", "away", "twice", "forbidden", "file", "evil",
    )]  # fmt: skip
    return {
        "/": page(*links, text=f"all about {QUERY}", title="Start"),
        "/fine": page("/never", text="coral"),
        "/broken": Response(503),
        "/away": redirect("/fine-too"),
        "/fine-too": page(text="bleaching"),
        "/twice": redirect("/fine"),
        "/forbidden": page(),
        "/file": Response(200, b"%PDF-1.4", {"content-type": "application/pdf"}),
        "/evil": page(f"/evil-link {HOSTILE}", text=HOSTILE, title=HOSTILE),
        "/robots.txt": Response(200, b"User-agent: *\nDisallow: /forbidden"),
    }


ARGUMENTS = {"query": QUERY, "seeds": "http://reef.test/", "species": "breadth_first"}


def test_a_recording_has_the_response_of_each_address(serve, crawl: Crawl, tmp_path: Path) -> None:
    """Pages, errors, redirects, refusals and files.

    Hostile text is escaped; other addresses are unknown.
    """
    file = tmp_path / "reef.jsonl.zst"
    arguments = {**ARGUMENTS, "record": file, "max_requests": 11}
    settings = {"CONCURRENT_REQUESTS": 1}
    crawl(
        serve({"reef.test": site(_web())}), arguments=arguments, settings=settings
    ).check_settled()
    world = Recorded.read(file)
    assert world.recording is not None
    about = world.recording.about
    assert (about["query"], about["species"], about["version"]) == (QUERY, "breadth_first", 1)
    answers = {
        name: world.answer(f"http://reef.test/{name}", 0.0)
        for name in ("not-there", "broken", "away", "twice", "forbidden", "file", "fine", "never")
    }
    assert [answers[name].status for name in ("not-there", "broken", "file")] == [404, 503, 415]
    assert answers["away"].location == "http://reef.test/fine-too"
    assert answers["twice"].location == "http://reef.test/fine"
    assert answers["forbidden"].is_forbidden
    assert answers["fine"].document is not None
    assert answers["fine"].latency_s > 0
    assert answers["never"].is_unknown
    gone = world.fetch("http://reef.test/never", 0.0)
    assert isinstance(gone, Dead)
    assert gone.reason.startswith("unknown")
    start = world.answer("http://reef.test/", 0.0).document
    assert start is not None
    assert (start.title, start.text[:9]) == ("Start", "all about")
    assert [link.anchor for link in start.links][:2] == ["to fine", "to not-there"]
    assert world.answer("http://evil.test/", 0.0).is_unknown
    assert world.hosts() == ("reef.test",)


def test_an_existing_file_is_not_overwritten(serve, crawl: Crawl, tmp_path: Path) -> None:
    """The crawl does not begin, gives the reason, and fails."""
    file = tmp_path / "reef.jsonl"
    file.write_text("precious\n")
    proxy = serve({"reef.test": site(_web())})
    crawled = crawl(proxy, arguments={**ARGUMENTS, "record": file})
    assert crawled.code != 0
    assert "the file exists and is not overwritten" in crawled.log
    assert file.read_text() == "precious\n"
    assert proxy.log == []


PROJECT = """\
from scrapy import Spider

BOT_NAME = "reef"
SPIDER_MODULES = ["reef"]
ADDONS = {"evocrawl.Addon": 300}
EVOCRAWL_QUERY = "coral bleaching"
EVOCRAWL_RECORD = "reef.jsonl"


class ReefSpider(Spider):
    name = "reef"
    start_urls = ("http://reef.test/",)

    def parse(self, response):
        yield from response.follow_all(css="a")
"""


def test_a_users_project_is_recorded(serve, crawl: Crawl, tmp_path: Path) -> None:
    """The add-on records the responses of another spider, with the links that it followed."""
    (tmp_path / "reef.py").write_text(PROJECT)
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = reef\n")
    proxy = serve({"reef.test": site(_web())})
    crawl(proxy, command=("crawl", "reef"), cwd=tmp_path).check_settled()
    lines = (tmp_path / "reef.jsonl").read_text().splitlines()
    rows = {row.get("url"): row for row in map(json.loads, lines)}
    assert rows[None]["recording"]["query"] == "coral bleaching"
    start = rows["http://reef.test/"]
    assert start["links"][0]["url"] == "http://reef.test/fine"
    assert start["links"][0]["anchor"] == "to fine"
    assert rows["http://reef.test/forbidden"]["robots"] == "disallow"


def test_a_recording_that_cannot_be_written_on_ends_the_crawl(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """R7, R8: with its own stop reason and exit code 1."""
    world = open_world(WORLD)
    first = next(iter(world.documents()))
    options = {"query": "semantic", "seeds": first.url, "record": tmp_path / "crawl.jsonl"}
    crawled = crawl(
        serve(sites_of(world)),
        arguments=options,
        settings={"EXTENSIONS": {"fullrecord.FullRecord": 1}},
    )
    assert crawled.code == 1
    assert crawled.stat("stop_reason") == "recording_failed"
    assert "the recording cannot be written on" in crawled.log
