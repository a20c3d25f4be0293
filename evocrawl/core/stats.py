"""The stats of a crawl: every name once, with what it counts."""

from __future__ import annotations

from evocrawl.core.budget import Budget
from evocrawl.core.ledger import Ledger

STATS: dict[str, str] = {
    "evocrawl/requests": "HTTP requests made, robots.txt, redirects, retries and failures included",
    "evocrawl/budget": "HTTP requests allowed; not set without a limit",
    "evocrawl/pages": "distinct pages fetched and scored",
    "evocrawl/relevant_pages": "of these, pages whose relevance reached EVOCRAWL_RELEVANT_AT",
    "evocrawl/harvest_rate": "relevant pages for each HTTP request, from 0 to 1",
    "evocrawl/mean_relevance": "mean relevance of the distinct pages, from 0 to 1",
    "evocrawl/pages/nothing_new": "pages that said nothing new, which earns nothing",
    "evocrawl/links/held_back": "times a link was held back as one of a trap's",
    "evocrawl/pages/truncated": "pages of which only a part was read",
    "evocrawl/pages/unreadable": "pages that could not be read: they took too long, or broke it",
    "evocrawl/pages/read_aside": "big or unusual pages, read in a process of their own",
    "evocrawl/soft_404/probes": "addresses that cannot exist asked for, at most one a server",
    "evocrawl/soft_404/pages": "answers of 200 taken for what a server says where nothing is",
    "evocrawl/visits/opened": "visits given out",
    "evocrawl/visits/settled": "visits settled",
    "evocrawl/visits/unsettled": "visits given out and never settled; other than 0 is a leak",
    "evocrawl/visits/settled_twice": "attempts to settle a visit again; other than 0 is a mistake",
    "evocrawl/visits/fetched": "visits that brought a page",
    "evocrawl/visits/dead": "visits that met an error, a status of 400 or more, or no HTML",
    "evocrawl/visits/refused": "visits that robots.txt forbade",
    "evocrawl/visits/dropped": "visits that a middleware, a filter or the end took away",
    "evocrawl/energy/in": "energy that pages gave to agents, net of what negative pages took",
    "evocrawl/energy/out": "energy that agents paid in fees",
    "evocrawl/energy/founders": "energy that founders brought with them",
    "evocrawl/energy/died": "energy that left with the dead (zero or less)",
    "evocrawl/energy/left_on_pages": "energy lying on pages at the end, uneaten",
    "evocrawl/agents/births": "agents born, founders included",
    "evocrawl/agents/founders": "agents that began at the seeds",
    "evocrawl/agents/deaths": "agents that died",
    "evocrawl/population/final": "agents alive at the end",
    "evocrawl/population/largest": "most agents alive at one time",
    "evocrawl/moves/energy": "moves to a page with energy",
    "evocrawl/moves/dead_end": "moves out of a page without open links",
    "evocrawl/moves/back": "moves back to the page an agent came from",
    "evocrawl/moves/rescue": "moves of a dying agent that the lower bound kept",
    "evocrawl/browser/requests": "of the requests, those that a browser made by itself",
    "evocrawl/browser/refused": "requests of a browser that robots.txt, guard or budget forbade",
    "evocrawl/robots/unreachable": "fetches of robots.txt that met a server error or no server",
    "evocrawl/robots/faults": "robots.txt files not fetched for a fault in a handler or middleware",
    "evocrawl/robots/given_up": "sites whose robots.txt stayed unreachable: nothing was fetched",
    "evocrawl/retries": "links that failed and were opened again, to be tried later",
    "evocrawl/put_off": "links that were opened again where a redirect led, since that host could "
    "not be asked then",
    "evocrawl/hosts/failures": "answers and failures that called for leaving a host alone",
    "evocrawl/hosts/given_up": "requests not sent since their host was given up",
    "evocrawl/guard/address": "requests refused for the address of their host; none was sent",
    "evocrawl/guard/scheme": "requests refused for a scheme other than http, https and data",
    "evocrawl/store/runs": "runs of this crawl, this one included; not set without a store",
    "evocrawl/store/repeated": "visits under way when the last run ended, made again",
    "evocrawl/store/unstorable": "links whose requests could not be stored: lost to later runs",
    "evocrawl/agents/came": "agents that came from another worker's population",
    "evocrawl/agents/left": "agents that went to another worker's population",
    "evocrawl/workers/fenced": "visits of a worker that came too late: their hosts were another's "
    "by then; set where a crawl is shared",
    "evocrawl/workers/poisoned": "entries in Redis that could not be read, and were put aside",
    "evocrawl/workers/taken_over": "hosts that were another worker's before",
    "evocrawl/stop_reason": "exhausted or extinct where Scrapy's reason is finished, else that one",
}


def report(ledger: Ledger, budget: Budget, *, twice: int = 0) -> dict[str, int | float]:
    """Return the value of every numeric stat."""
    values: dict[str, int | float] = {
        "evocrawl/requests": budget.spent,
        "evocrawl/pages": ledger.pages,
        "evocrawl/relevant_pages": ledger.relevant,
        "evocrawl/harvest_rate": ledger.relevant / budget.spent if budget.spent else 0.0,
        "evocrawl/pages/nothing_new": ledger.repeated,
        "evocrawl/links/held_back": ledger.held_back,
        "evocrawl/mean_relevance": ledger.relevance / ledger.pages if ledger.pages else 0.0,
        "evocrawl/visits/opened": ledger.opened,
        "evocrawl/visits/settled": ledger.settled,
        "evocrawl/visits/unsettled": ledger.opened - ledger.settled,
        "evocrawl/visits/settled_twice": twice,
        "evocrawl/energy/in": ledger.eaten,
        "evocrawl/energy/out": ledger.paid,
        "evocrawl/energy/founders": ledger.granted,
        "evocrawl/energy/died": ledger.buried,
        "evocrawl/energy/left_on_pages": ledger.laid - ledger.eaten,
        "evocrawl/agents/births": ledger.births,
        "evocrawl/agents/founders": ledger.founders,
        "evocrawl/agents/deaths": ledger.deaths,
        "evocrawl/agents/came": ledger.came,
        "evocrawl/agents/left": ledger.left,
        "evocrawl/population/final": ledger.population,
        "evocrawl/population/largest": ledger.largest,
    }
    if budget.limit is not None:
        values["evocrawl/budget"] = budget.limit
    for outcome in ("fetched", "dead", "refused", "dropped"):
        values[f"evocrawl/visits/{outcome}"] = ledger.outcomes[outcome]
    for why in ("energy", "dead end", "back", "rescue"):
        values[f"evocrawl/moves/{why.replace(' ', '_')}"] = ledger.moves[why]
    return values
