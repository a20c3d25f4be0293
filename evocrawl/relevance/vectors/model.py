"""Relevance by meaning: the cosine between the vectors of the page and of the query.

A page about "coral bleaching" need not contain these words: words of similar meaning have similar
vectors, and the vector of a text is the sum of those of its words (`evocrawl.relevance.vectors`).

A page in another language than that of the table has no score by meaning: relevance 0 if the model
is alone, that of the other models in a mix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from evocrawl.core.errors import SettingError, UnknownWordsError
from evocrawl.core.model import Content
from evocrawl.relevance.base import ANCHOR_SHARE, Contribution, Extra
from evocrawl.relevance.calibration import calibration_of
from evocrawl.relevance.mix import models_of
from evocrawl.relevance.query_terms import QueryTerms
from evocrawl.relevance.reading import Reading
from evocrawl.relevance.terms import Analyser
from evocrawl.relevance.vectors.embedding import Embedding, Vector, cosine
from evocrawl.relevance.vectors.static_model import StaticModelEmbedding
from evocrawl.relevance.vectors.table import ABOUT, WordTable, shipped

_LONGEST_PHRASE = 2_000


class PageEmbedding(Protocol):
    """Converts texts and pages to vectors; `language` is "" for any language."""

    language: str

    def of_text(self, text: str) -> Vector:
        """Return the vector of a text."""
        ...

    def of_page(self, content: Content, reading: Reading) -> Vector:
        """Return the vector of a page."""
        ...

    def knows(self, content: Content, reading: Reading) -> bool:
        """Return whether the page is in a language that the embedding knows."""
        ...


class Vectors:
    """The relevance model "vectors"; `query` and `language` are those of `QueryTerms`.

    `argument` is a folder: a table of ours, or a static model of model2vec or
    sentence-transformers. "" is the table of English words that comes with evocrawl. Raises
    UnknownWordsError for a query in another language and for one without a known word,
    SettingError for a folder that is not there or holds no such table.
    """

    reads: frozenset[Extra] = frozenset()
    scores_links = False
    """In a mix: a page has many links, and a vector for each takes longer than the page itself."""

    def __init__(self, query: str, language: str = "", *, argument: str = "") -> None:
        terms = QueryTerms(query, language)
        self._reader = terms.reader
        self._idf = terms.idf
        self.embedding = embedding_at(argument, terms.reader.analyser)
        known = self.embedding.language
        self.needs_language = known or None
        if known not in ("", terms.language):
            raise UnknownWordsError(
                f"the word vectors are in the language {known!r}, the query in {terms.language!r}:"
                " write relevance=tfidf, or vectors:PATH with vectors of that language, or give a"
                f" dictionary of {terms.language!r} and {known!r} (option dictionaries)",
                language=known,
            )
        self.calibration = calibration_of("vectors")
        self.query = self.embedding.of_text(query)
        if not self.query.any():
            raise UnknownWordsError(
                f"the word vectors have no word of the query {query[:100]!r}:"
                " write relevance=tfidf, or another query"
            )

    def page(self, content: Content) -> float:
        """Return the cosine of page and query, 0 if it is negative or the language another."""
        return max(0.0, self.evidence(content) or 0.0)

    def evidence(self, content: Content) -> float | None:
        """Return the cosine of page and query, in [-1, 1]; None for a page without known words."""
        reading = self._reader.read(content)
        if not self.embedding.knows(content, reading):
            return None
        vector = self.embedding.of_page(content, reading)
        return cosine(vector, self.query) if vector.any() else None

    def link(self, anchor: str, context: str, language: str = "") -> float:  # noqa: ARG002
        """Return the weighted mean of the cosines of anchor and context."""
        return ANCHOR_SHARE * self._phrase(anchor) + (1 - ANCHOR_SHARE) * self._phrase(context)

    def explain(self, content: Content) -> tuple[Contribution, ...]:
        """Return what each term of a page adds to its cosine, the largest share first.

        Returns nothing for a static model of another package, which does not give shares.
        """
        if not isinstance(self.embedding, Embedding):
            return ()
        mentions = self._reader.read(content).mentions
        shares = self.embedding.shares(mentions, self.query)
        found = (Contribution(term, mentions[term], self._idf(term), share)
                 for term, share in shares.items())  # fmt: skip
        return tuple(sorted(found, key=lambda one: (-one.share, one.term)))

    def _phrase(self, text: str) -> float:
        if not text:
            return 0.0
        return max(0.0, cosine(self.embedding.of_text(text[:_LONGEST_PHRASE]), self.query))


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """The vector of a query, not zero, and those of words of pages."""

    query: Vector
    embedding: Embedding

    def of_words(self, words: Sequence[str]) -> Vector:
        """Return the vectors of words, shape (n, d); zeros for an unknown word."""
        return self.embedding.of_words(words)


def query_vectors_of(model: object) -> QueryVectors | None:
    """Return the vectors of a relevance model, None for one without a table of words.

    A static model of another package has none: reading words one by one would take long.
    """
    for each in models_of(model):
        if isinstance(each, Vectors) and isinstance(each.embedding, Embedding):
            return QueryVectors(each.query, each.embedding)
    return None


def embedding_at(place: str, analyser: Analyser) -> PageEmbedding:
    """Return the embedding in the folder `place`, or the shipped one for "".

    Raises SettingError for a folder that is not there or cannot be used.
    """
    if not place:
        return _shipped_embedding(analyser)
    folder = Path(place).expanduser()
    if not folder.is_dir():
        raise SettingError("relevance", f"vectors:{place}", "a folder that is there")
    if (folder / ABOUT).is_file():
        return Embedding(WordTable(folder), analyser)
    return StaticModelEmbedding(folder)


@lru_cache(maxsize=2)
def _shipped_embedding(analyser: Analyser) -> Embedding:
    """Return the embedding by the shipped table; queries with one analyser share its words."""
    return Embedding(shipped(), analyser)
