"""The feature `barren`: how much a host is to blame for what the crawl did not find on it.

With n followed links to a host, and m of the relevance of a relevant page missing on its best
page::

    barren = m · ln(1 + a n / t) / 3

a grows from 0 to 1 with the first `PATIENCE` links that the crawl follows, since the first requests
need the lists and menus of their site. t is the trust in a host: after so many links the odds of
its links have halved. While a crawl finds nothing at all, its topic is on hosts that it has not
seen. So t falls, and the crawl looks at more of them. With N links followed, and b the relevance of
the crawl's best page, 1 for a relevant one::

    t = max(1, 3 / (1 + v))        v = (1 − 2b) (N − `PATIENCE`) / `PATIENCE`, at least 0
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Singles = npt.NDArray[np.float32]

PATIENCE = 50
"""Number of links that a crawl follows before it fully blames a host without a relevant page."""
TRUST, LEAST_TRUST = 3.0, 1.0

_ONE, _THREE = np.array(1.0, np.float32), np.array(3.0, np.float32)


def blame(tried: Singles, best: Singles, tries: int, best_of_all: float) -> Singles:
    """Return the feature for hosts, shape (n,).

    `tried` are the followed links to them, `best` the relevances of their best pages and
    `best_of_all` that of the crawl's best page, in [0, 1], 1 for a relevant page. `tries` are the
    links that the crawl has followed. O(n).
    """
    share = min(1.0, tries / PATIENCE) / trust_in_hosts(tries, best_of_all)
    found: Singles = (_ONE - best) * np.log1p(np.float32(share) * tried) / _THREE
    return found


def trust_in_hosts(tries: int, best_of_all: float) -> float:
    """Return t, from `LEAST_TRUST` to `TRUST`."""
    in_vain = max(0, tries - PATIENCE) / PATIENCE * max(0.0, 1 - 2 * best_of_all)
    return max(LEAST_TRUST, TRUST / (1 + in_vain))
