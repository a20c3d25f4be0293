"""A small dictionary of dictd, and the file that evocrawl makes of it."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path

from evocrawl.relevance.translation.dictd import Dictd
from evocrawl.relevance.translation.making import Source, make_dictionary

_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

GERMAN = {
    "Koralle": "Koralle /koˈralə/ <fem, n, sg>\ncoral <n>\n see: {Korallen}\n",
    "Bleiche": 'Bleiche <fem, n, sg>\n [text.] bleaching <n>\n   "zur Bleiche"  - for bleaching\n',
    "Riff": "Riff <neut>\n1. reef <n>\n2. ledge\n         Note: under water\n",
    "sterben": "sterben <v>\nto die <v>\n",
    "Meer": "Meer <neut>\nsea <n>, ocean <n> [Am.]\n",
    "warm": "warm <adj>\nwarm, hot\n",
    "Haus": "Haus <neut>\nhouse\n",
    "Straße": "Straße\nstreet; road\n",
    "die": "die <art>\nthe\n",
    "und": "und\nand\n",
    "ganz und gar": "ganz und gar\naltogether\n",
}
"""Headwords and the texts of their entries, as FreeDict writes them."""


def number(value: int) -> str:
    """Return a number with 64 digits."""
    digits = _DIGITS[value % 64]
    return number(value // 64) + digits if value >= 64 else digits


def write_dictd(
    folder: Path, name: str, entries: Mapping[str, str] = GERMAN, *, packed: bool = True
) -> str:
    """Write a dictionary of dictd; return its place, without an ending."""
    about = {"00databaseshort": "00-database-short\n     A tiny dictionary\n",
             "00databaseinfo": "00-database-info\nLicence: public domain\n"}  # fmt: skip
    texts, lines = b"", []
    for headword, text in {**about, **entries}.items():
        raw = text.encode()
        lines.append(f"{headword.lower()}\t{number(len(texts))}\t{number(len(raw))}\n")
        texts += raw
    (folder / f"{name}.index").write_text("".join(lines), encoding="utf-8")
    end, body = (".dict.dz", gzip.compress(texts)) if packed else (".dict", texts)
    (folder / f"{name}{end}").write_bytes(body)
    return str(folder / name)


def german(folder: Path) -> str:
    """Return the file of a dictionary of German and English."""
    source = Source(Dictd(write_dictd(folder, "tiny-deu-eng")), "de", "en")
    make_dictionary([source], folder / "german.dictionary")
    return str(folder / "german.dictionary")
