"""Measures choose and settle of a species: processor time, function calls, the costliest functions.

    python benchmarks/step_profile.py WORLD [--query "bird species"] [--species evo]
                                            [--requests 400] [--repeat 3] [--top 10]

The population crawls a world `--repeat` times from the world's first three pages; the least
processor time of a request counts. Then it crawls once more under cProfile, which counts the calls
of Python's and of C's functions. *Own* is the time in a function itself, *all* that with the
functions that it calls, both under the profiler, which makes calls of small functions look dearer
than they are. The first requests include what is made once, such as the list of public suffixes.
"""

from __future__ import annotations

import argparse
import pstats
from cProfile import Profile
from itertools import islice
from typing import Any

from evocrawl import relevance
from evocrawl.core.config.config import Config
from evocrawl.population.population import Population
from evocrawl.simulation.runner import Run, run
from evocrawl.simulation.scoring import PageScorer
from evocrawl.simulation.worlds.base import World
from evocrawl.simulation.worlds.registry import open_world

METHODS = ("choose", "settle")


def crawled(world: World, config: Config) -> Run:
    seeds = [document.url for document in islice(world.documents(), 3)]
    scorer = PageScorer(relevance.Wanted.by(config).make())
    return run(world, config, seeds, scorer=scorer)


def profiled(world: World, config: Config) -> tuple[Run, pstats.Stats]:
    """Return a crawl, and the profile of its choices and settlements."""
    profile = Profile()

    def watched(method: Any) -> Any:
        def call(*args: Any) -> Any:
            profile.enable()
            try:
                return method(*args)
            finally:
                profile.disable()

        return call

    plain = {name: getattr(Population, name) for name in METHODS}
    for name, method in plain.items():
        setattr(Population, name, watched(method))
    try:
        done = crawled(world, config)
    finally:
        for name, method in plain.items():
            setattr(Population, name, method)
    return done, pstats.Stats(profile)


def spent_ms(done: Run) -> tuple[float, float]:
    """Return the milliseconds of choosing and of settling a request."""
    spent = done.cpu_s_by
    choosing, settling = (1e3 * spent[each] / done.requests for each in ("choosing", "settling"))
    return choosing, settling


def rows_of(stats: pstats.Stats, requests: int, top: int) -> list[str]:
    """Return the functions with the greatest time of their own, one row each."""
    functions: dict[Any, Any] = stats.stats  # type: ignore[attr-defined]
    largest = sorted(functions.items(), key=lambda each: -each[1][2])[:top]
    rows = []
    for (file, line, name), (_, calls, own, whole, _) in largest:
        place = f"{file.rpartition('/evocrawl/')[2]}:{line} {name}" if line else name
        rows.append(
            f"| {place} | {calls / requests:.1f} | {1e6 * own / requests:.0f} "
            f"| {1e6 * whole / requests:.0f} |"
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world")
    parser.add_argument("--query", default="bird species")
    parser.add_argument("--species", default="evo")
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--top", type=int, default=10)
    given = parser.parse_args()
    world = open_world(given.world)
    config = Config.read(
        {},
        {
            "query": given.query,
            "species": given.species,
            "max_requests": given.requests,
            "seed": 1,
        },
    )
    fastest = min((spent_ms(crawled(world, config)) for _ in range(given.repeat)), key=sum)
    done, stats = profiled(world, config)
    calls: int = stats.total_calls  # type: ignore[attr-defined]
    print(
        f"{given.species}, {done.requests} requests: choose {fastest[0]:.2f} ms, settle "
        f"{fastest[1]:.2f} ms, together {sum(fastest):.2f} ms; {calls / done.requests:.0f} calls"
    )
    print("| function | calls a request | own, µs | all, µs |\n| --- | ---: | ---: | ---: |")
    print("\n".join(rows_of(stats, done.requests, given.top)))


if __name__ == "__main__":
    main()
