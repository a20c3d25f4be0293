"""Compares the relevance models: quality of the ranking and of the chances, cost, memory.

    python benchmarks/relevance_models.py WORLD.jsonl.gz TOPICS.tsv [--other WORLD TOPICS]…
        [--cost QUERY]

For each model and mix with the shipped calibration: average precision (AP) and area under the ROC
curve (AUC) of the ranking of all pages, the expected calibration error (ECE) over all pages and
over the 5 T best of a topic with T relevant pages, precision and recall at the threshold. Means
over topics with 95 % bootstrap intervals over topics. `--cost` adds the table of
`benchmarks/relevance_cost.py` for one query over the same worlds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from calibration import MIXES, MODELS, TARGET, groups_of, table
from labelled_pages import CLASSIFIERS


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world", type=Path)
    parser.add_argument("topics", type=Path)
    parser.add_argument("--other", nargs=2, action="append", default=[], type=Path)
    parser.add_argument("--cost", default="", metavar="QUERY")
    asked = parser.parse_args()
    groups = groups_of(asked.world, asked.topics, asked.other, [*MODELS, *CLASSIFIERS])
    numbers = json.loads(TARGET.read_text(encoding="utf-8"))
    table(groups, [*MODELS, *map("+".join, MIXES), *CLASSIFIERS], numbers)
    if asked.cost:
        worlds = [asked.world, *(world for world, _ in asked.other)]
        script = Path(__file__).with_name("relevance_cost.py")
        places = [f"{world.resolve()}:{asked.cost}" for world in worlds]
        subprocess.run([sys.executable, script, *places], check=True)


if __name__ == "__main__":
    main()
