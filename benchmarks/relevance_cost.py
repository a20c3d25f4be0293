"""Measures what it costs to score a page, and to start, with each relevance model.

    python benchmarks/relevance_cost.py WORLD.jsonl.gz:QUERY… [--against SOURCES]

Milliseconds of CPU a page, the median over the pages of each world. A page is scored by a model
that has met other pages of the same world, and this page never. Each model is made anew in several
processes, and the least of a page's times counts, since other programs on the machine add to it.
`start` is the CPU time of a process that makes the model, imports included, and the memory in use
after that. `--against` measures another copy of evocrawl, a folder with the package, turn by turn.
"""

from __future__ import annotations

import gzip
import itertools
import json
import resource
import time
from pathlib import Path

import numpy as np
from other_sources import measured_in, parser_of, trees_of

MODELS = ("tfidf", "bm25", "opening", "vectors", "bm25+vectors", "tfidf+2*vectors+opening")
FIRST, MEASURED = 300, 600


def main() -> None:
    """Print a table a world, then the start of each model."""
    parser = parser_of(__doc__)
    parser.add_argument("worlds", nargs="+", metavar="WORLD:QUERY")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    if asked.worker:
        _work(asked.worker, asked.worlds[0])
        return
    trees = trees_of(asked)
    models = asked.models.split(",")
    for world in asked.worlds:
        print(f"\n{world}: ms a page, median [10 % to 90 % of the pages]; " + ", ".join(trees))
        for model in models:
            print(f"| `{model}` | " + " | ".join(_page_cells(trees, model, world, asked.rounds)))
    print("\nstart: ms of CPU, MB in use; " + ", ".join(trees))
    for model in ("tfidf", *(each for each in models if each != "tfidf")):
        print(f"| `{model}` | " + " | ".join(_start_cells(trees, model, asked.rounds)))


def _page_cells(trees: list[str], model: str, world: str, rounds: int) -> list[str]:
    found: dict[str, list[list[float]]] = {tree: [] for tree in trees}
    for _ in range(rounds):
        for tree in trees:
            found[tree].append(_run(tree, model, world))
    cells = []
    for tree in trees:
        least = np.min(found[tree], 0)
        cells.append("{1:.3f} [{0:.3f}, {2:.3f}]".format(*np.quantile(least, (0.1, 0.5, 0.9))))
    return cells


def _start_cells(trees: list[str], model: str, rounds: int) -> list[str]:
    found: dict[str, list[list[float]]] = {tree: [] for tree in trees}
    for _ in range(rounds):
        for tree in trees:
            found[tree].append(_run(tree, model, ":start"))
    return ["{:.0f} ms, {:.1f} MB".format(*np.min(found[tree], 0)) for tree in trees]


def _run(tree: str, model: str, world: str) -> list[float]:
    """Return the times that a fresh process measures with the package in `tree`."""
    times: list[float] = measured_in(tree, world, "--worker", model, OPENBLAS_NUM_THREADS="1")
    return times


def _work(model: str, world: str) -> None:
    from evocrawl.core.model import Content
    from evocrawl.relevance import create

    place, _, query = world.rpartition(":")
    if not place:
        create(model, "coral bleaching", "en")
        used = resource.getrusage(resource.RUSAGE_SELF)
        resident = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
        print(json.dumps([(used.ru_utime + used.ru_stime) * 1e3, resident / 1e6]))
        return
    made = create(model, query, "en")
    with gzip.open(place, "rt", encoding="utf-8") as lines:
        pages = [json.loads(line) for line in itertools.islice(lines, FIRST + MEASURED)]
    contents = [Content(page["title"], page["text"], "en") for page in pages]
    times = []
    for content in contents:
        started = time.process_time()
        made.page(content)
        times.append((time.process_time() - started) * 1e3)
    print(json.dumps(times[FIRST:]))


if __name__ == "__main__":
    main()
