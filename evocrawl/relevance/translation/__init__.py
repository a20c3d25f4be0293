"""Pages in other languages, word by word in that of the query, by bilingual dictionaries."""

from evocrawl.relevance.translation.dictionary import Dictionary

__all__ = ["Dictionary"]
