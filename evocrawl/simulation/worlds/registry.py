"""Opens a world by name: a file, a folder, or a synthetic world with its numbers."""

from __future__ import annotations

import os
from importlib.resources import as_file, files
from pathlib import Path

from evocrawl.simulation.worlds.answers import AnsweringWorld
from evocrawl.simulation.worlds.archwiki import read_history
from evocrawl.simulation.worlds.changing import Changing
from evocrawl.simulation.worlds.made_up.spec import WorldSpec
from evocrawl.simulation.worlds.recorded import Recorded
from evocrawl.simulation.worlds.world_file import WorldError, read_lines

BROUGHT = {"sqlite-docs": "sqlite-docs.jsonl.gz"}
"""Recorded worlds that come with evocrawl, by name; `demo/sample_world.py` makes them."""
PAGES = "pages"
_START, _CHANGES = "start", "changes"
_ENDINGS = ("", ".gz", ".zst")


def open_world(spec: str | Path) -> AnsweringWorld:
    """Return the world that `spec` names.

    ===============================  ==========================================================
    spec                             world
    ===============================  ==========================================================
    a file                           `Recorded`
    a folder                         `Changing` when it has start.jsonl and changes.jsonl (with
                                     redirects.json, if it exists), else `Recorded` of its
                                     pages.jsonl; each may end in .gz or .zst
    ``sqlite-docs``                  `Recorded`: a part of SQLite's documentation, which is in the
                                     public domain and comes with evocrawl
    ``sites:sites=100,seed=3``       `Sites`: fields of `SitesPlan` and `Weather`, and a seed
    ``news:pages=5000,seed=3``       `News`: fields of `NewsPlan` and `Weather`, and a seed;
                                     with ``rewired=1`` its links are rewired
    ===============================  ==========================================================

    The name of a world in a file is that of the file or, if that is pages or start, that of the
    folder; the name of a synthetic world contains its numbers. Raises WorldError for an invalid
    file, SettingError for an invalid number, OSError if there is no file.

    >>> world = open_world("sites:sites=20,pages_per_site=1.0,forbidden=0.1")
    >>> len(world), world.name
    (18, 'sites:sites=20,pages_per_site=1,forbidden=0.1')
    """
    if _is_brought(spec):
        with as_file(files(__package__) / BROUGHT[str(spec)]) as file:
            return Recorded.read(file)
    made_up = made_up_by(spec)
    if made_up is not None:
        return made_up.make()
    path = Path(spec)
    if not path.is_dir():
        return Recorded.read(path)
    start, changes = _find(path, _START), _find(path, _CHANGES)
    if start and changes:
        return _read_changing(path, start, changes)
    pages = _find(path, PAGES) or start
    if pages is None:
        raise WorldError(path, 0, "", "no pages.jsonl, and no start.jsonl with changes.jsonl")
    return Recorded.read(pages)


def made_up_by(spec: str | Path) -> WorldSpec | None:
    """Return the synthetic world that `spec` names, None for a path; raises SettingError.

    The name of an existing file or folder is always a path.
    """
    if _is_brought(spec):
        return None
    return None if os.path.exists(spec) else WorldSpec.parse(str(spec))


def identity_of(spec: str | Path) -> str:
    """Return the absolute path or the full name of `spec`, without opening the world.

    Raises FileNotFoundError if there is no such file, SettingError for an invalid number.
    """
    if _is_brought(spec):
        return str(spec)
    made_up = made_up_by(spec)
    return str(Path(spec).resolve(strict=True)) if made_up is None else made_up.name


def _is_brought(spec: str | Path) -> bool:
    return str(spec) in BROUGHT and not os.path.exists(spec)


def _find(folder: Path, stem: str) -> Path | None:
    files = (folder / f"{stem}.jsonl{ending}" for ending in _ENDINGS)
    return next((file for file in files if file.is_file()), None)


def _read_changing(folder: Path, start: Path, changes: Path) -> Changing:
    """Read a changing world; the changes have one of two formats."""
    first = next(iter(read_lines(changes)), (0, {}))[1]
    if "changes" not in first:
        return Changing.read(start, changes)
    redirects = folder / "redirects.json"
    history = read_history(changes, redirects if redirects.is_file() else None)
    return Changing(Recorded.read(start), history)
