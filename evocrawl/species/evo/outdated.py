"""How often the links at hand are scored again: after each page, in a long crawl less often.

The weights of a model that has seen thousands of pages hardly change with one more, and most of the
links at hand are still the best ones after a few visits. But the links of a good page are often
better than those at hand, so that they are scored at once. The more links a crawl has to choose
from, the less often they are.
"""

from __future__ import annotations

_PAGES_FOR_EACH = 250
MOST_CHANGES = 4
"""So many changes of the model let links be scored again at once."""
_GOOD = 0.05
"""The least label of a good page."""
_LONG = 1000
"""From so many followed links on, a good page counts less: half with these, a third with twice."""


def most_changes(followed: int) -> int:
    """Return after how many changes of the model links are scored again, in [1, 4].

    `followed` is the number of links that the crawl has followed.
    """
    return min(max(followed // _PAGES_FOR_EACH, 1), MOST_CHANGES)


def changes_by_page(label: float, followed: int) -> int:
    """Return how many changes a page with this label in [0, 1] counts, in [1, 4].

    1, or for a good one 4, 2 from 1000 followed links on, and 1 from 2000 on.
    """
    return MOST_CHANGES // min(1 + followed // _LONG, MOST_CHANGES) if label >= _GOOD else 1
