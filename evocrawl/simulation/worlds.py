"""Worlds by name: a file, a folder, or a made-up world with its numbers."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from evocrawl.errors import SettingError
from evocrawl.simulation.answers import AnsweringWorld
from evocrawl.simulation.archwiki import read_history
from evocrawl.simulation.changing import Changing
from evocrawl.simulation.news import News, NewsPlan
from evocrawl.simulation.recorded import Recorded
from evocrawl.simulation.records import WorldError, read_lines
from evocrawl.simulation.sites import Sites, SitesPlan
from evocrawl.simulation.synthetic import Weather

KINDS = ("sites", "news")
_ENDINGS = ("", ".gz", ".zst")
_WEATHER = {field.name for field in fields(Weather)}


def open_world(spec: str | Path) -> AnsweringWorld:
    """Return the world that `spec` names.

    ===============================  ==========================================================
    spec                             world
    ===============================  ==========================================================
    a file                           `Recorded`
    a folder                         `Changing` when it has start.jsonl and changes.jsonl (with
                                     redirects.json, if there is one), else `Recorded` of its
                                     pages.jsonl; each may end in .gz or .zst
    ``sites:sites=100,seed=3``       `Sites`: fields of `SitesPlan` and `Weather`, and a seed
    ``news:pages=5000,seed=3``       `News`: fields of `NewsPlan` and `Weather`, and a seed;
                                     with ``rewired=1`` its links are drawn anew
    ===============================  ==========================================================

    Raises WorldError for a bad file, SettingError for a bad number, OSError for no file.

    >>> len(open_world("sites:sites=20,pages_per_site=1,forbidden=0.1"))
    18
    """
    kind, _, numbers = str(spec).partition(":")
    if kind in KINDS and not Path(spec).exists():
        return _make(kind, numbers)
    path = Path(spec)
    if not path.is_dir():
        return Recorded.read(path)
    start, changes = _find(path, "start"), _find(path, "changes")
    if start and changes:
        return _read_changing(path, start, changes)
    pages = _find(path, "pages") or start
    if pages is None:
        raise WorldError(path, 0, "", "there is no pages.jsonl, and no start.jsonl with changes")
    return Recorded.read(pages)


def _find(folder: Path, stem: str) -> Path | None:
    files = (folder / f"{stem}.jsonl{ending}" for ending in _ENDINGS)
    return next((file for file in files if file.is_file()), None)


def _read_changing(folder: Path, start: Path, changes: Path) -> Changing:
    """Read a changing world, the changes in whichever of the two formats they are."""
    first = next(iter(read_lines(changes)), (0, {}))[1]
    if "changes" not in first:
        return Changing.read(start, changes)
    redirects = folder / "redirects.json"
    history = read_history(changes, redirects if redirects.is_file() else None)
    return Changing(Recorded.read(start), history)


def _make(kind: str, numbers: str) -> AnsweringWorld:
    given = dict(part.partition("=")[::2] for part in numbers.split(",") if part)
    seed = _whole("seed", given.pop("seed", "0"))
    if kind == "sites":
        return Sites(_plan(SitesPlan, given), np.random.default_rng(seed))
    anew = _whole("rewired", given.pop("rewired", "0"))
    rng = np.random.default_rng(seed)
    world = News(_plan(NewsPlan, given), rng)
    return world.rewired(rng) if anew else world


def _plan(plan: type[Any], given: dict[str, str]) -> Any:
    """Return the plan with the fields given; those of its weather stand beside its own."""
    default = plan()
    own = {field.name for field in fields(plan)} - {"weather"}
    for name, value in given.items():
        if name not in own | _WEATHER:
            allowed = ", ".join(sorted({*own, *_WEATHER, "seed"}))
            raise SettingError("world", f"{name}={value}", allowed)
    weather = {field: getattr(default.weather, field) for field in _WEATHER}
    weather |= {n: _number(n, v, weather[n]) for n, v in given.items() if n in _WEATHER}
    values = {n: _number(n, v, getattr(default, n)) for n, v in given.items() if n in own}
    try:
        return plan(**values, weather=Weather(**weather))
    except ValueError as error:
        raise SettingError(
            "world", ",".join(f"{n}={v}" for n, v in given.items()), str(error)
        ) from error


def _number(name: str, text: str, default: float) -> float:
    if isinstance(default, int):
        return _whole(name, text)
    try:
        return float(text)
    except ValueError:
        raise SettingError(name, text, "a number") from None


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise SettingError(name, text, "a whole number of at least 0")
    return int(text)
