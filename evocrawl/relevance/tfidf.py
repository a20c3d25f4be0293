"""Relevance as the cosine between the tf-idf vectors of the page and of the query.

::

    w(t, d) = (1 + ln n(t, d)) · idf(t)       n(t, d): mentions of term t in d, at most 1000
    relevance(d, q) = Σ_t w(t, d) w(t, q) / (|w(d)| |w(q)|)       in [0, 1]

which is ``ltc.ltc`` in SMART's notation (Salton & Buckley 1988, Term-weighting approaches in
automatic text retrieval; Manning, Raghavan & Schütze 2008, §6.4). The logarithm damps a word that
is stuffed into a page: ten times the mentions add at most 2.3 to its weight. It ranked the pages of
14 topics of an encyclopaedia better than raw counts, their root or BM25's tf. A mention in the
title counts as three. A cosine favours short texts that are about the query only.

A link's relevance is that of its anchor and, less, of the text around: 0.8 · cos(anchor, q) +
0.2 · cos(context, q), the weights of Shark-search (Hersovici et al. 1998, β = 0.8).

A page in another language is read by the rules of the query's language: names and loan words match.
Query words that nearly every page has are left out. Letters are words ("C R" asks for two
programming languages), and so are numbers; but numbers of one or two digits are on every page
and are no query alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress, repeat
from operator import mul, not_

from evocrawl.core.model import Content
from evocrawl.relevance.base import ANCHOR_SHARE, Contribution, Extra
from evocrawl.relevance.calibration import calibration_of
from evocrawl.relevance.feedback import Feedback
from evocrawl.relevance.query_terms import QueryTerms
from evocrawl.relevance.terms import LONGEST_KNOWN_WORD, Analyser

_LONGEST_PHRASE = 2_000
_KNOWN_PHRASES = 20_000
_TF = (0.0, *(1 + math.log(mentions) for mentions in range(1, 1001)))
_MOST = len(_TF) - 1


class TfIdf:
    """The relevance model "tfidf".

    `query` and `language` are those of `QueryTerms`, with the same errors.
    """

    reads: frozenset[Extra] = frozenset()
    asked_last = True
    """In a mix it comes last: it need not count a page's terms if another model has counted
    them."""

    def __init__(self, query: str, language: str = "") -> None:
        terms = QueryTerms(query, language)
        self.needs_language = terms.language
        self._background = terms.background
        self._reader = terms.reader
        self._analyser = terms.reader.analyser
        self._query = self._unit_query(terms.mentions)
        self.calibration = calibration_of("tfidf", map(terms.idf, terms.mentions))
        self._screen = Screen(self._analyser, self._query)
        self._phrases = _Phrases(self.phrase)
        self._feedback = Feedback(self._query)
        self._factor = 1.0

    def page(self, content: Content) -> float:
        """Return the cosine of page and query; does not use the page's language.

        Runtime complexity: O(characters), at most 100 000 of each argument.
        """
        reading = self._reader.read(content)
        if not (reading.is_counted or self._screen.passes(reading.title + reading.text)):
            return 0.0
        return self._cosine(reading.mentions)

    def link(self, anchor: str, context: str, language: str = "") -> float:  # noqa: ARG002
        """Return the weighted mean of the cosines of anchor and context; ignores `language`."""
        phrases = self._phrases
        of_anchor = phrases[anchor] if anchor else 0.0
        of_context = phrases[context] if context else 0.0
        return ANCHOR_SHARE * of_anchor + (1 - ANCHOR_SHARE) * of_context

    def meets(self, texts: Sequence[str]) -> list[bool]:
        """Return which short texts have a term of the query; `link` gives the others 0."""
        found = self._phrases.known(texts)
        new = [text for text, cosine in zip(texts, found, strict=True) if cosine is None]
        if not new:
            return [cosine != 0 for cosine in found]
        passed = self._screen.passed_by([text[:_LONGEST_PHRASE] for text in new])
        self._phrases.note_strangers([*compress(new, map(not_, passed))])
        of_new = iter(passed)
        return [next(of_new) if cosine is None else cosine != 0 for cosine in found]

    def learn(self, content: Content, relevant: bool) -> None:
        """Move the query by a page that a user has marked; see `evocrawl.relevance.feedback`."""
        mentions = self._reader.read(content).mentions
        page = {term: self._weight(term, times) for term, times in mentions.items()}
        self._feedback.add(page, relevant)
        self._query, self._factor = self._feedback.moved()
        self._screen = Screen(self._analyser, self._query)
        self._phrases = _Phrases(self.phrase)

    def explain(self, content: Content) -> tuple[Contribution, ...]:
        """Return what each query term adds to `page`'s score, the largest share first."""
        mentions = self._reader.read(content).mentions
        length = self._length(mentions) or 1.0
        contributions = (
            Contribution(
                term=term,
                mentions=mentions.get(term, 0),
                idf=self._idf(term),
                share=self._factor * weight * self._weight(term, mentions.get(term, 0)) / length,
            )
            for term, weight in self._query.items()
        )
        return tuple(sorted(contributions, key=lambda one: (-one.share, one.term)))

    def phrase(self, text: str) -> float:
        """Return the cosine of a short text and the query."""
        words = self._analyser.words(text[:_LONGEST_PHRASE])
        return self._cosine(self._analyser.count_few(words)) if self._screen.passes(words) else 0.0

    def _unit_query(self, mentions: Mapping[str, int]) -> dict[str, float]:
        """Return the query's weights, scaled to length 1."""
        length = self._length(mentions)
        return {term: self._weight(term, n) / length for term, n in mentions.items()}

    def _cosine(self, mentions: Mapping[str, int]) -> float:
        product = 0.0
        for term, weight in self._query.items():
            times = mentions.get(term)
            if times is not None:
                product += weight * self._weight(term, times)
        return min(1.0, self._factor * product / self._length(mentions)) if product else 0.0

    def _length(self, mentions: Mapping[str, int]) -> float:
        times: Iterable[int] = mentions.values()
        if max(times, default=0) > _MOST:
            times = (min(n, _MOST) for n in times)
        idfs = map(self._background.idf.get, mentions, repeat(self._background.unknown))
        return math.hypot(*map(mul, idfs, map(_TF.__getitem__, times)))

    def _weight(self, term: str, mentions: int) -> float:
        return _TF[min(mentions, _MOST)] * self._idf(term)

    def _idf(self, term: str) -> float:
        return self._background.idf.get(term, self._background.unknown)


class _Phrases:
    """The cosines of anchors and contexts seen so far: menus repeat them on page after page.

    The key is a hash, so that a long context takes no more memory than a word, some 100 bytes. Two
    of 20 000 phrases have the same hash of 64 bits with a probability of 10⁻¹¹.
    """

    def __init__(self, cosine: Callable[[str], float]) -> None:
        self._cosine = cosine
        self._known: dict[int, float] = {}
        self._strangers: set[int] = set()
        """Texts of which `note_strangers` says that their cosine is 0."""

    def __len__(self) -> int:
        return len(self._known)

    def known(self, texts: Sequence[str]) -> list[float | None]:
        """Return the cosine of each text, None for one that was not seen. O(texts)."""
        known, strangers = self._known.get, self._strangers
        return [0.0 if key in strangers else known(key) for key in map(hash, texts)]

    def note_strangers(self, texts: Sequence[str]) -> None:
        """Note texts without a term of the query, as far as there is room."""
        if len(self._strangers) + len(texts) > _KNOWN_PHRASES:
            self._strangers.clear()
        self._strangers.update(map(hash, texts[:_KNOWN_PHRASES]))

    def __getitem__(self, text: str) -> float:
        key = hash(text)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _KNOWN_PHRASES:
                self._known.clear()
            found = self._known[key] = self._cosine(text)
        return found


_KNOWN_WORDS = 20_000


class Screen:
    """Decides whether words, as `analyser` splits and reads them, contain one of `terms`."""

    def __init__(self, analyser: Analyser, terms: Mapping[str, float]) -> None:
        self._analyser = analyser
        self._terms = frozenset(terms)
        self._strangers: set[str] = set()
        self._friends: set[str] = set()

    def passes(self, words: Sequence[str]) -> bool:
        """Return True when at least one of `words` gives one of the terms."""
        # Both read the list of words directly; making a set of it would cost more.
        if self._strangers.issuperset(words):
            return False
        if not self._friends.isdisjoint(words):
            return True
        return bool(self._read_new(set(words) - self._strangers))

    def passed_by(self, texts: Sequence[str]) -> list[bool]:
        """Return what `passes` does for the words of each text; each word is looked up once."""
        words = {*self._analyser.words(" ".join(texts))} - self._strangers
        friends = words & self._friends
        friends |= self._read_new(words - friends)
        if not friends:
            return [False] * len(texts)
        return [not friends.isdisjoint(words) for words in self._analyser.words_of_each(texts)]

    def _read_new(self, words: set[str]) -> set[str]:
        """Read words that are not known yet, and store the result; return those with a term."""
        found = self._analyser.having(self._terms, words)
        _keep(self._friends, found)
        _keep(self._strangers, words - found)
        return found


def _keep(known: set[str], new: set[str]) -> None:
    """Add words to those that are known, if they are not too long; their number is bounded."""
    if max(map(len, new), default=0) > LONGEST_KNOWN_WORD:
        new = {word for word in new if len(word) <= LONGEST_KNOWN_WORD}
    if len(known) + len(new) > _KNOWN_WORDS:
        known.clear()
    if len(new) <= _KNOWN_WORDS:
        known |= new
