"""Measures worlds: seconds to load or generate, memory, microseconds per fetch.

    python benchmarks/worlds.py SPEC…      each a file, a folder, sites:… or news:…

Each world has a separate process, one after the other. Memory is the peak growth of the process
after the imports. The fetches are of 2000 random addresses of its pages.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from evocrawl.simulation.worlds.made_up.base import Synthetic
from evocrawl.simulation.worlds.registry import open_world

FETCHES = 2000
DEFAULT = ["sites:sites=6000", "news:pages=60000", "sites:sites=100000", "news:pages=1000000"]


def cost(spec: str) -> tuple[str, int, float, float, float]:
    """Return name, pages, seconds to generate, MB, and CPU microseconds per fetch."""
    before = peak_mb()
    started = time.process_time()
    world = open_world(spec)
    seconds = time.process_time() - started
    rng = np.random.default_rng(0)
    if isinstance(world, Synthetic):
        urls = [world.url(int(page)) for page in rng.integers(len(world.graph), size=FETCHES)]
    else:
        known = [document.url for document in world.documents()]
        urls = [known[int(page)] for page in rng.integers(len(known), size=FETCHES)]
    started = time.process_time()
    for url in urls:
        world.fetch(url, 0.0)
    fetch = (time.process_time() - started) / FETCHES
    return spec, len(world), seconds, peak_mb() - before, fetch * 1e6


def peak_mb() -> float:
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("worlds", metavar="SPEC", nargs="*", default=DEFAULT)
    asked = parser.parse_args()
    print(f"{'world':40} {'pages':>9} {'s':>7} {'MB':>7} {'µs/fetch':>9}")
    for spec in asked.worlds:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            name, pages, seconds, megabytes, fetch = pool.submit(cost, spec).result()
        print(f"{name[-40:]:40} {pages:9} {seconds:7.1f} {megabytes:7.0f} {fetch:9.0f}", flush=True)


if __name__ == "__main__":
    main()
