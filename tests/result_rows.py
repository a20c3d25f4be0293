"""Rows like those of a run."""

from __future__ import annotations

from typing import Any

from evocrawl.simulation.evaluation.measures import Row


def row(species: str = "energy", topic: str | None = "A", seed: int = 0, **fields: Any) -> Row:
    """Return a run with every required field."""
    auc = fields.pop("auc", 0.5)
    return {
        "world": "w", "query": "q", "topic": topic, "species": species, "seed": seed,
        "budget": 10, "requests": 10, "relevant": 2, "harvest_rate": 0.2, "recall": 1.0,
        "recall_auc": auc, "stop_reason": "budget", "seconds": 0.1, "peak_rss_bytes": 1000,
        "start": "search", "pages": 10, "topic_pages": 2, "hits": [1, 5], "hit_pages": [1, 5],
        "life": [[1, 2, 1.5, 2, 0.0], [10, 4, 3.0, 6, 1.5]], "mean_bm25": 0.3,
        "trial": f"{species}{topic}{seed}",
    } | fields  # fmt: skip
