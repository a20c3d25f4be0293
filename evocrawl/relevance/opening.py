"""Relevance by how early a page names the words of the query: in its title and first sentences.

::

    relevance(d, q) = Σ_t idf(t) · e(t, d) / Σ_t idf(t)       over the terms t of the query
    e(t, d) = h(t, d) / (1 + i/30)

with i the number of terms of the text before the first mention of t, and h(t, d) = 1 if the title
has t, 3/4 if it does not; e = 0 for a term that is not among the first 200. A page that is about
something names it at once: the place of the first mention marks the keywords of a text (Witten et
al. 1999, KEA: Practical automatic keyphrase extraction), and titles and first paragraphs are zones
with a weight of their own (Manning, Raghavan & Schütze 2008, §6.1).

A page's own title stands at the beginning of its text, too, as the heading. What the title alone
names counts nothing here, since many sites write their name into every title, and some fill it with
search words; only its first 30 terms count. A page without a text is read by its title alone.
"""

from __future__ import annotations

from evocrawl.core.model import Content
from evocrawl.relevance.base import ANCHOR_SHARE, Contribution, Extra
from evocrawl.relevance.calibration import calibration_of
from evocrawl.relevance.query_terms import QueryTerms
from evocrawl.relevance.reading import Reading

WITHOUT_TITLE = 0.75
"""What a mention counts that the title does not confirm."""
HALF = 30
"""Number of terms before a first mention that halve what it adds."""
TITLE_TERMS = 30
TEXT_TERMS = 200

_LONGEST_PHRASE = 2_000


class Opening:
    """The relevance model "opening"; `query` and `language` are those of `QueryTerms`."""

    reads: frozenset[Extra] = frozenset()
    scores_links = False
    """In a mix: a link has no opening."""
    asked_last = True
    """In a mix: if another model has counted a page's terms, most pages need no reading here."""

    def __init__(self, query: str, language: str = "") -> None:
        terms = QueryTerms(query, language)
        self.needs_language = terms.language
        self._reader = terms.reader
        self._idf = {term: terms.idf(term) for term in terms.mentions}
        self._total = sum(self._idf.values())
        self.calibration = calibration_of("opening", self._idf.values())

    def page(self, content: Content) -> float:
        """Return how early the page names the words of the query.

        Runtime complexity: O(characters) for the first model that reads the page, then O(1).
        """
        reading = self._reader.read(content)
        if reading.is_counted and self._idf.keys().isdisjoint(reading.mentions):
            return 0.0
        in_title, places = self._found(reading)
        score = sum(self._share(term, in_title, places) for term in self._idf)
        return min(1.0, score)

    def link(self, anchor: str, context: str, language: str = "") -> float:  # noqa: ARG002
        """Return the weighted share of the query's terms in the anchor, and in the context."""
        return ANCHOR_SHARE * self._phrase(anchor) + (1 - ANCHOR_SHARE) * self._phrase(context)

    def explain(self, content: Content) -> tuple[Contribution, ...]:
        """Return what each query term adds to `page`'s score, the largest share first."""
        in_title, places = self._found(self._reader.read(content))
        found = (
            Contribution(
                term,
                int(term in places),
                idf,
                self._share(term, in_title, places),
                _where(places.get(term), is_in_title=term in in_title),
            )
            for term, idf in self._idf.items()
        )
        return tuple(sorted(found, key=lambda one: (-one.share, one.term)))

    def _found(self, reading: Reading) -> tuple[set[str], dict[str, int]]:
        """Return the first terms of the title, and the first place in the text of each term."""
        read = self._reader.analyser.read
        title = read(reading.title[:TITLE_TERMS])[:TITLE_TERMS]
        terms = read(reading.text[:TEXT_TERMS])[:TEXT_TERMS] or title
        places = dict(zip(reversed(terms), range(len(terms) - 1, -1, -1), strict=True))
        return {*title}, places

    def _share(self, term: str, in_title: set[str], places: dict[str, int]) -> float:
        place = places.get(term)
        if place is None:
            return 0.0
        trust = 1.0 if term in in_title else WITHOUT_TITLE
        return self._idf[term] * trust / (1 + place / HALF) / self._total

    def _phrase(self, text: str) -> float:
        analyser = self._reader.analyser
        there = analyser.count_few(analyser.words(text[:_LONGEST_PHRASE]))
        return sum(idf for term, idf in self._idf.items() if term in there) / self._total


def _where(place: int | None, *, is_in_title: bool) -> str:
    """Return where a page names a term, in words; "" if it does not at its beginning."""
    if place is None:
        return ""
    return f"word {place + 1}, and in the title" if is_in_title else f"word {place + 1}"
