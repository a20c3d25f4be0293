"""How often the 90 % intervals of the estimates hold the true value, and how wide they are.

    python benchmarks/estimation.py record LOG WORLD [--topics FILE --split S] [--species A,B]
    python benchmarks/estimation.py fit LOG…        coefficients of evocrawl/estimation
    python benchmarks/estimation.py report LOG…     coverage and width of the present ones

`record` runs crawls and adds a line a crawl to LOG: what the forecast sees every 10 requests, when
relevant pages were found, and how many are within reach of the seeds. A page is relevant if the
crawl's own relevance model says so. `fit` and `report` read the lines; `--even` and `--odd` take
every second topic of each world, so that the coefficients can be fitted to some topics and reported
on others.

A point is a crawl that stops at a budget; `report` also takes the moments at which the rules of
STOPS end a crawl. A point counts for the gain if the crawl went on for 1 000 requests or found all.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln

from evocrawl import relevance
from evocrawl.core.config.config import Config
from evocrawl.core.config.stop import stop_conditions
from evocrawl.core.events import Event, VisitSettled
from evocrawl.core.urls.identity import fingerprint
from evocrawl.estimation.coefficients import GAIN, REMAINING, Coefficients
from evocrawl.estimation.forecast import FIRST, interval
from evocrawl.estimation.outlook import HORIZON, recall_of
from evocrawl.estimation.stop_rule import PATIENCE
from evocrawl.population.assembly import Assembly
from evocrawl.simulation.runner import run
from evocrawl.simulation.scoring import PageScorer
from evocrawl.simulation.trials import Topic, far_start, read_topics
from evocrawl.simulation.worlds.link_graph import WebGraph
from evocrawl.simulation.worlds.made_up.spec import query_of
from evocrawl.simulation.worlds.registry import made_up_by, open_world

Row = dict[str, Any]
BUDGETS = (100, 200, 400, 800, 1200, 1600)
EVERY = 10
"""Requests between two looks at the forecast, as those of the stop rule."""
STOPS = ("yield<5%", "yield<2%", "recall>50%", "recall>90%")


class Recorder:
    """Keeps the recent yield of a run every 10 requests, and the requests of its finds."""

    def __init__(self, relevant_at: float) -> None:
        self.relevant_at = relevant_at
        self.points: list[Row] = []
        self.finds: list[int] = []
        self.crawl: Assembly | None = None

    def begin(self, crawl: Assembly) -> None:
        self.crawl = crawl

    def note(self, event: Event) -> None:
        if not isinstance(event, VisitSettled) or self.crawl is None:
            return
        spent = self.crawl.budget.spent
        if event.first and (event.relevance or 0.0) >= self.relevant_at:
            self.finds.append(spent)
        if spent >= (self.points[-1]["requests"] + EVERY if self.points else FIRST):
            late = self.crawl.forecast.recent_yield
            self.points.append({"requests": spent, "late": late, "found": len(self.finds)})


def record(asked: argparse.Namespace) -> None:
    """Run the crawls."""
    world = open_world(asked.world)
    graph = WebGraph(world)
    for topic in topics_of(asked, world):
        settings = {"query": topic.query, "relevance": asked.relevance}
        config = Config.read({}, {**settings, "max_requests": asked.budget})
        scorer = PageScorer(relevance.Wanted.by(config).make())
        relevant = {
            each.fingerprint
            for each in world.documents()
            if scorer.score(each) >= config.relevant_at
        }
        for start in asked.start.split(","):
            seeds = world.search(topic.query, 3)
            if start == "far":
                seeds = [far_start(world, graph, relevant, 0)]
            for species in asked.species.split(","):
                keeper = Recorder(config.relevant_at)
                made = config_of(config, species)
                done = run(world, made, seeds, scorer=scorer, on_event=[keeper.note],
                           before_choice=keeper.begin)  # fmt: skip
                row = {
                    "world": world.name, "topic": topic.name, "start": start, "species": species,
                    "points": keeper.points, "finds": keeper.finds, "requests": done.requests,
                    "is_over": done.stop_reason != "budget",
                    "reachable": within_reach(graph, seeds, relevant),
                }  # fmt: skip
                with asked.log.open("a") as file:
                    file.write(json.dumps(row) + "\n")
                print(world.name, topic.name, start, species, len(keeper.finds), flush=True)


def config_of(config: Config, species: str) -> Config:
    """Return the configuration of another species, with its energies."""
    given = {"query": config.query, "relevance": config.relevance}
    return Config.read({}, {**given, "species": species, "max_requests": config.max_requests})


def topics_of(asked: argparse.Namespace, world: Any) -> list[Topic]:
    """Return the topics of the file, or the first ones of a made-up web."""
    if asked.topics:
        return read_topics(asked.topics, asked.split)
    if made_up_by(asked.world) is None:
        sys.exit("--topics is missing")
    return [Topic("", name, query_of(world, name)) for name in [*world.topics()][:3]]


def within_reach(graph: WebGraph, seeds: Sequence[str], relevant: Iterable[bytes]) -> int:
    """Return how many relevant pages a crawl from the seeds can reach."""
    seen = graph.numbers(map(fingerprint, seeds))
    waiting = [*seen]
    while waiting:
        new = set(graph.out(waiting.pop())) - seen
        seen |= new
        waiting += new
    return len(seen & graph.numbers(relevant))


@dataclass(frozen=True)
class Point:
    """A crawl that is stopped, by a budget or a rule, `by`.

    `gain` is None if it did not go on for long enough.
    """

    crawls: str
    by: str
    late: float
    found: int
    gain: int | None
    left: int


def rows(asked: argparse.Namespace, stops: Sequence[str] = ()) -> Iterator[Point]:
    """Yield the points of the logs: one for each budget and each rule of `stops`."""
    seen: dict[str, list[str]] = defaultdict(list)
    for path in asked.logs:
        for line in path.read_text().splitlines():
            row = json.loads(line)
            topics = seen[row["world"]]
            if row["topic"] not in topics:
                topics.append(row["topic"])
            is_even = topics.index(row["topic"]) % 2 == 0
            if (asked.even and not is_even) or (asked.odd and is_even):
                continue
            for by, each in stopped(row["points"], stops):
                end = each["requests"] + HORIZON
                is_known = row["is_over"] or row["requests"] >= end
                gain = sum(each["requests"] < find <= end for find in row["finds"])
                yield Point(
                    f"{row['world']}, {row['species']}", by, each["late"], each["found"],
                    gain if is_known else None, max(row["reachable"] - each["found"], 0),
                )  # fmt: skip


def stopped(points: Sequence[Row], stops: Sequence[str]) -> Iterator[tuple[str, Row]]:
    """Yield the points at which the budgets and the rules stop a crawl, with their names."""
    for budget in BUDGETS:
        for each in points:
            if each["requests"] >= budget:
                yield f"after {budget:5} requests", each
                break
    for rule in stops:
        (condition,) = stop_conditions(rule)
        since: int | None = None
        for each in points:
            gain = interval(GAIN, each["late"], HORIZON)
            recall = recall_of(each["found"], interval(REMAINING, each["late"]))
            if not condition.holds(gain.middle / HORIZON, recall.middle):
                since = None
            elif since is None:
                since = each["requests"]
            elif each["requests"] - since >= PATIENCE:
                yield f"stopped by {rule}", each
                break


def fit(asked: argparse.Namespace) -> None:
    """Print the coefficients of greatest likelihood."""
    points = [*rows(asked)]
    for name, of in (("GAIN", "gain"), ("REMAINING", "left")):
        known = [each for each in points if getattr(each, of) is not None]
        found = fitted([each.late for each in known], [getattr(each, of) for each in known])
        numbers = ", ".join(f"{value:.2f}" for value in asdict(found).values())
        print(f"{name} = Coefficients({numbers})  # {len(known)} points")


def fitted(late: Sequence[float], counts: Sequence[float]) -> Coefficients:
    """Return the coefficients of greatest likelihood."""
    x, y = np.log(np.array(late)), np.array(counts, float)

    def loss(theta: np.ndarray) -> float:
        mean = np.exp(np.clip(theta[0] + theta[1] * x, -8, 8))
        shape = np.exp(np.clip(theta[2] + theta[3] * x, -5, 5))
        likelihood = (
            gammaln(y + shape) - gammaln(shape) - gammaln(y + 1)
            + shape * np.log(shape / (shape + mean)) + y * np.log(mean / (shape + mean))
        )  # fmt: skip
        return float(-likelihood.mean())

    a, b, c, d = minimize(loss, np.array([5.0, 1.0, 0.0, 0.0]), method="BFGS").x.tolist()
    return Coefficients(math.exp(a), b, math.exp(c), d)


def report(asked: argparse.Namespace) -> None:
    """Print coverage and width of the intervals."""
    groups: dict[str, list[tuple[bool | None, float, bool, float]]] = defaultdict(list)
    for point in rows(asked, STOPS):
        to_come = interval(GAIN, point.late, HORIZON)
        recall = recall_of(point.found, interval(REMAINING, point.late))
        true = point.found / (point.found + point.left) if point.found + point.left else 0.0
        result = (
            None if point.gain is None else to_come.low <= point.gain <= to_come.high,
            to_come.high - to_come.low,
            recall.low <= true <= recall.high,
            recall.high - recall.low,
        )
        groups[point.by].append(result)
        if point.by.startswith("after"):
            for group in (point.crawls, "all"):
                groups[group].append(result)
    print("| crawls | points | gain within | width, pages | recall within | width |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, results in sorted(groups.items(), key=lambda each: (each[0] == "all", each[0])):
        known = [each for each in results if each[0] is not None]
        within = f"{np.mean([each[0] for each in known]):.2f}" if known else "–"
        width = f"{np.median([each[1] for each in known]):.0f}" if known else "–"
        print(
            f"| {name} | {len(results)} | {within} | {width} | "
            f"{np.mean([each[2] for each in results]):.2f} | "
            f"{np.median([each[3] for each in results]):.2f} |"
        )


def main() -> None:
    """Do what was asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    new = commands.add_parser("record")
    new.add_argument("log", type=Path)
    new.add_argument("world")
    new.add_argument("--topics", type=Path)
    new.add_argument("--split", default="")
    new.add_argument("--species", default="evo,energy,best_first_anchor")
    new.add_argument("--start", default="search")
    new.add_argument("--relevance", default=Config.read({}, {"query": "a"}).relevance)
    new.add_argument("--budget", type=int, default=2600)
    new.set_defaults(run=record)
    for name, act in (("fit", fit), ("report", report)):
        command = commands.add_parser(name)
        command.add_argument("logs", type=Path, nargs="+")
        command.add_argument("--even", action="store_true", help="topics 1, 3, 5 … of each world")
        command.add_argument("--odd", action="store_true", help="topics 2, 4, 6 … of each world")
        command.set_defaults(run=act)
    asked = parser.parse_args()
    asked.run(asked)


if __name__ == "__main__":
    main()
