"""Shows a relevance as a chance, with the word "relevant" or "not relevant"."""

from __future__ import annotations


def scored(relevance: float, relevant_at: float) -> str:
    """Return a relevance in [0, 1] with its word; `relevant_at` is the crawl's threshold.

    It has as many digits as are needed: a score below the threshold is never shown as equal to it.

    >>> scored(0.874, 0.5), scored(0.117, 0.12), scored(0.0, 0.12)
    ('0.87 relevant', '0.117 not relevant', '0.00 not relevant')
    """
    is_relevant = relevance >= relevant_at
    shown = f"{relevance:.2f}"
    for digits in (3, 4, 6):
        if (float(shown) >= relevant_at) == is_relevant:
            break
        shown = f"{relevance:.{digits}f}"
    return f"{shown} {'relevant' if is_relevant else 'not relevant'}"


def threshold(relevant_at: float) -> str:
    """Return the text for the threshold of relevance of this crawl.

    >>> threshold(0.12)
    'relevant from 0.12'
    """
    return f"relevant from {relevant_at:.4g}"
