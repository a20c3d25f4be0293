"""The link model of `evo` with other parts than the species has, for scripts that compare them."""

from __future__ import annotations

from typing import Any

import numpy as np

from evocrawl.relevance.vectors.model import query_vectors_of
from evocrawl.species import SpeciesContext
from evocrawl.species.evo.link_model import LinkModel, Tuning, prior
from evocrawl.species.evo.link_model.prior import Prior


def model_of(
    have: SpeciesContext,
    before: Prior | None = None,
    tuning: Tuning | None = None,
    kind: type[LinkModel] = LinkModel,
    **more: Any,
) -> Any:
    """Return a link model for a crawl, with the shipped prior and all parts unless given.

    `more` are further arguments of a `kind` of model.
    """
    shipped: Any = have.links()
    return kind(
        have.relevance.link,
        shipped._reader._hasher._reader,
        have.relevant_at,
        before or prior.shipped(),
        tuning or Tuning(),
        vectors=query_vectors_of(have.relevance),
        **more,
    )


def misleading(seed: int) -> Prior:
    """Return the shipped prior with the opposite sign of the weights of half of the features."""
    shipped = prior.shipped()
    mean = shipped.mean.copy()
    wrong = np.random.default_rng(seed).permutation(len(mean))[: len(mean) // 2]
    mean[wrong] *= -1
    return Prior(mean, shipped.precision)
