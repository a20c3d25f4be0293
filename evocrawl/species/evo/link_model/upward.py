"""The feature `upward`: how far a link climbs the folders of its host while nothing is found.

A crawl that begins on a page about something else knows no word or folder of good pages. The pages
of a site are mostly kept in folders by subject, and the pages of the upper folders (the home page,
contents, an index) link to all of them. With d folders above the page with the link, d' above the
page that it leads to, both on one host, and n followed links to the folder of the latter::

    upward = m · min(d − d', `HIGHEST`) / (`HIGHEST` √(1 + n))        at least 0

m is what the best page of the crawl lacks to be a relevant one, so that the feature ends with the
first relevant page. Of several links to one page, that from the deepest one counts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

HIGHEST = 3
"""Greatest number of folders that count."""
DEEPEST = 127
"""Greatest depth of a folder that is stored."""

Depths = npt.NDArray[np.float64]

_HIGHEST = np.array(float(HIGHEST))
_NOTHING = np.array(0.0)


def depth_of(group: str) -> int:
    """Return how many folders lead to a folder, 0 for a host or its outermost folder.

    >>> depth_of("a.test"), depth_of("a.test/"), depth_of("a.test/b/c/")
    (0, 0, 2)
    """
    return min(DEEPEST, max(0, group.count("/") - 1))


def upward(sources: Depths, targets: Depths, newness: Depths, best_of_all: float) -> Depths:
    """Return the feature of targets, shape (n,), in [0, 1].

    `sources` are the depths of the deepest pages of their hosts that link to them, `targets` their
    own, `newness` is 1 / √(1 + n) for the folders of the latter, and `best_of_all` the relevance of
    the crawl's best page, in [0, 1], 1 for a relevant page. O(n).
    """
    climbed = np.minimum(np.maximum(sources - targets, _NOTHING), _HIGHEST)
    found: Depths = climbed * newness * ((1.0 - best_of_all) / HIGHEST)
    return found
