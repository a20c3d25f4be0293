"""Runs other crawlers in the same trials: crawl4ai and Scrapy's queue.

    python benchmarks/peers/run.py WORLD TOPICS.tsv --out DIR [--split dev] [--most 4] [--start far]

Each trial starts at the first three results of a search in the world, or (far) at a page at some
distance from relevant pages, the one of `evocrawl sim` with seed 0. The budget is 5 requests for
each relevant page, at most half the world. Every URL that a peer requests from the world counts as
a request; requests beyond the budget are ignored. DIR/results.json gets a row for each run.

WORLD is a world as for `evocrawl sim`, with the same name in the rows, so `evocrawl compare` pairs
both. A changing world stays in its state at time 0.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from evocrawl.core.model import Fingerprint
from evocrawl.core.urls.identity import fingerprint
from evocrawl.simulation.evaluation import measures
from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response, not_found, redirect
from evocrawl.simulation.trials import budget_of, far_start
from evocrawl.simulation.worlds.answers import AnsweringWorld
from evocrawl.simulation.worlds.base import Document
from evocrawl.simulation.worlds.link_graph import WebGraph
from evocrawl.simulation.worlds.registry import open_world

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "evocrawl-peers"
CRAWL4AI = "crawl4ai>=0.9.5,<0.10"
STARTS = 3
SEED = 0
Answer = dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """A topic, its query, start pages and budget."""

    world: AnsweringWorld
    topic: str
    query: str
    start: str
    relevant: frozenset[Fingerprint]
    seeds: list[str]
    budget: int


def render(document: Document) -> str:
    """Return a page of HTML: the title, the text, and each link with the text around it."""
    items = []
    for link in document.links:
        anchor, context = link.anchor or link.url, link.context
        before, found, after = context.partition(anchor) if link.anchor else (context, "", "")
        if not found:
            before, after = "", f" {context}" if context else ""
        url = f'<a href="{escape(link.url)}">{escape(anchor)}</a>'
        items.append(f"<li>{escape(before)}{url}{escape(after)}</li>")
    return (
        f"<!doctype html><html><head><meta charset=utf-8><title>{escape(document.title)}</title>"
        f"</head><body><main>{escape(document.text)}</main><ul>{''.join(items)}</ul></body></html>"
    )


def crawl4ai(trial: Trial, *, anchors: bool) -> Answer:
    """Run crawl4ai in its own virtual environment."""
    pages = {document.url: render(document) for document in trial.world.documents()}
    job = {"pages": pages, "seeds": trial.seeds, "query": trial.query, "budget": trial.budget}
    answer = _run(_crawl4ai_python(), "crawl4ai_crawl.py", {**job, "anchors": anchors})
    if answer["rejected"]:
        print(f"crawl4ai rejected {answer['rejected']} pages of the world", file=sys.stderr)
    return {**answer, "requests": [fingerprint(url) for url in answer["requests"]]}


def scrapy(trial: Trial, *, order: str) -> Answer:
    """Run Scrapy in this environment, through a proxy on loopback that serves the world."""

    def site(request: Request) -> Response:
        answer = trial.world.answer(f"http://{request.host}{request.path}", 0.0)
        if answer.location:
            return redirect(answer.location, answer.status)
        if answer.document is None:
            return not_found(request)
        return Response(body=render(answer.document).encode())

    with LoopbackProxy(dict.fromkeys(trial.world.hosts(), site)) as proxy:
        job = {"proxy": proxy.url, "seeds": trial.seeds, "query": trial.query, "order": order}
        answer = _run(Path(sys.executable), "scrapy_crawl.py", {**job, "budget": trial.budget})
        urls = [f"http://{request.host}{request.path}" for request in proxy.log]
    return {**answer, "requests": [fingerprint(url) for url in urls]}


PEERS: dict[str, Callable[[Trial], Answer]] = {
    "crawl4ai_best_first": lambda trial: crawl4ai(trial, anchors=False),
    "crawl4ai_best_first_anchor": lambda trial: crawl4ai(trial, anchors=True),
    "scrapy_dfo": lambda trial: scrapy(trial, order="dfo"),
    "scrapy_bfo": lambda trial: scrapy(trial, order="bfo"),
    "scrapy_relevance": lambda trial: scrapy(trial, order="relevance"),
}


def row(trial: Trial, peer: str, answer: Answer) -> dict[str, Any]:
    """Measure the requests of a peer."""
    asked: list[Fingerprint] = answer["requests"][: trial.budget]
    hits = measures.hits_of(enumerate(asked, 1), trial.relevant)
    return {
        "world": trial.world.name,
        "query": trial.query,
        "topic": trial.topic,
        "start": trial.start,
        "species": peer,
        "seed": SEED,
        "budget": trial.budget,
        "requests": len(asked),
        "relevant": len(hits),
        "harvest_rate": measures.harvest_rate(hits, len(asked)),
        "recall": measures.recall(hits, trial.budget, len(trial.relevant)),
        "recall_auc": measures.recall_auc(hits, trial.budget, len(trial.relevant)),
        "stop_reason": "budget" if len(asked) == trial.budget else "exhausted",
        "seconds": answer["seconds"],
        "peak_rss_bytes": answer["peak_rss_bytes"],
    }


def trials(
    world: AnsweringWorld, topics: Path, split: str, most: int, start: str
) -> Iterator[Trial]:
    """Return the trials of the first `most` topics of a split."""
    with topics.open(encoding="utf-8", newline="") as table:
        lines = [line for line in csv.DictReader(table, delimiter="\t") if line["split"] == split]
    graph = WebGraph(world) if start == "far" else None
    for line in lines[:most]:
        relevant = frozenset(world.about(line["topic"]))
        budget = budget_of(len(relevant), len(world))
        if graph is None:
            seeds = world.search(line["query"], STARTS)
        else:
            seeds = [far_start(world, graph, relevant, SEED)]
        yield Trial(world, line["topic"], line["query"], start, relevant, seeds, budget)


def main() -> None:
    """Run the peers in the trials, one after the other, and write a row for each."""
    arguments = _arguments()
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows = []
    world = open_world(arguments.world)
    for trial in trials(world, arguments.topics, arguments.split, arguments.most, arguments.start):
        for peer in arguments.peers.split(","):
            rows.append(row(trial, peer, PEERS[peer](trial)))
            last = rows[-1]
            print(
                f"{trial.topic:40.40} {peer:27} {last['requests']:5} requests  "
                f"recall {last['recall']:.3f}  AUC {last['recall_auc']:.3f}  "
                f"{last['seconds']:5.1f} s",
                flush=True,
            )
            text = json.dumps(rows, indent=1)
            (arguments.out / "results.json").write_text(text, encoding="utf-8")


def _run(python: Path, script: str, job: dict[str, Any]) -> Answer:
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder, "job.json"), Path(folder, "answer.json")
        asked.write_text(json.dumps(job), encoding="utf-8")
        environment = {**os.environ, "CRAWL4_AI_BASE_DIRECTORY": folder}
        subprocess.run(
            [python, HERE / script, asked, answered],
            check=True,
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        answer: Answer = json.loads(answered.read_text(encoding="utf-8"))
        return answer


def _crawl4ai_python() -> Path:
    """Return the Python of crawl4ai's environment, which is created at the first run."""
    folder = CACHE / "crawl4ai"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", CRAWL4AI], check=True)
        (folder / "ready").touch()
    return python


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("world")
    parser.add_argument("topics", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--most", type=int, default=4, help="topics")
    parser.add_argument("--start", choices=("search", "far"), default="search")
    parser.add_argument("--peers", default=",".join(PEERS))
    return parser.parse_args()


if __name__ == "__main__":
    main()
