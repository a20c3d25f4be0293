"""A crawl and the simulation of the same web have the same visits."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from livecrawl import FAST, HERE, QUERY, ROOT
from processes import start

from evocrawl.core.config.config import Config
from evocrawl.simulation.runner import OVER_BUDGET, run
from evocrawl.simulation.server.world_server import AsServed, serve
from evocrawl.simulation.worlds.answers import AnsweringWorld
from evocrawl.simulation.worlds.registry import open_world

SPECIES = (
    "energy", "best_first", "best_first_anchor", "breadth_first", "shark_search", "ache",
)  # fmt: skip
BUDGET = 70

Visit = list[Any]
"""Link, agent, outcome, reason, relevance."""


def recorded(folder: Path) -> AnsweringWorld:
    """Return a world file with pages as text and as HTML, some on https, redirects, and 404s."""
    draw = random.Random(5)
    words = [*QUERY.split(), "stone", "äpple", "road & rail", "<house>", "river", "cloud"]
    schemes = ("http", "https", "http")
    urls = [f"{schemes[n % 3]}://h{n % 3}.test/p/{n}?a=%C3%A4" for n in range(120)]
    rows: list[dict[str, Any]] = []
    for number, url in enumerate(urls):
        row: dict[str, Any] = {"url": url}
        targets = draw.sample(urls, 6)
        if number % 9 == 4:
            row["redirect_to"] = targets[0]
        elif number % 9 == 5:
            row["status"] = 410
        elif number % 9 == 6:
            links = "".join(f"<li><a href='{each}'>{draw.choice(words)}</a>" for each in targets)
            row["html"] = f"<title>{number}</title><p>{draw.choice(words)}<ul>{links}</ul>"
        else:
            row["title"] = draw.choice(words)
            row["text"] = " ".join(draw.choices(words, k=30))
            row["lang"] = draw.choice(("en", "en", "de"))
            row["links"] = [
                {"url": each, "anchor": word, "context": f"{draw.choice(words)} {word} here"}
                for each, word in zip(targets, draw.choices(words, k=6), strict=True)
            ]
        rows.append(row)
    file = folder / "web.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return open_world(file)


def sites(_: Path) -> AnsweringWorld:
    """Return links of every kind: to pages, to former addresses, to files, to nothing."""
    return open_world("sites:sites=40,pages_per_site=5,forbidden=0,moved=0.1,dead=0.1,seed=2")


def crawled(
    world: AnsweringWorld, crawls: list[dict[str, Any]], folder: Path, **settings: Any
) -> dict[str, list[Visit]]:
    """Return, by species, the visits of live crawls that have one request under way at a time."""
    folder.mkdir()
    # A probe for soft 404s is a request that simulations do not make.
    options = {
        **FAST,
        "CONCURRENT_REQUESTS": 1,
        "EVOCRAWL_PROBE": False,
        "EVOCRAWL_READ_TIMEOUT_S": 300,
        "LOG_FILE": str(folder / "log"),
        "WITNESS": str(folder),
        **settings,
    }
    with serve(world) as proxy:
        process = start(
            "witness",
            [json.dumps(options), json.dumps(crawls)],
            cwd=ROOT,
            environment={**os.environ, "http_proxy": proxy.url, "PYTHONPATH": str(HERE)},
            output=folder / "out",
        )
        try:
            assert process.wait(300) == 0, (folder / "out").read_text()
        finally:
            process.kill()
    return {
        file.stem: [json.loads(line) for line in file.read_text().splitlines()]
        for file in folder.glob("*.jsonl")
    }


def simulated(world: AsServed, arguments: dict[str, Any]) -> list[Visit]:
    """Return the visits of a simulation of the served world."""
    done = run(world, Config.read({}, arguments), arguments["seeds"].split())
    return [[s.url, s.agent, s.outcome, s.reason, s.relevance] for s in done.steps]


@pytest.mark.parametrize(("make", "obeys"), [(sites, False), (recorded, False), (recorded, True)])
def test_a_crawl_makes_the_visits_of_its_simulation(make: Any, obeys: bool, tmp_path: Path) -> None:
    """The same links by the same agents with the same outcomes, for each species without labels.

    A crawl that obeys robots.txt asks for it, which a simulation does not count: it makes fewer
    visits of the same budget, and the last may be cut short.
    """
    world = make(tmp_path)
    pages = list(world.documents())
    query = QUERY if make is recorded else " ".join(pages[0].text.split()[:3])
    seeds = " ".join(f"http{page.url.removeprefix('https').removeprefix('http')}"
                     for page in pages[:60:20])  # fmt: skip
    common = {"query": query, "seeds": seeds, "max_requests": BUDGET, "seed": 3}
    crawls = [{**common, "species": species} for species in SPECIES]
    live = crawled(world, crawls, tmp_path / "live", ROBOTSTXT_OBEY=obeys)
    assert sorted(live) == sorted(SPECIES)
    served = AsServed(world)
    for arguments in crawls:
        visits = live[arguments["species"]]
        expected = simulated(served, arguments)
        if obeys:
            visits = [visit for visit in visits if visit[3] != OVER_BUDGET]
            expected = expected[: len(visits)]
        assert visits == expected, arguments["species"]
        assert {outcome for _, _, outcome, _, _ in visits} == {"fetched", "dead"}
        assert len(visits) > BUDGET / 2
    assert len({json.dumps(visits) for visits in live.values()}) > len(SPECIES) / 2
