"""Fits evocrawl/relevance/calibration.json on labelled worlds, and shows how well it fits others.

    python benchmarks/calibration.py FIT.jsonl.gz TOPICS.tsv [--other WORLD TOPICS]… [--write]
        [--share 0.95] [--careful 1.5 0.5] [--tradeoff] [--no-classifier]

Logistic regression on all pages. The topics marked `dev` of the first world, each with one weight,
have the `--share` of the weight, and the other worlds (those of `archwiki_topics.py` and
`docs_topics.py`, each about one subject) have the rest, each world and each of its topics the same.
The error is reported on the topics fitted, on the first world's topics marked `check`, and on each
other world by a fit without it. The classifier is fitted on the first world alone, on topics with
and without irrelevant examples, on the pages that are none. The expected calibration error (ECE)
is given over all pages of a world, nearly all of which are far from the topic, and over `near`: the
5 T pages with the best chances, T of them relevant. `--tradeoff` shows the default mix with other
shares and other careful slopes.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

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
from evocrawl.core.config.config import Config
from evocrawl.relevance.mix_text import parse_mix

MODELS = ["tfidf", "bm25", "vectors", "opening"]
POWERS = {"tfidf": 0.5, "bm25": 0.5, "vectors": 1.0, "opening": 1.0}
BY_QUERY = {"tfidf", "bm25", "opening"}
Mixes = list[tuple[str, ...]]
MIXES: Mixes = [names for size in (2, 3, 4) for names in combinations(sorted(MODELS), size)]
WEIGHTS = {part.name: part.weight for part in parse_mix(Config().relevance)}
DEFAULT = tuple(sorted(WEIGHTS))
"""The default mix, which is fitted with its own weights; the others have equal ones."""
SHARE, CAREFUL = 0.95, (1.5, 0.5)
TARGET = Path(shipped.__file__).with_name("calibration.json")
COLUMNS = ("AP", "AUC", "ECE", "ECE near", "precision at 0.5", "recall at 0.5")


Webs = dict[str, list[Judged]]
Numbers = dict[str, Any]
Weighted = list[tuple[Judged, float]]


def weighted(first: list[Judged], others: Webs, share: float) -> Weighted:
    """Return the topics to fit: `share` of the weight on those of the first world."""
    webs = [(first, share if others else 1.0)]
    webs += [(topics, (1 - share) / len(others)) for topics in others.values()]
    return [(each, part / len(topics) / each.labels.sum()) for topics, part in webs
            for each in topics]  # fmt: skip


def fit(topics: Weighted, mixes: Mixes) -> Numbers:
    """Return the numbers of each model that compares words, and of mixes of them."""
    numbers: Numbers = {"models": {}, "mixes": {}}
    for name in MODELS:
        columns = [
            np.stack([_powered(each.scores[name], name), *_query(each, name)], 1)
            for each, _ in topics
        ]
        offset, weights = _regression(columns, topics)
        numbers["models"][name] = _calibration(name, offset, weights)
    for name in (*MODELS, "recency"):
        numbers["mixes"][name] = {"offset": 0.0, "slope": 1.0}
    for names in mixes:
        means = [_mean_log_odds(each, names, numbers)[:, None] for each, _ in topics]
        offset, weights = _regression(means, topics)
        numbers["mixes"]["+".join(names)] = {"offset": offset, "slope": weights[0]}
    return numbers


def fit_classifier(topics: list[Judged]) -> dict[str, float]:
    """Return the numbers of the classifier."""
    both = [each.of(name) for name in CLASSIFIERS for each in topics]
    xs, ys = np.concatenate([xs for xs, _ in both]), np.concatenate([ys for _, ys in both])
    weights = np.concatenate([np.full(len(y), 1 / y.sum()) for _, y in both])
    offset, slopes = _logistic(xs[:, None], ys, weights)
    return _calibration("classifier", offset, slopes)


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


def _regression(columns: list[Floats], topics: Weighted) -> tuple[float, list[float]]:
    labels = np.concatenate([each.labels for each, _ in topics])
    weights = np.concatenate([np.full(len(each.labels), weight) for each, weight in topics])
    return _logistic(np.concatenate(columns), labels, weights)


def _logistic(xs: Floats, labels: Labels, weights: Floats) -> tuple[float, list[float]]:
    model = LogisticRegression(C=1e3, max_iter=2000)
    model.fit(xs, labels, weights * len(weights) / weights.sum())
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
    weights = [WEIGHTS[name] for name in names] if names == DEFAULT else None
    mean: Floats = np.average([_log_odds(topic, name, numbers) for name in names], 0, weights)
    return mean


def chances(topic: Judged, mix: str, numbers: Numbers) -> tuple[Floats, Labels]:
    """Return the chances of pages by a model, or by a mix with equal weights, and their labels."""
    names = tuple(sorted(mix.split("+")))
    if mix in CLASSIFIERS:
        scores, labels = topic.of(mix)
        own = numbers["models"]["classifier"]
        return _chance(own["offset"] + own["slope"] * scores), labels
    pool = numbers["mixes"]["+".join(names)]
    log_odds = pool["offset"] + pool["slope"] * _mean_log_odds(topic, names, numbers)
    careful = numbers["careful"]
    slopes = np.where(log_odds > 0, careful["above"], careful["below"])
    return _chance(log_odds * slopes), topic.labels


def _chance(log_odds: Floats) -> Floats:
    found: Floats = 0.5 + 0.5 * np.tanh(0.5 * log_odds)
    return found


@dataclass
class Group:
    """Topics with the numbers by which they are judged, none of which was fitted on a web of it."""

    name: str
    topics: list[tuple[Judged, Numbers]]


def table(groups: list[Group], mixes: list[str]) -> None:
    """Print the quality of models and mixes: means over topics, with 95 % intervals."""
    print("| model | topics | " + " | ".join(COLUMNS) + " |")
    print("| --- | --- |" + " --- |" * len(COLUMNS))
    for group in groups:
        for mix in mixes:
            rows = [_row(*chances(each, mix, numbers)) for each, numbers in group.topics]
            cells = ["{:.3f} [{:.3f}, {:.3f}]".format(*interval([row[place] for row in rows]))
                     for place in range(len(COLUMNS))]  # fmt: skip
            print(f"| `{mix}` | {group.name} | " + " | ".join(cells) + " |", flush=True)


def reliability(groups: list[Group], mix: str) -> None:
    """Print how often pages of a chance are relevant, in ten bins."""
    for group in groups:
        print(f"\nreliability of {mix}, {group.name}: chance, share relevant, pages")
        both = [chances(topic, mix, numbers) for topic, numbers in group.topics]
        found, labels = (np.concatenate(each) for each in zip(*both, strict=True))
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


@dataclass
class Worlds:
    """The judged topics of the world that is fitted and kept back by topic, and of other webs."""

    fitted: list[Judged]
    kept_back: list[Judged]
    others: Webs
    classifier: dict[str, float]
    careful: dict[str, float]

    def numbers(self, share: float, without: str = "", mixes: Mixes = MIXES) -> Numbers:
        """Return the fit on all webs but one."""
        others = {web: topics for web, topics in self.others.items() if web != without}
        numbers = fit(weighted(self.fitted, others, share), mixes)
        numbers["models"]["classifier"] = self.classifier
        return numbers | {"careful": self.careful}

    def groups(self, share: float, mixes: Mixes = MIXES) -> list[Group]:
        """Return the groups of topics: each other web by a fit without it, and all of these."""
        whole = self.numbers(share, "", mixes)
        found = [Group("fitted", [(each, whole) for each in self.fitted]),
                 Group("kept back", [(each, whole) for each in self.kept_back])]  # fmt: skip
        for web, topics in self.others.items():
            numbers = self.numbers(share, web, mixes)
            found.append(Group(web, [(each, numbers) for each in topics]))
        if self.others:
            rest = [each for group in found[2:] for each in group.topics]
            found.append(Group("other webs", rest))
        return found


def tradeoff(worlds: Worlds) -> None:
    """Print what the share of the first world and the careful slopes do to the default mix."""
    print("| share | below, above | topics | " + " | ".join(COLUMNS) + " |")
    for share in (1.0, 0.98, 0.95, 0.9, 0.6):
        groups = worlds.groups(share, [DEFAULT])
        for below, above in ((1.0, 1.0), (1.0, 0.5), (1.25, 0.5), (1.5, 0.5), (2.0, 0.5)):
            careful = {"careful": {"below": below, "above": above}}
            for group in (each for each in groups if each.name in ("kept back", "other webs")):
                rows = [_row(*chances(topic, "+".join(DEFAULT), numbers | careful))
                        for topic, numbers in group.topics]  # fmt: skip
                cells = " | ".join(f"{each:.3f}" for each in np.mean(rows, 0))
                print(f"| {share} | {below}, {above} | {group.name} | {cells} |", flush=True)


def worlds_of(asked: argparse.Namespace) -> Worlds:
    """Return the judged topics of all worlds."""
    more = [] if asked.no_classifier else [*CLASSIFIERS]
    first = judged(asked.world, asked.topics, [*MODELS, *more])
    fitted, kept_back = (
        [each for each in first if each.split == split] for split in ("dev", "check")
    )
    others = {world.name.partition(".")[0]: judged(world, names, [*MODELS, *more])
              for world, names in asked.other}  # fmt: skip
    shipped_one = json.loads(TARGET.read_text())["models"]["classifier"]
    classifier = shipped_one if asked.no_classifier else fit_classifier(fitted)
    careful = dict(zip(("below", "above"), asked.careful, strict=True))
    return Worlds(fitted, kept_back, others, classifier, careful)


def main() -> None:
    """Fit, print the tables, and write the numbers if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world", type=Path)
    parser.add_argument("topics", type=Path)
    parser.add_argument("--other", nargs=2, action="append", default=[], type=Path)
    parser.add_argument("--share", type=float, default=SHARE)
    parser.add_argument("--careful", nargs=2, type=float, default=CAREFUL)
    parser.add_argument("--tradeoff", action="store_true", help="also of other shares and slopes")
    parser.add_argument("--no-classifier", action="store_true", help="keep its shipped numbers")
    parser.add_argument("--write", action="store_true", help="write calibration.json")
    asked = parser.parse_args()
    worlds = worlds_of(asked)
    groups = worlds.groups(asked.share)
    classifiers = [] if asked.no_classifier else [*CLASSIFIERS]
    table(groups, [*MODELS, *classifiers, *map("+".join, MIXES)])
    for mix in ("tfidf", "+".join(DEFAULT), *classifiers):
        reliability(groups, mix)
    if asked.tradeoff:
        tradeoff(worlds)
    numbers = worlds.numbers(asked.share)
    print(json.dumps(numbers))
    if asked.write:
        TARGET.write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
