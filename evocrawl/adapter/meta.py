"""Request meta keys. Flat scalars, since redirects and retries copy meta shallowly."""

from __future__ import annotations

VISIT = "evocrawl_visit"
"""Number of the visit that the request belongs to."""

PLAIN = "evocrawl"
"""Set to False on a request that is no link (an API call, a login): the population ignores it."""

SEED = "evocrawl_seed"
"""True on a seed of evospider: its URL is its identity, as for a link that was read off a page."""

SEED_SCORE = "evocrawl_seed_score"
"""Score of a seed by its rank in the sources that gave it, from 0 to 1."""

REFUSED = "evocrawl_refused"
"""True on a request that robots.txt forbids."""

OPENER = "evocrawl_opener"
"""Number of the visit whose page, open in a browser, makes the request."""

META_KEYS: dict[str, str] = {
    VISIT: "number of the visit that the request belongs to; set by the scheduler",
    PLAIN: "False on a request that is no link (an API call, a login): it is sent at once, unless "
    "Scrapy's dupe filter drops it, and its links are no page's; set by you",
    SEED: "True on a seed of `evospider`, until the scheduler takes it",
    OPENER: "number of the visit whose page, open in a browser, makes the request",
    SEED_SCORE: "score of a seed by its rank in the sources that gave it, from 0 to 1; set by "
    "`evospider`",
    REFUSED: "True on a request that robots.txt forbids; set by the robots middleware",
}
