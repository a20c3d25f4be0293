"""Shows a relevance as a chance, with the word that the threshold of the crawl gives it."""

from __future__ import annotations


def scored(relevance: float, relevant_at: float) -> str:
    """Return a relevance in [0, 1] with its word; `relevant_at` is the crawl's threshold.

    The digits are those that tell it from the threshold: a score below it is never shown as equal.

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
    """Return what makes a page relevant in this crawl.

    >>> threshold(0.12)
    'relevant from 0.12'
    """
    return f"relevant from {relevant_at:.4g}"
