"""Measures speed and ranking quality of a relevance model on a recorded world.

    python benchmarks/relevance.py WORLD.jsonl.gz TOPICS.tsv [--model tfidf] [--split dev]

The world has a JSON object on each line (url, title, text, links, topics; a topic's levels are
separated by dots), the topics file the columns split, topic, query. For each topic all pages are
ranked by relevance: AP is the average precision, AUC the chance that a page of the topic is above
another. `links` is the same for the links, labelled by the page they lead to. Times are CPU
microseconds.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evocrawl.core.model import Content
from evocrawl.relevance import create

Scores = NDArray[np.float64]
Labels = NDArray[np.bool_]
_START = "from evocrawl.relevance import create; create({model!r}, 'dinosaur fossil')"


def main() -> None:
    """Print a line for each topic, then the means."""
    arguments = _arguments()
    with gzip.open(arguments.world, "rt", encoding="utf-8") as lines:
        pages = [json.loads(line) for line in lines]
    with arguments.topics.open(encoding="utf-8", newline="") as table:
        topics = list(csv.DictReader(table, delimiter="\t"))
    print(f"start, imports included: {_start_seconds(arguments.model):.2f} s")
    header = ("AP", "AUC", "on topic", "others", "µs/page", "link AP", "link AUC", "µs/link")
    print(f"{'query':42}" + "".join(f"{name:>10}" for name in header))
    rows = [
        _measure(arguments.model, row["query"], row["topic"], pages, arguments.links)
        for row in topics
        if row["split"] == arguments.split
    ]
    _print("mean", np.mean(rows, axis=0).tolist())


def _measure(
    name: str, query: str, topic: str, pages: list[dict[str, Any]], with_links: int
) -> list[float]:
    model = create(name, query)
    labels = {page["url"]: _is_of(topic, page["topics"]) for page in pages}
    of_topic = np.array(list(labels.values()))
    started = time.process_time()
    scores = np.array([model.page(Content(page["title"], page["text"], "en")) for page in pages])
    page_us = (time.process_time() - started) / len(pages) * 1e6
    links = [link for page in pages[:: len(pages) // with_links] for link in page["links"]]
    started = time.process_time()
    link_scores = np.array([model.link(link["anchor"], link["context"]) for link in links])
    link_us = (time.process_time() - started) / len(links) * 1e6
    leads_to_topic = np.array([labels.get(link["url"], False) for link in links])
    row = [
        *_quality(scores, of_topic),
        float(np.median(scores[of_topic])),
        float(np.quantile(scores[~of_topic], 0.9)),
        page_us,
        *_quality(link_scores, leads_to_topic),
        link_us,
    ]
    _print(query, row)
    return row


def _is_of(topic: str, topics: list[str]) -> bool:
    return any(each == topic or each.startswith(f"{topic}.") for each in topics)


def _quality(scores: Scores, labels: Labels) -> tuple[float, float]:
    """Return average precision (ties in the order of the world) and area under the ROC curve."""
    ranked = labels[np.argsort(-scores, kind="stable")]
    precision = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[group]
    positive, negative = labels.sum(), (~labels).sum()
    above = ranks[labels].sum() - positive * (positive + 1) / 2
    return float(precision[ranked].mean()), float(above / (positive * negative))


def _start_seconds(model: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", _START.format(model=model)], check=True)
    return time.perf_counter() - started


def _print(name: str, row: list[float]) -> None:
    print(f"{name:42}" + "".join(f"{value:10.3f}" for value in row), flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world", type=Path)
    parser.add_argument("topics", type=Path)
    parser.add_argument("--model", default="tfidf")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--links", type=int, default=1000, help="pages whose links are scored")
    return parser.parse_args()


if __name__ == "__main__":
    main()
