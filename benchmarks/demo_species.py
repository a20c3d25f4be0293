"""Species on the documentation web at one budget, over several seeds of the generator.

    python benchmarks/demo_species.py [--species energy best_first breadth_first] [--seeds 5]

Each row is a live crawl over loopback HTTP, as `make crawl` does it: relevant pages by the
relevance model, pages on topic by the term rule of `demo.survey`, which no crawl sees, and both
for each request made. `--set NAME=VALUE` passes an option on (``--set cost=0.5``).
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from demo import crawl  # noqa: E402 - the path comes first
from demo.debian_web import open_web, proxy_for  # noqa: E402
from demo.summary import load  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--species", nargs="+", default=["energy", "best_first", "breadth_first"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--max-requests", type=int, default=crawl.MAX_REQUESTS)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    given = parser.parse_args()
    settings = {**crawl.LOOPBACK, "EVOCRAWL_PROGRESS_S": "0"}
    settings |= {
        f"EVOCRAWL_{n.upper()}": v for n, _, v in (each.partition("=") for each in given.set)
    }
    with proxy_for(open_web()) as proxy:
        environment = crawl._through(proxy.url)
        for species in given.species:
            job = crawl.Job(crawl.QUERY, crawl.SEEDS, given.max_requests, species, 0, settings)
            rows = []
            for seed in range(1, given.seeds + 1):
                with tempfile.TemporaryDirectory() as folder:
                    command = replace(job, seed=seed).command(Path(folder))
                    subprocess.run(command, env=environment, cwd=ROOT, check=True)
                    result = load(
                        species, Path(folder) / "pages.jsonl", Path(folder) / "stats.json"
                    )
                requests = result.stats["evocrawl/requests"]
                relevant = result.stats["evocrawl/relevant_pages"]
                rows.append((relevant / requests, result.on_topic / requests))
                print(f"{species:16} seed {seed}: {requests} requests, {relevant} relevant, "
                      f"{result.on_topic} on topic", flush=True)  # fmt: skip
            harvest, topical = ([row[i] for row in rows] for i in (0, 1))
            print(f"{species:16} harvest rate {statistics.mean(harvest):.4f} "
                  f"({min(harvest):.4f} to {max(harvest):.4f}), on topic a request "
                  f"{statistics.mean(topical):.4f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
