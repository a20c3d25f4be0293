"""Static word vectors: tables of them, texts as vectors, and the relevance model by meaning."""

from evocrawl.relevance.vectors.embedding import Embedding, Vector, centroid, cosine
from evocrawl.relevance.vectors.table import WordTable, shipped

__all__ = ["Embedding", "Vector", "WordTable", "centroid", "cosine", "shipped"]
