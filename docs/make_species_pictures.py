"""Draws the pictures of the species' pages: `python docs/make_species_pictures.py`.

Each is one simulation without network, always the same: the life of every agent, a row each, with
the relevant pages that it found, and the total energy of the population.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from html import escape
from pathlib import Path

from evocrawl.core.config.config import Config
from evocrawl.simulation.runner import AgentLifespan, Run, Step, run
from evocrawl.simulation.worlds.registry import open_world

FOLDER = Path(__file__).parent / "explanation"
_WIDTH, _LEFT, _TOP, _ROW, _ENERGY = 760, 60, 44, 5, 90
_COLOURS = ("#2f6f9f", "#b5651d", "#4f7f3f", "#8a4f7d", "#8f7a1f", "#3f7f7f")
_MOST_AGENTS = 90
_HUBS = 3


@dataclass(frozen=True, slots=True)
class Scene:
    """A simulation: a species in a world, from seeds or, without any, from its largest hubs."""

    species: str
    world: str
    seeds: tuple[str, ...]
    title: str
    options: dict[str, object]

    def config(self) -> Config:
        """Return its configuration, with what the species presets."""
        return Config.read({}, {"species": self.species, "seed": 1, **self.options})

    def run(self) -> Run:
        """Run it."""
        world = open_world(self.world)
        hubs = nlargest(_HUBS, world.documents(), key=lambda page: len(page.links))
        seeds = self.seeds or [hub.url for hub in hubs]
        return run(
            world, Config.read({}, {"species": self.species, "seed": 1, **self.options}), seeds
        )


SQLITE = ("http://www.sqlite.org/",)
QUERY = "database transaction rollback commit"
SITES = "sites:sites=60,seed=3,semantic=0.2"
SCENES = (
    Scene("evo", "sqlite-docs", SQLITE, "SQLite’s documentation",
          {"query": QUERY, "max_requests": 150}),
    Scene("energy", "sqlite-docs", SQLITE, "SQLite’s documentation",
          {"query": QUERY, "max_requests": 150}),
    Scene("infospiders", "sqlite-docs",
          (*SQLITE, "http://www.sqlite.org/lang.html", "http://www.sqlite.org/docs.html"),
          "SQLite’s documentation", {"query": QUERY, "max_requests": 150}),
    Scene("biocrawler", SITES, (), "a made-up web of 60 sites", {"max_requests": 300}),
    Scene("weblog_reinforcement", "news:pages=1000,seed=3,latency_s=60,timeout_s=600", (),
          "a made-up web of news", {"max_requests": 400}),
)  # fmt: skip


def drawn(scene: Scene, made: Run) -> str:
    """Return the picture of a run."""
    lives = sorted(made.lives, key=lambda life: (life.born, life.agent))[:_MOST_AGENTS]
    cut = f" (the first {len(lives)} of {len(made.lives)})" if len(lives) < len(made.lives) else ""
    rows = {life.agent: number for number, life in enumerate(lives)}
    end = max(made.requests, 1)
    floor = _TOP + _ROW * len(lives) + 6
    height = floor + _ENERGY + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="12">',
        f"<title>{escape(scene.species)}: the life of each agent, and the energy</title>",
        f'<rect width="{_WIDTH}" height="{height}" rx="8" fill="#fff"/>',
        _text(_LEFT, 18, f"{scene.species}, {end} requests in {scene.title}", "#222"),
        _text(_LEFT, 34, f"a row is an agent{cut}, its colour that of its founder; "
              "a dot is a relevant page that it found", "#555"),
    ]  # fmt: skip
    founders = _founders(made.lives)
    for life in lives:
        parts.append(_bar(life, rows[life.agent], founders[life.agent], end))
    parts += _dots(made.steps, rows, scene.config().relevant_at, end)
    parts += _energy(made.steps, floor, end)
    return "\n".join([*parts, "</svg>", ""])


def _x(request: int, end: int) -> float:
    return round(_LEFT + (_WIDTH - _LEFT - 24) * request / end, 1)


def _text(x: float, y: float, words: str, fill: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" fill="{fill}" text-anchor="{anchor}">{escape(words)}</text>'


def _founders(lives: Sequence[AgentLifespan]) -> dict[int, int]:
    """Return the number of each agent's founder, from 0."""
    found: dict[int, int] = {}
    for life in sorted(lives, key=lambda life: life.agent):
        known = None if life.parent is None else found.get(life.parent)
        found[life.agent] = len(set(found.values())) if known is None else known
    return found


def _bar(life: AgentLifespan, row: int, founder: int, end: int) -> str:
    left, right = _x(life.born, end), _x(end if life.died is None else life.died, end)
    return (
        f'<rect x="{left}" y="{_TOP + _ROW * row}" width="{max(right - left, 1):.1f}" '
        f'height="{_ROW - 2}" fill="{_COLOURS[founder % len(_COLOURS)]}" fill-opacity="0.35"/>'
    )


def _dots(steps: Sequence[Step], rows: dict[int, int], bar: float, end: int) -> list[str]:
    return [
        f'<circle cx="{_x(step.request, end)}" cy="{_TOP + _ROW * rows[step.agent] + 2.5}" r="2.6" '
        'fill="#111"/>'
        for step in steps
        if step.relevance is not None and step.relevance >= bar and step.agent in rows
    ]


def _energy(steps: Sequence[Step], top: int, end: int) -> list[str]:
    """Return the curve of the total energy, with its greatest value, and the axis."""
    most = max((step.energy for step in steps), default=0.0)
    low = top + _ENERGY
    scale = (_ENERGY - 14) / most if most > 0 else 0.0
    points = " ".join(
        f"{_x(step.request, end)},{low - max(step.energy, 0.0) * scale:.1f}" for step in steps
    )
    return [
        f'<polyline points="{points}" fill="none" stroke="#2f6f9f" stroke-width="1.5"/>',
        f'<line x1="{_LEFT}" y1="{low}" x2="{_WIDTH - 24}" y2="{low}" stroke="#999"/>',
        _text(_LEFT - 6, top + 18, f"{most:.0f}", "#555", "end"),
        _text(_LEFT - 6, low, "0", "#555", "end"),
        _text(_LEFT, low + 18, "total energy of the agents", "#2f6f9f"),
        _text(_WIDTH - 24, low + 18, f"{end} requests", "#555", "end"),
    ]


def main() -> None:
    """Write each picture."""
    for scene in SCENES:
        path = FOLDER / f"lives-{scene.species.replace('_', '-')}.svg"
        path.write_text(drawn(scene, scene.run()), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
