"""Measures what a better choice of links could bring at most, and where missed pages are.

    python benchmarks/peeking.py WORLD TOPICS [--split dev] [--start search far] [--runs 1]
        [--processes 2] [--out FILE]

Three species run on the same trials: `evo`; `peeking`, the same species that reads a linked page
before it pays for it; and `knowing`, which knows whether the linked page is on the topic's list. In
the place of the feature `near_query`, the last two have the log-odds of the page's relevance: by
the relevance model that judges the fetched pages too, or those of 0.993 and 0.007 by the list. No
crawler can do that: what `peeking` finds shows what a perfect reading of links could bring with
this relevance model, and what `knowing` finds, what a perfect choice of links could bring.

Prints for each species and start the mean recall_auc, the recall after T/2, T, 2T and 5T pages, T
being the number of relevant pages, and the paired difference; then where the relevant pages are
after T, 2T and 5T pages: fetched, linked from a fetched page, linked from other pages only, linked
from no page. Rows already in FILE (JSON lines) are not repeated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Set
from functools import cache, partial
from typing import Any

import numpy as np
from evo_ablation import difference
from evo_models import model_of
from trial_rows import Row, key, parser_of, run_trials

from evocrawl.core.model import Fingerprint, Page
from evocrawl.simulation.laboratory import Laboratory
from evocrawl.simulation.trials import Trial, read_topics, trials_of
from evocrawl.simulation.worlds.base import Document
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.species import SPECIES, Species, SpeciesContext, evo_with
from evocrawl.species.evo.link_model import FEATURES, LinkModel
from evocrawl.species.evo.link_model.evidence import Rows
from evocrawl.species.evo.link_model.features import Matrix

BUDGETS = (1, 2, 5)
_RECALLS = ("recall_at_T/2", "recall_at_T", "recall_at_2T", "recall_at_5T")
_PLACES = ("fetched", "linked from a fetched page", "linked from others only", "linked from none")
Opinion = Callable[[Fingerprint], float]
_AT = FEATURES.index("near_query")
_LEAST, _LONGEST = 0.005, 5.0


class RecordingModel(LinkModel):
    """The model of `evo`, which also notes the pages in their order, with the pages they link to.

    With `opinion`, which returns the probability that a linked page is relevant, its log-odds are
    the link's feature `near_query`.
    """

    latest: RecordingModel

    def __init__(
        self,
        *parts: Any,
        opinion: Opinion | None = None,
        **more: Any,
    ) -> None:
        super().__init__(*parts, **more)
        self.fetched: dict[Fingerprint, set[Fingerprint]] = {}
        self._opinion = opinion
        self._target_of: dict[int, Fingerprint] = {}
        self._log_odds: dict[int, float] = {}
        RecordingModel.latest = self

    def observe_page(self, page: Page, row: int | None) -> dict[Fingerprint, int]:
        """Learn from a page, and note it."""
        rows = super().observe_page(page, row)
        self.fetched.setdefault(page.fingerprint, set()).update(rows)
        self._target_of.update(zip(rows.values(), rows, strict=True))
        return rows

    def features(self, rows: Rows) -> Matrix:
        """Return the features of targets, which may include an opinion about unread pages."""
        features = super().features(rows)
        if self._opinion is not None:
            log_odds = [self._relevance(row, self._opinion) for row in rows.tolist()]
            features[:, _AT] = np.array(log_odds) / self.mean[_AT]
        return features

    def _relevance(self, row: int, opinion: Opinion) -> float:
        known = self._log_odds.get(row)
        if known is None:
            p = min(max(opinion(self._target_of[row]), _LEAST), 1 - _LEAST)
            known = float(np.clip(np.log(p / (1 - p)), -_LONGEST, _LONGEST))
            self._log_odds[row] = known
        return known


def made(have: SpeciesContext, opinion: Opinion | None) -> Species:
    """Return `evo` with the model that notes pages."""
    model = model_of(have, kind=RecordingModel, opinion=opinion)
    return evo_with(have, model)


def judged(have: SpeciesContext, documents: dict[Fingerprint, Document]) -> Opinion:
    """Return the opinion of the relevance model about pages."""
    judge: Any = have.relevance

    def opinion(fingerprint: Fingerprint) -> float:
        document = documents.get(fingerprint)
        return 0.0 if document is None else judge.page(document.content(0.0))

    return opinion


@cache
def opened(world: str) -> tuple[Laboratory, dict[Fingerprint, set[Fingerprint]]]:
    """Return the laboratory of a world, and the pages that link to each page."""
    laboratory = Laboratory(open_world(world))
    documents = {each.fingerprint: each for each in laboratory.world.documents()}
    sources: dict[Fingerprint, set[Fingerprint]] = defaultdict(set)
    for document in documents.values():
        for link in document.links:
            if link.fingerprint != document.fingerprint:
                sources[link.fingerprint].add(document.fingerprint)

    SPECIES["evo"] = lambda have: made(have, None)
    SPECIES["peeking"] = lambda have: made(have, judged(have, documents))
    return laboratory, sources


def hold(trial: Trial, world: str) -> Row:
    """Run a trial and return its row, with the places of the relevant pages at each budget."""
    laboratory, sources = opened(world)
    relevant: Set[Fingerprint] = set(laboratory.world.about(trial.topic))
    SPECIES["knowing"] = lambda have: made(have, lambda each: float(each in relevant))
    row = laboratory.run(trial)
    kept = ("species", "topic", "start", "seed", "recall_auc", "oracle_auc", *_RECALLS)
    found = {name: row.get(name) for name in kept}
    pages = [*RecordingModel.latest.fetched.items()]
    for budget in BUDGETS:
        first = pages[: budget * len(relevant)]
        fetched = {page for page, _ in first}
        linked = {target for _, targets in first for target in targets} - fetched
        unlinked = {page for page in relevant - fetched - linked if not sources[page]}
        counts = (
            len(relevant & fetched),
            len(relevant & linked),
            len(relevant - fetched - linked - unlinked),
            len(unlinked),
        )
        found[f"places_{budget}"] = [count / len(relevant) for count in counts]
    return found


def table(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of each species and start."""
    by_trial = {key(row): row for row in rows}
    for name, start in dict.fromkeys((row["species"], row["start"]) for row in rows):
        own = [row for row in rows if (row["species"], row["start"]) == (name, start)]
        area, oracle = (
            np.mean([row[each] for row in own]) for each in ("recall_auc", "oracle_auc")
        )
        recalls = " ".join(f"{np.mean([row[each] or 0 for row in own]):.3f}" for each in _RECALLS)
        beside = difference(own, by_trial)
        yield f"{name:8} {start:6} {area:.3f} (oracle {oracle:.3f}) [{recalls}]  {beside}"
        for budget in BUDGETS:
            shares = np.mean([row[f"places_{budget}"] for row in own], axis=0)
            said = ", ".join(
                f"{share:.3f} {place}" for share, place in zip(shares, _PLACES, strict=True)
            )
            yield f"         after {budget}T: {said}"


def main() -> None:
    parser = parser_of(__doc__, "peeking.jsonl")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    topics = read_topics(given.topics, given.split)
    trials = trials_of(topics, ["evo", "peeking", "knowing"], given.start, range(given.runs))
    rows = run_trials(trials, partial(hold, world=given.world), given.processes, given.out)
    print(*table(rows), sep="\n")


if __name__ == "__main__":
    main()
