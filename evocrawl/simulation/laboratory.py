"""Runs trials in one world and measures them; caches what several trials share."""

from __future__ import annotations

import resource
import sys
from collections.abc import Collection
from functools import lru_cache
from typing import Protocol

import numpy as np

from evocrawl import relevance
from evocrawl.core.config.config import Config
from evocrawl.core.model import Fingerprint
from evocrawl.core.urls.identity import fingerprint
from evocrawl.simulation.evaluation import measures
from evocrawl.simulation.evaluation.duplicates import near_duplicate_groups
from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.newness import newness
from evocrawl.simulation.pace import ONE_AT_A_TIME, Pace
from evocrawl.simulation.runner import Run, run
from evocrawl.simulation.scoring import PageScorer, Witness
from evocrawl.simulation.trials import SEARCH_HITS, Trial, TrialError, budget_of, far_start
from evocrawl.simulation.worlds.base import World
from evocrawl.simulation.worlds.link_graph import WebGraph, reachable_oracle
from evocrawl.simulation.worlds.search import Index

UNSTEMMED = "zxx"
"""BCP 47 code for no language: words are compared as written."""

_KEPT_QUERIES = 4
_SAMPLES = 100
_FIRST_RELEVANT = (1, 5, 10)


class SearchableWorld(World, Protocol):
    """A world with a search engine."""

    def search(self, query: str, k: int) -> list[str]:
        """Return the URLs of the `k` best pages."""


class Laboratory:
    """One world with its link graph and a page scorer for each query, used for many trials."""

    def __init__(self, world: SearchableWorld, pace: Pace = ONE_AT_A_TIME) -> None:
        self.world = world
        self._pace = pace
        # Caches of the instance: a cached method would keep every laboratory in memory.
        self._scorer = lru_cache(_KEPT_QUERIES)(self._new_scorer)
        self._about = lru_cache(_KEPT_QUERIES)(self._new_about)
        self._groups = lru_cache(_KEPT_QUERIES)(self._new_groups)
        self._search = lru_cache(_KEPT_QUERIES)(world.search)
        self._graph = lru_cache(1)(lambda: WebGraph(world))
        self._index = lru_cache(1)(lambda: Index(world.documents(), UNSTEMMED))

    def run(self, trial: Trial) -> Row:
        """Run a trial and return its row.

        docs/explanation/measures.md describes the fields.

        Raises TrialError, SettingError or QueryError if the trial cannot be run.
        """
        relevant = self._about(trial.topic) if trial.topic else None
        budget = self._budget(trial, relevant)
        config = trial.config(budget)
        seeds = self._seeds(trial, relevant)
        wanted = relevance.Wanted.by(config)
        scorer = self._scorer(wanted)
        seen = Witness(scorer if scorer.is_fixed else self._new_scorer(wanted))
        done = run(
            self.world,
            config,
            seeds,
            concurrency=self._pace.concurrency,
            host_limit=self._pace.host_limit,
            relevant=relevant,
            scorer=seen,
        )
        row = self._identity(trial, budget, seeds) | _cost(done) | _curves(done)
        row |= newness(self.world, done, seen)
        if relevant is None:
            return row | self._by_scores(done, config) | _found(done, None, config.relevant_at)
        reachable = self._oracle(seeds, relevant, budget)
        row["oracle_auc"] = measures.recall_auc(reachable, budget, len(relevant))
        groups = self._groups(trial.topic)
        row["relevant_distinct"] = measures.distinct_pages(_fetched(done), groups)
        return row | _found(done, relevant, config.relevant_at)

    def _budget(self, trial: Trial, relevant: Collection[Fingerprint] | None) -> int:
        if trial.budget is not None:
            return trial.budget
        if relevant is None:
            raise TrialError(
                "a trial without a topic has no default budget: give the number of requests"
            )
        return budget_of(len(relevant), len(self.world))

    def _seeds(self, trial: Trial, relevant: Collection[Fingerprint] | None) -> tuple[str, ...]:
        if trial.start == "given":
            seeds = trial.seeds
        elif trial.start == "search":
            seeds = tuple(self._search(trial.query, trial.hits))
        elif relevant is None:
            raise TrialError("the start 'far' needs a topic: it is far from relevant pages")
        else:
            seeds = (far_start(self.world, self._graph(), relevant, trial.seed),)
        if not seeds:
            raise TrialError(
                f"no start: no page of {self.world.name} contains a word of {trial.query!r}"
            )
        return seeds

    def _identity(self, trial: Trial, budget: int, seeds: tuple[str, ...]) -> Row:
        return {
            "world": self.world.name,
            "query": trial.query,
            "topic": trial.topic or None,
            "start": _start_name(trial),
            "seeds": list(seeds),
            "species": trial.species,
            "seed": trial.seed,
            "settings": dict(trial.settings),
            "budget": budget,
            "concurrency": self._pace.concurrency,
            "host_delay_s": self._pace.host_delay_s,
        }

    def _oracle(
        self, seeds: tuple[str, ...], relevant: Collection[Fingerprint], budget: int
    ) -> list[int]:
        graph = self._graph()
        return reachable_oracle(
            graph, graph.numbers(relevant), graph.numbers(map(fingerprint, seeds)), budget
        )

    def _by_scores(self, done: Run, config: Config) -> Row:
        """Score the fetched pages with a model that no species uses, for trials without labels."""
        scores = self._index().scores(config.query)
        best = scores.max(initial=0.0)
        places = {fingerprint(url): place for place, url in enumerate(self._index().urls)}
        found = [scores[places[page]] for page in _fetched(done) if page in places]
        return {"mean_bm25": float(np.mean(found) / best) if found and best else 0.0}

    def _new_scorer(self, wanted: relevance.Wanted) -> PageScorer:
        return PageScorer(wanted.make())

    def _new_about(self, topic: str) -> frozenset[Fingerprint]:
        try:
            return frozenset(self.world.about(topic))
        except KeyError:
            raise TrialError(f"{self.world.name} has no topic {topic!r}") from None

    def _new_groups(self, topic: str) -> dict[Fingerprint, int]:
        about = self._about(topic)
        pages = [each for each in self.world.documents() if each.fingerprint in about]
        groups = near_duplicate_groups(each.text for each in pages)
        return {page.fingerprint: group for page, group in zip(pages, groups, strict=True)}


def _start_name(trial: Trial) -> str:
    """Return the name of the start; it contains the number of search results if not the default."""
    is_usual = trial.start != "search" or trial.hits == SEARCH_HITS
    return trial.start if is_usual else f"search {trial.hits}"


def _fetched(done: Run) -> list[Fingerprint]:
    return [step.fingerprint for step in done.steps if step.outcome == "fetched"]


def _found(done: Run, labels: Collection[Fingerprint] | None, relevant_at: float) -> Row:
    """Return measures of the found pages, by labels or else by the crawl's own scores."""
    pages = [step for step in done.steps if step.outcome == "fetched"]
    if labels is None:
        relevant = {each.fingerprint for each in pages if (each.relevance or 0) >= relevant_at}
    else:
        relevant = set(labels)
    hits = measures.hits_of(((each.request, each.fingerprint) for each in pages), relevant)
    hosts = measures.relevant_hosts(each.url for each in pages if each.fingerprint in relevant)
    row: Row = {
        "relevant": len(hits),
        "harvest_rate": measures.harvest_rate(hits, done.requests),
        "recall": None,
        "recall_auc": None,
        "precision": len(hits) / len(pages) if pages else 0.0,
        "mean_relevance": float(np.mean([each.relevance for each in pages])) if pages else 0.0,
        "relevant_hosts": hosts,
        "hits": hits,
        "hits_s": measures.hits_of(
            ((each.finished_at_s, each.fingerprint) for each in pages), relevant
        ),
        "hit_pages": [n for n, each in enumerate(pages, 1) if each.fingerprint in relevant],
    }
    for k in _FIRST_RELEVANT:
        row[f"requests_to_{k}"] = measures.requests_to(hits, k)
    if labels is not None and done.budget:
        row["topic_pages"] = len(labels)
        row["recall"] = measures.recall(hits, done.budget, len(labels))
        row["recall_auc"] = measures.recall_auc(hits, done.budget, len(labels))
        for name, b in measures.checkpoints(len(labels)).items():
            # Checkpoints after the budget have no value.
            seen = b <= done.budget
            row[f"recall_at_{name}"] = measures.recall(hits, b, len(labels)) if seen else None
            row[f"harvest_rate_at_{name}"] = measures.harvest_rate(hits, b) if seen else None
    return row


def _cost(done: Run) -> Row:
    stats = done.stats
    return {
        "requests": done.requests,
        "pages": stats["evocrawl/pages"],
        "dead": stats["evocrawl/visits/dead"],
        "refused": stats["evocrawl/visits/refused"],
        "unknown": sum(step.reason.startswith("unknown") for step in done.steps),
        "s_throughput": measures.s_throughput(stats["evocrawl/energy/in"], done.requests),
        "stop_reason": done.stop_reason,
        "seconds": round(done.seconds, 6),
        "cpu_seconds": round(done.cpu_s, 6),
        "cpu_seconds_by": {name: round(seconds, 6) for name, seconds in done.cpu_s_by.items()},
        "simulated_s": round(done.simulated_s, 6),
        "peak_rss_bytes": peak_rss_bytes(),
    }


def _curves(done: Run) -> Row:
    """Return population, energy and genealogy over the requests, at up to a hundred points.

    Each point is [requests, agents, energy, births so far, mean generation of the agents alive].
    """
    births = np.array([life.born for life in done.lives])
    deaths = np.array([np.inf if life.died is None else life.died for life in done.lives])
    generation: dict[int, int] = {}
    for life in done.lives:
        generation[life.agent] = 0 if life.parent is None else generation[life.parent] + 1
    generations = np.array([generation[life.agent] for life in done.lives])
    count = min(_SAMPLES, len(done.steps))
    points = []
    for number in np.unique(np.linspace(0, len(done.steps) - 1, count).astype(int)).tolist():
        step = done.steps[number]
        alive = (births <= step.request) & (deaths > step.request)
        mean = float(generations[alive].mean()) if alive.any() else 0.0
        born = int((births <= step.request).sum())
        points.append([step.request, step.agents, round(step.energy, 4), born, round(mean, 3)])
    return {"life": points}


def peak_rss_bytes() -> int:
    """Return the peak memory of this process so far, over all its runs, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
