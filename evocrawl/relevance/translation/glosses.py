"""Finds the translations in the text of an entry of a dictionary.

The text begins with the headword; what follows is one sense a line, often with a number, and the
translations of a sense stand between commas or semicolons::

    Ebene /ˈeːbənə/ <fem, n, sg>
    1. plane <n>, level <n>
       Synonym: {Niveau}
          "auf gleicher Ebene"  - level with

Sounds, grammar and remarks in brackets are left out, and so are lines of examples, notes and
references.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_REMARK = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>|\{[^{}]*\}|/[^/\n]*/")
_DEEPEST = 3
_NO_SENSE = re.compile(r'\s*(?:synonyms?:|antonyms?:|see:|see also|note:|")', re.IGNORECASE)
_NUMBER = re.compile(r"\s*\d{1,3}[.)]\s*")
_BETWEEN = re.compile(r"[,;]")
_BEFORE = re.compile(r"(?:to|an?|the)\s+(?=\S)", re.IGNORECASE)
_MOST_WORDS = 3
_LONGEST = 60


def glosses(text: str) -> Iterator[tuple[str, int]]:
    """Yield the translations in an entry, with their place in it from 0 on.

    A translation of more than three words explains the headword, and is left out.

    >>> [*glosses("Farbe <fem>\\n1. colour <n> [Br.], color <n>\\n2. to paint\\n  see: {Farben}")]
    [('colour', 0), ('color', 1), ('paint', 2)]
    """
    place = 0
    for line in text.split("\n")[1:]:
        if _NO_SENSE.match(line):
            continue
        for part in _BETWEEN.split(_NUMBER.sub("", _plain(line), count=1)):
            gloss = _BEFORE.sub("", part.strip(), count=1)
            if gloss and len(gloss) <= _LONGEST and len(gloss.split()) <= _MOST_WORDS:
                yield gloss, place
                place += 1


def _plain(line: str) -> str:
    """Return a line without remarks, also where one stands in another."""
    for _ in range(_DEEPEST):
        shorter = _REMARK.sub(" ", line)
        if shorter == line:
            break
        line = shorter
    return line
