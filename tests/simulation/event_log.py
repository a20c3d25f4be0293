"""Event logs of short crawls, one line an event, for comparison with recorded ones.

``PYTHONPATH=tests python tests/simulation/event_log.py`` records them anew. A commit that does so
says which behaviour it changes: a change of names or of layout must not need it.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
from simulation_worlds import SmallWorld, url

from evocrawl.core.config.config import Config
from evocrawl.core.config.presets import SPECIES_PRESETS
from evocrawl.core.events import (
    Born,
    Came,
    Cloned,
    Died,
    DuplicateFound,
    Event,
    Fed,
    HeldBack,
    Laid,
    Left,
    Moved,
    Paid,
    VisitOpened,
    VisitSettled,
)
from evocrawl.core.model import Lead, Visit
from evocrawl.simulation.runner import run
from evocrawl.simulation.worlds.base import World
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.species import SPECIES

FOLDER = Path(__file__).parent / "recorded_events"
TAGS: Mapping[type, str] = {
    Born: "born",
    Came: "came",
    Cloned: "cloned",
    Died: "died",
    Fed: "fed",
    HeldBack: "held back",
    Laid: "laid",
    Left: "left",
    Moved: "moved",
    VisitOpened: "opened",
    Paid: "paid",
    DuplicateFound: "repeated",
    VisitSettled: "settled",
}
MADE_UP = {
    "sites": "sites:sites=12,pages_per_site=12,seed=5",
    "news": "news:pages=160,seed=2",
}
WORLDS = [*MADE_UP, "trap"]
QUERIES = {
    "sites": "silokus vokemum timefet",
    "news": "nigumum finidem lukanut",
    "trap": "coral bleaching",
}
CONCURRENCY = {"sites": 1, "news": 4, "trap": 2}
REQUESTS = 120
SPECIES_RECORDED = sorted({*SPECIES, "energy+infospiders"})


def worlds() -> dict[str, World]:
    """Open the worlds that are crawled."""
    return {**{name: open_world(spec) for name, spec in MADE_UP.items()}, "trap": with_calendar()}


def with_calendar() -> SmallWorld:
    """Make a web of pages on reefs and on bread, with a calendar without new words beside it."""
    rng = np.random.default_rng(3)
    pages = [url(str(number), number % 3) for number in range(40)]
    days = [url(f"calendar?day={number}", 1) for number in range(60)]
    links = {
        page: [*(pages[int(to)] for to in rng.integers(40, size=4)), days[0]] for page in pages
    }
    links |= {day: [after, pages[0]] for day, after in pairwise([*days, days[0]])}
    about = "coral bleaching reef heat algae polyp", "bread flour yeast oven crust dough"
    texts = {
        page: " ".join(rng.permutation(f"{about[rng.random() < 0.6]} {rng.integers(9**9)}".split()))
        for page in pages
    }
    texts |= dict.fromkeys(days, "calendar of events of the reef society " * 12)
    return SmallWorld(links, texts, {"reefs": [page for page in pages if "coral" in texts[page]]})


def log_of(world: World, name: str, species: str) -> list[str]:
    """Crawl `world` and return its events, one line each, with floats to the last bit."""
    options = {"query": QUERIES[name], "species": species, "max_requests": REQUESTS, "seed": 7}
    # The models and their own scores with which the events were recorded.
    own = {"relevance": SPECIES_PRESETS.get(species, {}).get("relevance", "tfidf")}
    config = Config.read({}, {**options, **own, "calibrated": False, "relevant_at": 0.05})
    topic = min(world.topics())
    seeds = [document.url for document in islice(world.documents(), 3)]
    lines: list[str] = []
    note: Callable[[Event], None] = lambda event: lines.append(line_of(event))  # noqa: E731
    run(
        world,
        config,
        seeds,
        concurrency=CONCURRENCY[name],
        relevant=world.about(topic),
        on_event=[note],
    )
    return lines


def line_of(event: Event) -> str:
    """Return an event as a tag and its values."""
    return " ".join([TAGS[type(event)], *_values(event)])


def _values(value: object) -> Iterator[str]:
    match value:
        case Visit():
            yield f"{value.id}:{value.agent}:{value.started_at_s.hex()}"
            yield from _values(value.lead)
        case Lead():
            yield f"{value.url}:{value.depth}:{float(value.score).hex()}:{value.anchor!r}"
        case bytes():
            yield value.hex()
        case float():
            yield value.hex()
        case _ if is_dataclass(value):
            for each in fields(value):
                yield from _values(getattr(value, each.name))
        case _:
            yield repr(value)


def recorded(world: str, species: str) -> list[str]:
    """Read a recorded log."""
    return gzip.decompress(_file(world, species).read_bytes()).decode().splitlines()


def record() -> None:
    """Write the log of every species in every world."""
    FOLDER.mkdir(exist_ok=True)
    for name, world in worlds().items():
        for species in SPECIES_RECORDED:
            text = "\n".join(log_of(world, name, species)) + "\n"
            packed = io.BytesIO()
            with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as file:
                file.write(text.encode())
            _file(name, species).write_bytes(packed.getvalue())


def _file(world: str, species: str) -> Path:
    return FOLDER / f"{world}-{species.replace('+', '-')}.txt.gz"


if __name__ == "__main__":
    record()
