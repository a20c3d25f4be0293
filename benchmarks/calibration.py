"""Fits evocrawl/relevance/calibration.json on labelled worlds, and shows how well it fits others.

    python benchmarks/calibration.py FIT.jsonl.gz TOPICS.tsv [--other WORLD TOPICS]… [--write]

The topics marked `dev` of the first world are fitted, all pages with one weight a topic, by
logistic regression; the error is reported on them, on its topics marked `check`, and on others.
The expected calibration error (ECE) is given over all pages of a world, nearly all of which are
far from the topic, and over `near`: the 5 T pages with the best chances, T of them relevant.
"""

from __future__ import annotations

import argparse
import json
from itertools import combinations
from pathlib import Path

import numpy as np
from labelled_pages import Floats, Judged, average_precision, calibration_error, interval, judged
from sklearn.linear_model import LogisticRegression

import evocrawl.relevance.calibration as shipped

MODELS = ["tfidf", "bm25", "vectors"]
POWERS = {"tfidf": 0.5, "bm25": 0.5, "vectors": 1.0}
BY_QUERY = {"tfidf", "bm25"}
TARGET = Path(shipped.__file__).with_name("calibration.json")
RIDGE = 1.0


def fit(topics: list[Judged]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the numbers of each model, and of each mix of them."""
    numbers: dict[str, dict[str, dict[str, float]]] = {"models": {}, "mixes": {}}
    for name in MODELS:
        columns = [
            np.stack([_powered(each.scores[name], name), *_query(each, name)], 1) for each in topics
        ]
        offset, weights = _regression(columns, topics)
        terms, idf = weights[1:] if name in BY_QUERY else (0.0, 0.0)
        numbers["models"][name] = {
            "offset": offset, "slope": weights[0], "power": POWERS[name],
            "terms": terms, "idf": idf,
        }  # fmt: skip
    for size in (2, 3):
        for names in combinations(sorted(MODELS), size):
            means = [_mean_log_odds(each, names, numbers) for each in topics]
            offset, weights = _regression([mean[:, None] for mean in means], topics)
            numbers["mixes"]["+".join(names)] = {"offset": offset, "slope": weights[0]}
    return numbers


def _powered(scores: Floats, name: str) -> Floats:
    scores = np.nan_to_num(scores)
    return scores if POWERS[name] == 1 else np.maximum(scores, 0) ** POWERS[name]


def _query(topic: Judged, name: str) -> list[Floats]:
    if name not in BY_QUERY:
        return []
    ones = np.ones(len(topic.labels))
    return [ones * np.log(len(topic.idfs)), ones * (np.mean(topic.idfs) - 7)]


def _regression(columns: list[Floats], topics: list[Judged]) -> tuple[float, list[float]]:
    xs, ys = np.concatenate(columns), np.concatenate([each.labels for each in topics])
    weights = np.concatenate([np.full(len(each.labels), 1 / each.labels.sum()) for each in topics])
    model = LogisticRegression(C=1e3 / RIDGE, max_iter=2000)
    model.fit(xs, ys, weights * len(weights) / weights.sum())
    return round(float(model.intercept_[0]), 3), [round(float(each), 3) for each in model.coef_[0]]


def _log_odds(topic: Judged, name: str, numbers: dict[str, dict[str, dict[str, float]]]) -> Floats:
    own = numbers["models"][name]
    log_odds: Floats = (
        own["offset"]
        + own["slope"] * _powered(topic.scores[name], name)
        + own["terms"] * np.log(len(topic.idfs))
        + own["idf"] * (np.mean(topic.idfs) - 7)
    )
    return log_odds


def _mean_log_odds(
    topic: Judged, names: tuple[str, ...], numbers: dict[str, dict[str, dict[str, float]]]
) -> Floats:
    mean: Floats = np.mean([_log_odds(topic, name, numbers) for name in names], 0)
    return mean


def chances(
    topic: Judged, names: tuple[str, ...], numbers: dict[str, dict[str, dict[str, float]]]
) -> Floats:
    """Return the chances of all pages by one model or by a mix with equal weights."""
    log_odds = _mean_log_odds(topic, names, numbers)
    if len(names) > 1:
        pool = numbers["mixes"]["+".join(names)]
        log_odds = pool["offset"] + pool["slope"] * log_odds
    found: Floats = 0.5 + 0.5 * np.tanh(0.5 * log_odds)
    return found


def report(
    groups: dict[str, list[Judged]], numbers: dict[str, dict[str, dict[str, float]]]
) -> None:
    """Print the errors of each model and mix, and the reliability of the mixes."""
    for size in (1, 2, 3):
        for names in combinations(sorted(MODELS), size):
            for group, topics in groups.items():
                rows = [_row(chances(each, names, numbers), each) for each in topics]
                cells = ["{:.3f} [{:.3f}, {:.3f}]".format(*interval([row[place] for row in rows]))
                         for place in range(5)]  # fmt: skip
                print(f"| {'+'.join(names)} | {group} | " + " | ".join(cells) + " |", flush=True)
    for names in (("tfidf",), ("tfidf", "vectors"), ("bm25", "vectors")):
        for group, topics in groups.items():
            print(f"\nreliability of {'+'.join(names)}, {group}: chance, share relevant, pages")
            found = np.concatenate([chances(each, names, numbers) for each in topics])
            labels = np.concatenate([each.labels for each in topics])
            place = np.minimum((found * 10).astype(int), 9)
            for low in range(10):
                here = place == low
                if here.any():
                    print(f"| {low / 10:.1f} to {low / 10 + 0.1:.1f} | {found[here].mean():.3f} |"
                          f" {labels[here].mean():.3f} | {here.sum()} |")  # fmt: skip


def _row(found: Floats, topic: Judged) -> list[float]:
    """AP, ECE, ECE near the topic, precision and recall at the threshold."""
    labels = topic.labels
    near = np.argsort(-found, kind="stable")[: 5 * labels.sum()]
    positive = found >= shipped.THRESHOLD
    hits = (positive & labels).sum()
    return [
        average_precision(found, labels),
        calibration_error(found, labels),
        calibration_error(found[near], labels[near]),
        hits / max(positive.sum(), 1),
        hits / labels.sum(),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world", type=Path)
    parser.add_argument("topics", type=Path)
    parser.add_argument("--other", nargs=2, action="append", default=[], type=Path)
    parser.add_argument("--write", action="store_true", help="write calibration.json")
    asked = parser.parse_args()
    first = judged(asked.world, asked.topics, MODELS)
    groups = {split: [each for each in first if each.split == split] for split in ("dev", "check")}
    for world, topics in asked.other:
        groups[world.name.partition(".")[0]] = judged(world, topics, MODELS)
    numbers = fit(groups["dev"])
    print("| model | topics | AP | ECE | ECE near | precision at .5 | recall at .5 |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    report(groups, numbers)
    if asked.write:
        TARGET.write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
