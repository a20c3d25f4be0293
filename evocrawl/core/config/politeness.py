"""The settings that say where a crawl may connect to, and how it behaves there."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.config.option import maybe, number, option, whole, words
from evocrawl.core.config.storage import LearningOptions
from evocrawl.core.urls.networks import read_networks


@dataclass(frozen=True, slots=True, kw_only=True)
class PolitenessOptions(LearningOptions):
    """The part of `evocrawl.core.config.config.Config` that is about servers and networks."""

    allow_networks: tuple[str, ...] = option(
        (),
        read_networks,
        "networks such as 10.0.0.0/8 or fd00::/8, apart by spaces or commas; for every address "
        "0.0.0.0/0 ::/0",
        "networks beyond the public Internet that the crawl may connect to",
    )
    trusted_handlers: tuple[str, ...] = option(
        (),
        words,
        "dotted paths of download handlers, apart by spaces or commas",
        "download handlers for http and https that may make connections which the address guard "
        "does not see; all other guards stay on",
    )
    read_timeout_s: float = option(
        10.0,
        number(0, above=True),
        "a number above 0",
        "seconds that a big or unusual page may take to be read, in a process of its own",
    )
    robots_timeout_s: float = option(
        20.0,
        number(0, above=True),
        "a number above 0",
        "seconds one robots.txt may take, redirects included",
    )
    robots_tries: int = option(
        3, whole(1), "a whole number from 1", "times an unreachable robots.txt is asked for"
    )
    robots_retry_s: float = option(
        60.0,
        number(0, above=True),
        "a number above 0",
        "seconds to the first such retry, doubled each time",
    )
    crawl_delay_cap_s: float = option(
        30.0, number(0), "a number from 0", "a longer Crawl-delay counts as this many seconds"
    )
    retry_after_cap_s: float = option(
        600.0,
        number(0),
        "a number from 0",
        "seconds a host may be waited for when its answer asks for that (Retry-After); one that "
        "asks for more is given up for as long as it asks",
    )
    back_off_s: float = option(
        1.0,
        number(0),
        "a number from 0",
        "seconds for which a host is left alone after a failure, doubled with each one in a row, "
        "less a random part of up to a half",
    )
    back_off_cap_s: float = option(
        60.0, number(0), "a number from 0", "most seconds that it comes to"
    )
    breaker_failures: int = option(
        5,
        whole(1),
        "a whole number from 1",
        "failures in a row after which a host is tried once every back_off_cap_s seconds; after "
        "three more it is given up for an hour",
    )
    retry_share: float = option(
        0.2,
        number(0, 1),
        "a number from 0 to 1",
        "share of the requests that may be second tries; ten are allowed in any case",
    )
    address_concurrency: int = option(
        None,
        maybe(whole(1)),
        "a whole number from 1",
        "visits under way at once to the hosts of one address; four, or as many as one host may "
        "have, unless given",
    )
