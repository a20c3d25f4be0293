"""Finds the parts of compounds that are written as one word.

A compound is the words that it consists of, each but the last with or without a linking element::

    Korallen|bleiche    Meer-es|spiegel    Schul(e)|buch    skog-s|brand    maan|järistys

Of all ways to cut a word into known words, the way with the greatest mean logarithm of frequency is
chosen (Koehn & Knight 2003, Empirical methods for compound splitting, §3.2), if that mean is above
the frequency of the word itself: a word that is more frequent than its parts is not split. The
known words are those of wordfreq's list (Speer 2021). Short words, function words and suffixes that
are words as well (German "Schaft") are no parts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from evocrawl.relevance.word_lists import frequency_list

_SHORTEST_WORD = 7
_LONGEST_WORD = 40
_MOST_PARTS = 4
_FUNCTION_WORD = 6.0
"""Zipf value from which a word counts as a function word."""
_CENTIBELS_A_ZIPF = 100
_LEAST, _LEAST_OF_SHORT = 2.0, 2.6
"""Least Zipf value of a part of six letters and more, and of shorter ones."""
_OF_SHORT_WORD = 3.7
"""Zipf value of the short words that may be parts."""
_SHORTEST_FIRST, _SHORTEST_LATER = 2, 3
_SHORTEST_STEM = 4
_LINKED = 0.2
"""Subtracted from a part's Zipf value for a linking element."""
_FEW = 0.3
"""Subtracted from the mean for each part, so that few parts are preferred."""
_BONUS = 0.4
"""How far the mean may be below the word's own value."""
_KEPT = 3

_UMLAUT_OF = {"ae": "ä", "oe": "ö", "ue": "ü"}
_UMLAUTS = re.compile("ae|oe|(?<![aeq])ue")

Way = tuple[tuple[str, str], ...]
"""The parts of a word: as they are in it, and without linking elements."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """How a language makes compounds.

    `links` are the linking elements between two parts, `dropped` the endings that the first part
    loses, `no_parts` the affixes that look like words. Parts have four letters or more, or are one
    of the `short` words.
    """

    links: tuple[str, ...]
    dropped: tuple[str, ...]
    no_parts: frozenset[str]
    short: frozenset[str]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GRAMMARS: Mapping[str, Grammar] = {
    "de": Grammar(
        links=("s", "es", "n", "en", "er", "e", "ns"),
        dropped=("e", "en"),
        no_parts=_words(
            "schaft haft keit heit lich ling isch tion ation sion eren ieren iert ende enden ungen"
            " ismus istisch innen über unter gegen nach wieder hinter zwischen zusammen zurück"
            " weiter nieder durch voll ander besonder sonder nehmen genommen stellen fallen liche"
            " lichen licher lichkeit keiten heiten schaften tionen erin ling rinnen"
        ),
        short=_words(
            "arm art bad bau bus ehe eid eis erd fee gas gen gut hof hut kuh mut not ohr öl"
            " ort rad rat reh rot see tag tal tee tod ton tor tür typ uhr wal weg zug zoo erz"
        ),
    ),
    "nl": Grammar(
        links=("s", "en", "e", "n", "er", "es"),
        dropped=("e",),
        no_parts=_words(
            "schap heid lijk lijke lijks teit eren erend graf baar loos achtig ingen isch ische"
            " over onder tegen voor achter tussen samen terug door ander bijzonder stelling nemen"
            " genomen heden teiten schappen ling maat ging"
        ),
        short=_words(
            "aap arm bad bos bus dag eis fee gas gat hof hut ijs jas kip koe kop lid los meer mes"
            " net oog oor pad put rat ree rug tak tas vee vis wal was wet wol zak zee zon"
        ),
    ),
    "sv": Grammar(
        links=("s", "e", "o", "u", "a"),
        dropped=("a", "e"),
        no_parts=_words(
            "skap het lig liga ligt ning ningar isk iska else elser över under mellan efter före"
            " genom emot samman tillbaka andra ställning dom ande ende aren arna erna eras risk"
            " rinna ling"
        ),
        short=_words(
            "arm bad bil blå bok bok bro by dag djur egg el eld fat får gas glas grå hav hud hus is"
            " jord jul kol ko krig lag ler liv luft mat mus not ö öl öra ost rad ren rum sjö sjuk"
            " skog sol stad tall te tid torv tåg träd vin väg ved val vår år"
        ),
    ),
    "fi": Grammar(
        links=("n", "s"),
        dropped=(),
        no_parts=_words(
            "inen isen iset isia ssaan suus minen misen mista maan kaan lainen laisen lista kseen"
            " ttaa llinen päätä vasta"
        ),
        short=_words(
            "hai jää kivi kuu maa maan meri puu pää sää syy suu tie tuli työ vesi yö öljy ilma elin"
            " rae suo luu hää jyvä sade"
        ),
    ),
}


class Compounds:
    """Cuts the words of one language; the words are in one spelling (`evocrawl.core.text`)."""

    def __init__(self, language: str) -> None:
        self._grammar = GRAMMARS[language]
        self._zipf = _frequencies(language)
        self._has_digraphs = language == "de"

    def pieces(self, word: str) -> tuple[str, ...]:
        """Return the parts of a compound with their linking elements, () for another word."""
        return tuple(piece for piece, _ in self._cut(word))

    def parts(self, word: str) -> tuple[str, ...]:
        """Return the words that a compound consists of, () for another word.

        A part that is a compound is followed by its own parts.

        O(letters) for a word that does not end in a known word, otherwise O(letters²).

        >>> Compounds("de").parts("korallenbleiche"), Compounds("de").parts("kuestenschutz")
        (('korallen', 'bleiche'), ('küste', 'schutz'))
        """
        way = self._cut(word)
        if not way and self._has_digraphs and word.isascii():
            way = self._cut(_UMLAUTS.sub(lambda two: _UMLAUT_OF[two[0]], word))
        return tuple(each for _, part in way for each in (part, *self._parts_of_part(part)))

    def _parts_of_part(self, part: str) -> tuple[str, ...]:
        """Return the parts of a part, as of "zeespiegel" in "zeespiegelstijging"."""
        return tuple(inner for _, inner in self._cut(part))

    def _cut(self, word: str) -> Way:
        if not _SHORTEST_WORD <= len(word) <= _LONGEST_WORD or not self._has_head(word):
            return ()
        total, way = max(
            self._ways(word),
            key=lambda found: found[0] / len(found[1]) - _FEW * len(found[1]),
            default=(0.0, ()),
        )
        is_better = way and total / len(way) > self._zipf.get(word, 0.0) - _BONUS
        return way if is_better else ()

    def _has_head(self, word: str) -> bool:
        known = self._zipf
        return any(
            word[start:] in known
            for start in range(_SHORTEST_FIRST, len(word) - _SHORTEST_LATER + 1)
        )

    def _ways(self, word: str) -> list[tuple[float, Way]]:
        """Return the best ways to cut a word, each with the sum of its parts' Zipf values."""
        length = len(word)
        ways: list[list[tuple[float, Way]]] = [[] for _ in range(length + 1)]
        ways[0] = [(0.0, ())]
        for start in range(length - 1):
            before = sorted(ways[start], key=lambda way: -way[0] / max(len(way[1]), 1))[:_KEPT]
            shortest = _SHORTEST_FIRST if start == 0 else _SHORTEST_LATER
            for end in range(start + shortest, length + (start > 0)) if before else ():
                piece = word[start:end]
                value, part = self._part(piece, is_last=end == length)
                if value > 0:
                    ways[end] += [
                        (total + value, (*way, (piece, part)))
                        for total, way in before
                        if len(way) < _MOST_PARTS
                    ]
        return ways[length]

    def _part(self, piece: str, *, is_last: bool) -> tuple[float, str]:
        """Return the Zipf value of a part, and the part without its linking element."""
        known = self._zipf.get
        best = known(piece, 0.0), piece
        if is_last:
            return best
        grammar = self._grammar
        bases = [piece, *(piece[: -len(link)] for link in grammar.links if piece.endswith(link))]
        for base in bases:
            for ending in ("", *grammar.dropped) if len(base) >= _SHORTEST_STEM else ("",):
                value = known(base + ending, 0.0) - _LINKED
                if value > best[0]:
                    best = value, base + ending
        return best


@lru_cache(maxsize=4)
def compounds(language: str) -> Compounds:
    """Return the splitter of a language of `GRAMMARS`; its words are loaded with the first one."""
    return Compounds(language)


@lru_cache(maxsize=4)
def _frequencies(language: str) -> dict[str, float]:
    """Return the Zipf values of the words that may be parts."""
    grammar = GRAMMARS[language]
    frequencies = dict.fromkeys(grammar.short, _OF_SHORT_WORD)
    for centibels, words in enumerate(frequency_list(language, "best")):
        zipf = 9 - centibels / _CENTIBELS_A_ZIPF
        if zipf < _LEAST:
            break
        if zipf < _FUNCTION_WORD:
            shortest = 4 if zipf > _LEAST_OF_SHORT else 6
            for word in words:
                spelt = word.casefold()
                if len(word) >= shortest and word.isalpha() and spelt not in grammar.no_parts:
                    frequencies.setdefault(spelt, zipf)
    return frequencies
