"""Labelled worlds, and the scores of several relevance models for all their pages and topics."""

from __future__ import annotations

import csv
import gzip
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evocrawl.core.model import Content, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.relevance import create
from evocrawl.relevance.base import Relevance

Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]


@dataclass
class Judged:
    """One topic: the labels of a world's pages, and each model's scores of them.

    A score is NaN where the model cannot score the page.
    """

    split: str
    query: str
    labels: Labels
    idfs: list[float]
    scores: dict[str, Floats]

    def of(self, model: str) -> tuple[Floats, Labels]:
        """Return a model's scores of the pages that it can score, and their labels."""
        there = np.isfinite(self.scores[model])
        return self.scores[model][there], self.labels[there]


def pages_of(world: Path) -> tuple[list[Content], list[list[str]]]:
    """Return the contents and the topics of a world's pages."""
    with gzip.open(world, "rt", encoding="utf-8") as lines:
        rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    return [Content(row["title"], row["text"], "en") for row in rows], [
        row["topics"] for row in rows
    ]


def topics_of(table: Path) -> list[tuple[str, str, str]]:
    """Return split, topic and query of each line."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return [(row["split"], row["topic"], row["query"]) for row in rows]


CLASSIFIERS = {"classifier": (10, 40), "classifier, relevant examples alone": (10, 0)}
"""Relevant and irrelevant examples of a topic, drawn at random; at most half of the relevant."""
UNLABELLED = 100
"""Pages from which a classifier without irrelevant examples learns, as in a crawl."""


def judged(world: Path, table: Path, models: list[str]) -> list[Judged]:
    """Return the models' own scores, uncalibrated. A page is read once for all of them.

    A page that is an example of a classifier has no score by it.
    """
    contents, labels = pages_of(world)
    topics = topics_of(table)
    relevant = [np.array([_is_of(topic, each) for each in labels]) for _, topic, _ in topics]
    makers: list[list[Relevance]] = []
    examples: list[dict[str, NDArray[np.int64]]] = []
    for number, (_, _, query) in enumerate(topics):
        rng = np.random.default_rng(number)
        drawn = {name: _examples(relevant[number], name, rng) for name in models
                 if name in CLASSIFIERS}  # fmt: skip
        examples.append(drawn)
        makers.append([_classifier(query, contents, relevant[number], drawn[name], rng)
                       if name in drawn else create(name, query, "en", calibrated=False)
                       for name in models])  # fmt: skip
    scores = np.full((len(topics), len(models), len(contents)), np.nan)
    for page, content in enumerate(contents):
        for topic, row in enumerate(makers):
            for place, model in enumerate(row):
                score = getattr(model, "evidence", model.page)(content)
                if score is not None:
                    scores[topic, place, page] = score
    for topic, drawn in enumerate(examples):
        for name, places in drawn.items():
            scores[topic, models.index(name), places] = np.nan
    tfidf = [create("tfidf", query, "en", calibrated=False) for _, _, query in topics]
    return [
        Judged(
            split,
            query,
            relevant[place],
            [tfidf[place]._idf(term) for term in tfidf[place]._query],  # type: ignore[attr-defined]
            {name: scores[place, number] for number, name in enumerate(models)},
        )
        for place, (split, _, query) in enumerate(topics)
    ]


def _examples(labels: Labels, name: str, rng: np.random.Generator) -> NDArray[np.int64]:
    count, others = CLASSIFIERS[name]
    positive, negative = np.flatnonzero(labels), np.flatnonzero(~labels)
    some = rng.permutation(positive)[: min(count, len(positive) // 2)]
    return np.concatenate([some, rng.permutation(negative)[:others]])


def _classifier(
    query: str,
    contents: list[Content],
    labels: Labels,
    examples: NDArray[np.int64],
    rng: np.random.Generator,
) -> Relevance:
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        for place in examples:
            page = {"title": contents[place].title, "text": contents[place].text}
            file.write(json.dumps({**page, "label": int(labels[place])}) + "\n")
        file.flush()
        made = create("classifier", query, "en", examples=file.name, calibrated=False)
    if labels[examples].all():
        for place in rng.permutation(len(contents))[:UNLABELLED]:
            url = f"http://pages.test/{place}"
            made.observe(  # type: ignore[attr-defined]
                Page(url, fingerprint(url), 0.0, 0.0, content=contents[place])
            )
    return made


def _is_of(topic: str, topics: list[str]) -> bool:
    return any(each == topic or each.startswith(f"{topic}.") for each in topics)


def average_precision(scores: Floats, labels: Labels) -> float:
    """Return the average precision; ties keep the order of the world."""
    ranked = labels[np.argsort(-scores, kind="stable")]
    precision = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    return float(precision[ranked].mean())


def area(scores: Floats, labels: Labels) -> float:
    """Return the area under the ROC curve; a tie counts one half."""
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[group]
    positive, negative = labels.sum(), (~labels).sum()
    above = ranks[labels].sum() - positive * (positive + 1) / 2
    return float(above / (positive * negative))


def calibration_error(chances: Floats, labels: Labels, bins: int = 10) -> float:
    """Return the expected calibration error over `bins` bins of equal width."""
    place = np.minimum((chances * bins).astype(int), bins - 1)
    gaps = np.bincount(place, chances - labels, bins)
    return float(np.abs(gaps).sum() / len(labels))


def interval(values: list[float], seed: int = 0, draws: int = 2000) -> tuple[float, float, float]:
    """Return the mean over topics and its 95 % bootstrap interval."""
    rng = np.random.default_rng(seed)
    means = rng.choice(np.array(values), (draws, len(values))).mean(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(np.mean(values)), float(low), float(high)
