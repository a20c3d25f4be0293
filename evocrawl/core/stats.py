"""The stats of a crawl: each name with what it counts, and the values of numeric stats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evocrawl.core.budget import Budget
from evocrawl.core.ledger import Ledger

STATS: dict[str, str] = {
    "evocrawl/requests": "HTTP requests sent, including robots.txt, redirects, retries and "
    "failures",
    "evocrawl/budget": "HTTP requests allowed; not set without a limit",
    "evocrawl/pages": "distinct pages fetched and scored",
    "evocrawl/relevant_pages": "pages whose relevance is at least EVOCRAWL_RELEVANT_AT",
    "evocrawl/harvest_rate": "relevant pages per HTTP request, from 0 to 1",
    "evocrawl/mean_relevance": "mean relevance of the distinct pages, from 0 to 1",
    "evocrawl/pages/nothing_new": "pages without new content; they earn nothing",
    "evocrawl/links/left": "requests of your own spider that this run accepted and did not send; "
    "not set in shared crawls",
    "evocrawl/links/held_back": "times a link was held back because it looked like part of a trap",
    "evocrawl/pages/unchanged": "pages read from the earlier crawl that `since` names",
    "evocrawl/pages/truncated": "pages that were read only in part",
    "evocrawl/pages/unreadable": "pages that could not be read: the parser timed out or failed",
    "evocrawl/pages/read_aside": "large or unusual pages that were read in a separate process",
    "evocrawl/soft_404/probes": "requests for addresses that cannot exist, at most one per server",
    "evocrawl/soft_404/pages": "200 responses classified as soft 404s",
    "evocrawl/opt_outs/requests": "requests for ai.txt and tdmrep.json with their redirects; part "
    "of evocrawl/requests",
    "evocrawl/opt_outs/files": "such files found",
    "evocrawl/visits/opened": "visits started",
    "evocrawl/visits/settled": "visits settled",
    "evocrawl/visits/unsettled": "visits started and never settled; a value other than 0 is an "
    "error",
    "evocrawl/visits/settled_twice": "attempts to settle a visit again; a value other than 0 is "
    "an error",
    "evocrawl/visits/fetched": "visits that returned a page",
    "evocrawl/visits/dead": "visits that ended with an error, a status of 400 or more, or no HTML",
    "evocrawl/visits/refused": "visits that robots.txt disallowed",
    "evocrawl/visits/dropped": "visits whose request a middleware, a filter or the end of the "
    "crawl dropped",
    "evocrawl/energy/in": "energy that agents took from pages, less the energy that negative "
    "pages took",
    "evocrawl/energy/out": "energy that agents paid in fees",
    "evocrawl/energy/founders": "energy that founders started with",
    "evocrawl/energy/died": "energy of agents when they died: zero or less, except for agents "
    "whose line was excluded",
    "evocrawl/energy/left_on_pages": "energy on pages at the end that no agent took",
    "evocrawl/agents/births": "agents born, founders included",
    "evocrawl/agents/founders": "agents that started at the seeds",
    "evocrawl/agents/deaths": "agents that died",
    "evocrawl/population/final": "agents alive at the end",
    "evocrawl/population/largest": "most agents alive at the same time",
    "evocrawl/moves/energy": "moves to a page with energy",
    "evocrawl/moves/dead_end": "moves out of a page without open links",
    "evocrawl/moves/back": "moves back to the page from which an agent came",
    "evocrawl/moves/rescue": "moves of a dying agent that the lower bound kept alive",
    "evocrawl/browser/pages": "pages opened in a browser",
    "evocrawl/browser/not_worth": "pages not opened because a browser does not pay for pages "
    "like them, or its share of the budget is used up",
    "evocrawl/browser/failed": "pages that a browser could not open; they are read as received",
    "evocrawl/browser/restarts": "times that a browser hung or died and was started again",
    "evocrawl/browser/replaced": "times that a new browser took the place of one that had opened "
    "browser_lifetime_pages pages",
    "evocrawl/browser/shared": "scripts and style sheets that were not requested again since "
    "another page in the browser has them",
    "evocrawl/browser/requests": "requests that pages in a browser made; part of evocrawl/requests",
    "evocrawl/browser/refused": "requests of a browser that robots.txt, the address guard or the "
    "budget refused",
    "evocrawl/warc/responses": "responses written to WARC files, each with its request",
    "evocrawl/robots/unreachable": "fetches of robots.txt that failed or returned a server error",
    "evocrawl/robots/faults": "robots.txt files not fetched because a handler or middleware failed",
    "evocrawl/robots/given_up": "sites from which nothing was fetched because robots.txt stayed "
    "unreachable",
    "evocrawl/retries": "failed links that were opened again for a later try",
    "evocrawl/put_off": "links opened again at the target of a redirect whose host was not free "
    "at that time",
    "evocrawl/hosts/failures": "responses and failures after which a host was given a pause",
    "evocrawl/hosts/given_up": "requests not sent because their host was given up",
    "evocrawl/guard/address": "requests refused because of their host's IP address; none was sent",
    "evocrawl/guard/scheme": "requests refused because their scheme is not http, https or data",
    "evocrawl/store/runs": "runs of this crawl, including this one; not set without a store",
    "evocrawl/store/repeated": "visits repeated because they were under way when the last run "
    "ended, or because their callback had not ended",
    "evocrawl/store/unstorable": "links whose requests could not be stored; later runs do not "
    "have them",
    "evocrawl/agents/came": "agents that came from another worker's population",
    "evocrawl/agents/left": "agents that went to another worker's population",
    "evocrawl/workers/fenced": "results of a worker that Redis refused because another worker had "
    "taken over the host; set only in shared crawls",
    "evocrawl/workers/poisoned": "invalid entries in Redis that were put aside",
    "evocrawl/workers/taken_over": "hosts taken over from another worker",
    "evocrawl/left/gain": "estimated relevant pages that the next 1 000 requests would bring; this "
    "and the other estimates are set after 100 requests",
    "evocrawl/left/gain_low": "lower end of the 90 % interval of evocrawl/left/gain",
    "evocrawl/left/gain_high": "upper end of the 90 % interval of evocrawl/left/gain",
    "evocrawl/left/recall": "estimated share of the relevant pages within reach that are found, "
    "from 0 to 1",
    "evocrawl/left/recall_low": "lower end of the 90 % interval of evocrawl/left/recall",
    "evocrawl/left/recall_high": "upper end of the 90 % interval of evocrawl/left/recall",
    "evocrawl/stop_reason": "exhausted or extinct if Scrapy's reason is finished, else Scrapy's "
    "reason; stopped_by_yield or stopped_by_recall if EVOCRAWL_STOP ended the crawl, seeds_failed "
    "if evospider could fetch no page, drained if evocrawl workers --drain named this worker",
}


def report(ledger: Ledger, budget: Budget, *, twice: int = 0) -> dict[str, int | float]:
    """Return the value of every numeric stat."""
    values: dict[str, int | float] = {
        "evocrawl/requests": budget.spent,
        "evocrawl/pages": ledger.pages,
        "evocrawl/relevant_pages": ledger.relevant_pages,
        "evocrawl/harvest_rate": ledger.relevant_pages / budget.spent if budget.spent else 0.0,
        "evocrawl/pages/nothing_new": ledger.duplicates,
        "evocrawl/links/held_back": ledger.links_held_back,
        "evocrawl/mean_relevance": ledger.relevance / ledger.pages if ledger.pages else 0.0,
        "evocrawl/visits/opened": ledger.visits.opened,
        "evocrawl/visits/settled": ledger.visits.settled,
        "evocrawl/visits/unsettled": ledger.visits.opened - ledger.visits.settled,
        "evocrawl/visits/settled_twice": twice,
        "evocrawl/energy/in": ledger.energy.eaten,
        "evocrawl/energy/out": ledger.energy.paid,
        "evocrawl/energy/founders": ledger.energy.of_founders,
        "evocrawl/energy/died": ledger.energy.of_dead,
        "evocrawl/energy/left_on_pages": ledger.energy.on_pages,
        "evocrawl/agents/births": ledger.births,
        "evocrawl/agents/founders": ledger.founders,
        "evocrawl/agents/deaths": ledger.deaths,
        "evocrawl/agents/came": ledger.arrivals,
        "evocrawl/agents/left": ledger.departures,
        "evocrawl/population/final": ledger.population,
        "evocrawl/population/largest": ledger.largest_population,
    }
    if budget.limit is not None:
        values["evocrawl/budget"] = budget.limit
    for outcome in ("fetched", "dead", "refused", "dropped"):
        values[f"evocrawl/visits/{outcome}"] = ledger.visits.outcomes[outcome]
    for why in ("energy", "dead end", "back", "rescue"):
        values[f"evocrawl/moves/{why.replace(' ', '_')}"] = ledger.moves[why]
    return values


_SHOWN = (
    "evocrawl/requests",
    "evocrawl/budget",
    "evocrawl/pages",
    "evocrawl/relevant_pages",
    "evocrawl/harvest_rate",
    "evocrawl/visits/dead",
    "evocrawl/visits/refused",
    "evocrawl/population/final",
    "evocrawl/stop_reason",
    "downloader/response_bytes",
    "elapsed_time_seconds",
    "log_count/ERROR",
    "log_count/WARNING",
    "memusage/max",
)
_SHOWN_UNLESS_0 = (
    "evocrawl/pages/unreadable",
    "evocrawl/visits/unsettled",
    "evocrawl/visits/settled_twice",
    "evocrawl/robots/faults",
    "evocrawl/robots/given_up",
    "evocrawl/hosts/given_up",
    "evocrawl/guard/address",
    "evocrawl/guard/scheme",
    "evocrawl/store/unstorable",
    "evocrawl/workers/poisoned",
)


def shown_stats(stats: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stats that a user can act on; stats of problems only if they are not 0.

    >>> shown_stats({"evocrawl/pages": 3, "evocrawl/guard/address": 0, "evocrawl/moves/back": 7})
    {'evocrawl/pages': 3}
    """
    shown = {name: stats[name] for name in _SHOWN if name in stats}
    return shown | {name: stats[name] for name in _SHOWN_UNLESS_0 if stats.get(name)}
