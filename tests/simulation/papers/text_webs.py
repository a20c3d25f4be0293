"""A made-up web of texts, large enough for a small experiment."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from evocrawl.simulation.worlds.recorded import Recorded

QUERY = "coral reef"
TOPIC = "reefs"
_PAGES = 900
_WORDS = [
    "road",
    "bridge",
    "train",
    "canal",
    "harbour",
    "tower",
    "market",
    "garden",
    "river",
    "stone",
    "paint",
    "glass",
]


def text_web(folder: Path) -> Recorded:
    """Return pages on a ring with links mostly to near ones.

    A fifth, in a row, is about the query.
    """
    rng = np.random.default_rng(3)
    rows = []
    for number in range(_PAGES):
        about = number < _PAGES // 5
        words = [*rng.choice(_WORDS, 30), *(["coral", "reef"] * (int(rng.integers(1, 8)) * about))]
        near = (number + rng.integers(-40, 41, size=9)) % _PAGES
        links = [*near.tolist(), *rng.integers(_PAGES, size=2).tolist()]
        rows.append(
            {
                "url": f"http://h{number % 5}.test/{number}",
                "title": f"Page {number}",
                "text": " ".join(words),
                "lang": "en",
                "links": [
                    {
                        "url": f"http://h{each % 5}.test/{each}",
                        "anchor": "coral" if each < _PAGES // 5 and rng.random() < 0.5 else "more",
                        "context": "see more here",
                    }
                    for each in links
                ],
                "topics": [TOPIC] if about else [],
            }
        )
    path = folder / "text.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return Recorded.read(path)
