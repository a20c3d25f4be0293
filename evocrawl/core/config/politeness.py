"""Options of where a crawl may connect to and how it treats servers."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.config.option import flag, maybe, names, number, option, whole
from evocrawl.core.urls.networks import read_networks


@dataclass(frozen=True, kw_only=True)
class PolitenessOptions:
    """Options of where a crawl may connect to and how it treats servers."""

    allow_networks: tuple[str, ...] = option(
        (),
        read_networks,
        "networks such as 10.0.0.0/8 or fd00::/8, separated by spaces or commas; for all addresses "
        "0.0.0.0/0 ::/0",
        "networks to which the crawl may connect in addition to the public Internet",
    )
    trusted_handlers: tuple[str, ...] = option(
        (),
        names,
        "dotted paths of download handlers, separated by spaces or commas",
        "download handlers for http and https that may open connections which the address guard "
        "cannot check; all other guards stay active",
    )
    robots_timeout_s: float = option(
        20.0,
        number(0, above=True),
        "a number above 0",
        "most seconds that fetching a robots.txt may take, redirects included",
    )
    robots_tries: int = option(
        3, whole(1), "a whole number from 1", "most requests for an unreachable robots.txt"
    )
    robots_retry_s: float = option(
        60.0,
        number(0, above=True),
        "a number above 0",
        "seconds before the first of these retries, doubled for each further one",
    )
    opt_out_files: bool = option(
        False,
        flag,
        "true or false",
        "whether to ask each server that gives a page for ai.txt and /.well-known/tdmrep.json: two "
        "requests a server, which count; needs a store, a JOBDIR or `warc`",
    )
    crawl_delay_cap_s: float = option(
        30.0,
        number(0),
        "a number from 0",
        "most seconds of a Crawl-delay; a longer one counts as this",
    )
    retry_after_cap_s: float = option(
        600.0,
        number(0),
        "a number from 0",
        "longest Retry-After, in seconds, for which links of a host wait; a host that asks for a "
        "longer one is given up for that time",
    )
    back_off_s: float = option(
        1.0,
        number(0),
        "a number from 0",
        "seconds without requests to a host after a failure, doubled with each further one in a "
        "row, less a random part of up to a half",
    )
    back_off_cap_s: float = option(
        60.0, number(0), "a number from 0", "most seconds of such a pause"
    )
    breaker_failures: int = option(
        5,
        whole(1),
        "a whole number from 1",
        "failures in a row after which a host gets one request every back_off_cap_s seconds; after "
        "three more failures it is given up for an hour",
    )
    retry_share: float = option(
        0.2,
        number(0, 1),
        "a number from 0 to 1",
        "largest share of requests that may be retries; ten retries are always allowed",
    )
    address_concurrency: int = option(
        None,
        maybe(whole(1)),
        "a whole number from 1",
        "most concurrent visits to the hosts of one IP address; unless set, four, or as many as "
        "one host may have",
    )
