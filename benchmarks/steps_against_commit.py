"""Compares the time to choose and settle with that of another commit, on the same web in turns.

    git worktree add /tmp/other COMMIT
    cd /tmp/other && uv venv && uv pip install -e .
    python benchmarks/steps_against_commit.py /tmp/other [--species evo] [--known 100000]
                                              [--laid-links 300] [--rounds 8] [--steps 100]

A process of each checkout, with the Python of its own `.venv`, lays the web of `memory.py` up to
`--known` addresses and begins to crawl. Then the two take turns of `--steps` visits; the one that
comes first alternates. Times are processor times of `choose` and `settle`, in milliseconds a visit:
medians over the rounds of each round's mean and median, and of the ratios of each pair. A shared
machine disturbs both processes of a pair alike. The script fails if the two choose differently.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from time import process_time

ROOT = Path(__file__).resolve().parent.parent
_CRAWLED = 1000
"""Visits between the laid web and the first turn."""

Round = tuple[float, float, float, float]
"""Mean and median of choose, then those of settle, in milliseconds."""
_NAMES = ("choose, mean", "choose, median", "settle, mean", "settle, median")


def serve(species: str, known: int, laid_links: int) -> None:
    """Crawl as many visits as each line of the input says; print their times and choices."""
    # This checkout's web for both: it is beside this file, which comes first on the path.
    from memory import _NEW, Web, assembly_of, crawl, lay

    from evocrawl.core.model import Cost, Fetched

    web, assembly = Web(), assembly_of(species)
    population = assembly.population
    population.place(web.seeds())
    lay(web, assembly, known - _CRAWLED * _NEW, laid_links)
    crawl(web, assembly, known)
    print("ready", flush=True)
    for line in sys.stdin:
        chosen, settled, choices = list[float](), list[float](), sha256()
        for _ in range(int(line)):
            began = process_time()
            visit = population.choose(0.0)
            chosen.append(1e3 * (process_time() - began))
            assert visit is not None
            choices.update(visit.lead.fingerprint)
            page = web.page(visit.lead.url, population.price(web.rng.random() ** 4))
            began = process_time()
            population.settle(visit.id, Fetched(page, Cost()))
            settled.append(1e3 * (process_time() - began))
        times = [each(part) for part in (chosen, settled)
                 for each in (statistics.mean, statistics.median)]  # fmt: skip
        print(*times, choices.hexdigest(), flush=True)


class Crawler:
    """The process of one checkout."""

    def __init__(self, checkout: Path, arguments: list[str]) -> None:
        self._process = subprocess.Popen(
            [checkout / ".venv/bin/python", __file__, str(checkout), "--here", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(checkout)},
        )
        self.ask("")

    def ask(self, line: str) -> list[str]:
        """Return the words of the answer; without a line, wait until the web is laid."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if line:
            print(line, file=self._process.stdin, flush=True)
        return self._process.stdout.readline().split()

    def end(self) -> None:
        """Let the process end."""
        self._process.communicate("")


def compare(crawlers: list[Crawler], rounds: int, steps: int) -> list[tuple[Round, ...]]:
    """Return the times of each round, those of the first crawler first."""
    pairs = list[tuple[Round, ...]]()
    for number in range(rounds):
        order = crawlers if number % 2 else crawlers[::-1]
        answers = {id(each): each.ask(str(steps)) for each in order}
        pair = [answers[id(each)] for each in crawlers]
        if len({choices for *_, choices in pair}) > 1:
            sys.exit(f"the two choose differently in round {number}")
        first, second = ((float(a), float(b), float(c), float(d)) for a, b, c, d, _ in pair)
        pairs.append((first, second))
    return pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("other", type=Path, help="folder of the other checkout, with its .venv")
    parser.add_argument("--species", default="evo")
    parser.add_argument("--known", type=int, default=100_000)
    parser.add_argument("--laid-links", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--here", action="store_true", help="crawl in this process")
    given = parser.parse_args()
    if given.here:
        serve(given.species, given.known, given.laid_links)
        return
    arguments = ["--species", given.species, "--known", str(given.known), "--laid-links",
                 str(given.laid_links)]  # fmt: skip
    crawlers = [Crawler(checkout, arguments) for checkout in (ROOT, given.other.resolve())]
    pairs = compare(crawlers, given.rounds, given.steps)
    for crawler in crawlers:
        crawler.end()
    print("| ms a visit | this | other | ratio, paired |\n| --- | ---: | ---: | ---: |")
    for at, name in enumerate(_NAMES):
        this, other = ([each[at] for each in rounds] for rounds in zip(*pairs, strict=True))
        ratio = statistics.median(a / b for a, b in zip(this, other, strict=True))
        print(f"| {name} | {statistics.median(this):.2f} | {statistics.median(other):.2f} "
              f"| {ratio:.3f} |")  # fmt: skip
    ratio = statistics.median((a[0] + a[2]) / (b[0] + b[2]) for a, b in pairs)
    print(f"| together, mean | | | {ratio:.3f} |")


if __name__ == "__main__":
    main()
