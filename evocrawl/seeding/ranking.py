"""Ranks seeds within a source and across sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from evocrawl.core.urls.identity import fingerprint
from evocrawl.core.urls.readable import readable
from evocrawl.seeding.base import Seed, Topic

_K = 60


def ranked(seeds: Iterable[Seed], most: int) -> list[Seed]:
    """Return the first `most` different seeds, with scores by their order: 1, 1/2, 1/3 …"""
    different = {fingerprint(each.url): each for each in reversed([*seeds])}
    best = [*reversed(different.values())][:most]
    return [replace(each, score=1 / rank) for rank, each in enumerate(best, 1)]


def by_words(seeds: Iterable[Seed], topic: Topic) -> list[Seed]:
    """Return seeds whose titles or addresses match the query first; newest first among equals."""
    dated = sorted(seeds, key=lambda each: each.changed_at, reverse=True)
    return sorted(dated, key=lambda each: -_match(each, topic))


def fused(lists: Sequence[Sequence[Seed]]) -> list[Seed]:
    """Return the seeds of several sources in one order, by reciprocal rank fusion.

    The score of a seed is Σ 1/(60 + rank) over the sources that have it (Cormack, Clarke & Büttcher
    2009), divided by that of a seed which is first in all of them.
    """
    scores: dict[bytes, float] = {}
    first: dict[bytes, Seed] = {}
    for seeds in lists:
        for rank, each in enumerate(seeds, 1):
            target = fingerprint(each.url)
            scores[target] = scores.get(target, 0.0) + 1 / (_K + rank)
            first.setdefault(target, each)
    best = max(len(lists), 1) / (_K + 1)
    order = sorted(scores, key=lambda target: -scores[target])
    return [replace(first[target], score=scores[target] / best) for target in order]


def _match(seed: Seed, topic: Topic) -> float:
    return topic.relevance.link(seed.title, readable(seed.url), topic.language)
