"""Fits evocrawl/relevance/calibration.json on labelled worlds, and shows how well it fits others.

    python benchmarks/calibration.py FIT.jsonl.gz TOPICS.tsv [--other WORLD TOPICS]… [--write]

The topics marked `dev` of the first world are fitted, all pages with one weight a topic, by
logistic regression; the error is reported on them, on its topics marked `check`, and on others.
The classifier is fitted on topics with and without irrelevant examples, on the pages that are none.
The expected calibration error (ECE) is given over all pages of a world, nearly all of which are
far from the topic, and over `near`: the 5 T pages with the best chances, T of them relevant.
"""

from __future__ import annotations

import argparse
import json
from itertools import combinations
from pathlib import Path

import numpy as np
from labelled_pages import (
    CLASSIFIERS,
    Floats,
    Judged,
    Labels,
    area,
    average_precision,
    calibration_error,
    interval,
    judged,
)
from sklearn.linear_model import LogisticRegression

import evocrawl.relevance.calibration as shipped

MODELS = ["tfidf", "bm25", "vectors"]
POWERS = {"tfidf": 0.5, "bm25": 0.5, "vectors": 1.0}
BY_QUERY = {"tfidf", "bm25"}
MIXES = [names for size in (2, 3) for names in combinations(sorted(MODELS), size)]
TARGET = Path(shipped.__file__).with_name("calibration.json")
RIDGE = 1.0


Numbers = dict[str, dict[str, dict[str, float]]]


def fit(topics: list[Judged]) -> Numbers:
    """Return the numbers of each model, and of each mix of them."""
    numbers: Numbers = {"models": {}, "mixes": {}}
    for name in MODELS:
        columns = [
            np.stack([_powered(each.scores[name], name), *_query(each, name)], 1) for each in topics
        ]
        offset, weights = _regression(columns, [each.labels for each in topics])
        numbers["models"][name] = _calibration(name, offset, weights)
    both = [each.of(name) for name in CLASSIFIERS for each in topics]
    offset, weights = _regression([scores[:, None] for scores, _ in both], [y for _, y in both])
    numbers["models"]["classifier"] = _calibration("classifier", offset, weights)
    for names in MIXES:
        means = [_mean_log_odds(each, names, numbers)[:, None] for each in topics]
        offset, weights = _regression(means, [each.labels for each in topics])
        numbers["mixes"]["+".join(names)] = {"offset": offset, "slope": weights[0]}
    return numbers


def _calibration(name: str, offset: float, weights: list[float]) -> dict[str, float]:
    terms, idf = weights[1:] if name in BY_QUERY else (0.0, 0.0)
    power = POWERS.get(name, 1.0)
    return {"offset": offset, "slope": weights[0], "power": power, "terms": terms, "idf": idf}


def _powered(scores: Floats, name: str) -> Floats:
    scores = np.nan_to_num(scores)
    return scores if POWERS[name] == 1 else np.maximum(scores, 0) ** POWERS[name]


def _query(topic: Judged, name: str) -> list[Floats]:
    if name not in BY_QUERY:
        return []
    ones = np.ones(len(topic.labels))
    return [ones * np.log(len(topic.idfs)), ones * (np.mean(topic.idfs) - 7)]


def _regression(columns: list[Floats], labels: list[Labels]) -> tuple[float, list[float]]:
    xs, ys = np.concatenate(columns), np.concatenate(labels)
    weights = np.concatenate([np.full(len(each), 1 / each.sum()) for each in labels])
    model = LogisticRegression(C=1e3 / RIDGE, max_iter=2000)
    model.fit(xs, ys, weights * len(weights) / weights.sum())
    return round(float(model.intercept_[0]), 3), [round(float(each), 3) for each in model.coef_[0]]


def _log_odds(topic: Judged, name: str, numbers: Numbers) -> Floats:
    own = numbers["models"][name]
    log_odds: Floats = (
        own["offset"]
        + own["slope"] * _powered(topic.scores[name], name)
        + own["terms"] * np.log(len(topic.idfs))
        + own["idf"] * (np.mean(topic.idfs) - 7)
    )
    return log_odds


def _mean_log_odds(topic: Judged, names: tuple[str, ...], numbers: Numbers) -> Floats:
    mean: Floats = np.mean([_log_odds(topic, name, numbers) for name in names], 0)
    return mean


def chances(topic: Judged, mix: str, numbers: Numbers) -> tuple[Floats, Labels]:
    """Return the chances of pages by a model, or by a mix with equal weights, and their labels."""
    names = tuple(sorted(mix.split("+")))
    if mix in CLASSIFIERS:
        scores, labels = topic.of(mix)
        own = numbers["models"]["classifier"]
        return _chance(own["offset"] + own["slope"] * scores), labels
    log_odds = _mean_log_odds(topic, names, numbers)
    if len(names) > 1:
        pool = numbers["mixes"]["+".join(names)]
        log_odds = pool["offset"] + pool["slope"] * log_odds
    return _chance(log_odds), topic.labels


def _chance(log_odds: Floats) -> Floats:
    found: Floats = 0.5 + 0.5 * np.tanh(0.5 * log_odds)
    return found


COLUMNS = ("AP", "AUC", "ECE", "ECE near", "precision at 0.5", "recall at 0.5")


def table(groups: dict[str, list[Judged]], mixes: list[str], numbers: Numbers) -> None:
    """Print the quality of models and mixes: means over topics, with 95 % intervals."""
    print("| model | topics | " + " | ".join(COLUMNS) + " |")
    print("| --- | --- |" + " --- |" * len(COLUMNS))
    for group, topics in groups.items():
        for mix in mixes:
            rows = [_row(*chances(each, mix, numbers)) for each in topics]
            cells = ["{:.3f} [{:.3f}, {:.3f}]".format(*interval([row[place] for row in rows]))
                     for place in range(len(COLUMNS))]  # fmt: skip
            print(f"| `{mix}` | {group} | " + " | ".join(cells) + " |", flush=True)


def reliability(groups: dict[str, list[Judged]], mix: str, numbers: Numbers) -> None:
    """Print how often pages of a chance are relevant, in ten bins."""
    for group, topics in groups.items():
        print(f"\nreliability of {mix}, {group}: chance, share relevant, pages")
        found, labels = (
            np.concatenate(each)
            for each in zip(*(chances(topic, mix, numbers) for topic in topics), strict=True)
        )
        place = np.minimum((found * 10).astype(int), 9)
        for low in range(10):
            here = place == low
            if here.any():
                print(f"| {low / 10:.1f} to {low / 10 + 0.1:.1f} | {found[here].mean():.3f} |"
                      f" {labels[here].mean():.3f} | {here.sum()} |")  # fmt: skip


def _row(found: Floats, labels: Labels) -> list[float]:
    """Return the numbers of `COLUMNS` for one topic."""
    near = np.argsort(-found, kind="stable")[: 5 * labels.sum()]
    positive = found >= shipped.THRESHOLD
    hits = (positive & labels).sum()
    return [
        average_precision(found, labels),
        area(found, labels),
        calibration_error(found, labels),
        calibration_error(found[near], labels[near]),
        hits / max(positive.sum(), 1),
        hits / labels.sum(),
    ]


def groups_of(
    world: Path, topics: Path, others: list[tuple[Path, Path]], models: list[str]
) -> dict[str, list[Judged]]:
    """Return the topics fitted, those kept back of the same world, and those of other worlds."""
    first = judged(world, topics, models)
    groups = {
        name: [each for each in first if each.split == split]
        for name, split in (("fitted", "dev"), ("kept back", "check"))
    }
    for other, names in others:
        groups[other.name.partition(".")[0]] = judged(other, names, models)
    return groups


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world", type=Path)
    parser.add_argument("topics", type=Path)
    parser.add_argument("--other", nargs=2, action="append", default=[], type=Path)
    parser.add_argument("--write", action="store_true", help="write calibration.json")
    asked = parser.parse_args()
    groups = groups_of(asked.world, asked.topics, asked.other, [*MODELS, *CLASSIFIERS])
    numbers = fit(groups["fitted"])
    table(groups, [*MODELS, *CLASSIFIERS, *map("+".join, MIXES)], numbers)
    for mix in ("tfidf", "tfidf+vectors", "bm25+vectors", *CLASSIFIERS):
        reliability(groups, mix, numbers)
    print(json.dumps(numbers))
    if asked.write:
        kept = {"one_subject": json.loads(TARGET.read_text())["one_subject"]}
        TARGET.write_text(json.dumps(numbers | kept, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
