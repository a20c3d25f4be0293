"""Makes a file of translations from dictionaries of dictd.

The best translation of a word is the one with the most weight over all entries ::

    weight(w, t) = Σ_e 1 / (1 + i/2) / |t| / (1 + idf(t))

with i the place of translation t in entry e of word w, |t| the number of its words, and idf(t)
their mean rarity: German "in" may mean "in" and "trendy", and means "in" more often. Each
dictionary counts in both directions.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from evocrawl.core.errors import SettingError
from evocrawl.relevance.translation.dictd import Dictd
from evocrawl.relevance.translation.dictionary import FORMAT, STEM
from evocrawl.relevance.translation.forms import Forms
from evocrawl.relevance.translation.glosses import glosses

_LICENCE_CHARS = 5_000

_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE words (language TEXT, form TEXT, best TEXT, PRIMARY KEY (language, form))
  WITHOUT ROWID;
"""
_PAIRS = """
PRAGMA cache_size = -200000;
CREATE TABLE pairs (language TEXT, form TEXT, stem TEXT, best TEXT, weight REAL);
"""
_UNSAFE = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
"""For a file that nothing reads until it is whole."""
# The translation that came first wins where weights are equal.
_BEST = """
CREATE TABLE {kind}s AS SELECT language, {kind}, min(stem) AS own, best, max(rank) FROM (
  SELECT language, {kind}, stem, best, sum(weight) - 1e-12 * min(rowid) AS rank
  FROM pairs WHERE {kind} <> '' GROUP BY language, {kind}, best
) GROUP BY language, {kind}
"""
_KEPT_STEMS = "SELECT language, ? || stem, best FROM stems ORDER BY language, stem"
# A word whose stem says the same needs no line of its own.
_KEPT_FORMS = """
SELECT language, form, best FROM forms WHERE NOT EXISTS (
  SELECT 1 FROM stems WHERE stems.language = forms.language AND stems.stem = forms.own
  AND stems.best = forms.best) ORDER BY language, form
"""

Row = tuple[str, str, str, str, float]


@dataclass(frozen=True, slots=True)
class Source:
    """A dictionary, and the languages that it translates from and to (primary subtags)."""

    texts: Dictd
    language: str
    into: str


def make_dictionary(sources: list[Source], out: Path) -> dict[str, int]:
    """Write the file `out`; return how many words of each language it translates.

    Raises SettingError for dictionaries of other pairs of languages than the first, and for ones
    without a translation, OSError for a file that cannot be written.
    """
    pair = {sources[0].language, sources[0].into}
    for each in sources:
        if {each.language, each.into} != pair or len(pair) < 2:
            allowed = f"dictionaries between two languages, all the same two ({each.texts.name})"
            raise SettingError("the dictionary", f"{each.language}-{each.into}", allowed)
    with closing(sqlite3.connect("")) as work:  # a file of its own, which SQLite removes
        work.executescript(_PAIRS)
        work.executemany("INSERT INTO pairs VALUES (?, ?, ?, ?, ?)", _rows(sources))
        for kind in ("form", "stem"):
            work.execute(_BEST.format(kind=kind))
        work.execute("CREATE INDEX by_stem ON stems (language, stem)")
        counts = dict(work.execute("SELECT language, count(*) FROM forms GROUP BY language"))
        if len(counts) < len(pair):
            names = ", ".join(each.texts.name for each in sources)
            raise SettingError("the dictionary", names, "a dictionary with translations")
        _write(work, sources, out)
    return counts


def _rows(sources: Iterable[Source]) -> Iterator[Row]:
    """Yield language, form, stem, translation and weight, for both directions."""
    forms = {each: Forms(each) for source in sources for each in (source.language, source.into)}
    for source in sources:
        from_, into = forms[source.language], forms[source.into]
        for headword, text in source.texts.entries():
            own = from_.of_text(headword)
            of_headword = _share(headword, from_)
            for gloss, place in glosses(text):
                weight = 1 / (1 + place / 2)
                if own is not None:
                    yield source.language, *own, gloss, weight * _share(gloss, into)
                other = into.of_text(gloss)
                if other is not None:
                    yield source.into, *other, headword, weight * of_headword


def _share(translation: str, forms: Forms) -> float:
    """Return what a translation counts by its words."""
    return 1 / len(translation.split()) / (1 + forms.idf(translation))


def _write(work: sqlite3.Connection, sources: list[Source], out: Path) -> None:
    beside = out.with_name(f"{out.name}.part")
    beside.unlink(missing_ok=True)
    about = {
        "format": FORMAT,
        "languages": f"{sources[0].language} {sources[0].into}",
        "source": "; ".join(each.texts.about("short") or each.texts.name for each in sources),
        "licence": "\n\n".join(each.texts.about("info")[:_LICENCE_CHARS] for each in sources),
    }
    with closing(sqlite3.connect(beside)) as file:
        file.executescript(_UNSAFE + _SCHEMA)
        file.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        rows = work.execute(_KEPT_STEMS, (STEM,))
        file.executemany("INSERT INTO words VALUES (?, ?, ?)", rows)
        file.executemany("INSERT INTO words VALUES (?, ?, ?)", work.execute(_KEPT_FORMS))
        file.commit()
    os.replace(beside, out)
