"""The numbers of a crawl in the text format of Prometheus (version 0.0.4)."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from evocrawl.monitor.record import Record
from evocrawl.monitor.views import Row

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_GAUGES = {
    "agents": ("evocrawl_agents", "agents alive"),
    "energy": ("evocrawl_agents_energy", "energy of the agents alive"),
    "threshold": ("evocrawl_threshold_relevance", "threshold R, from 0 to 1"),
    "harvest": ("evocrawl_harvest_ratio", "relevant pages per request, from 0 to 1"),
    "limit": ("evocrawl_budget_requests", "requests allowed"),
    "hosts": ("evocrawl_hosts", "hosts visited"),
}
_LEFT = {
    "gain": "estimated relevant pages of the next 1000 requests",
    "gain_low": "lower end of the 90 % interval of evocrawl_gain_pages",
    "gain_high": "upper end of the 90 % interval of evocrawl_gain_pages",
    "recall": "estimated share of the relevant pages within reach that are found, from 0 to 1",
    "recall_low": "lower end of the 90 % interval of evocrawl_recall_ratio",
    "recall_high": "upper end of the 90 % interval of evocrawl_recall_ratio",
}
_COUNTERS = {
    "requests": ("evocrawl_requests_total", "HTTP requests sent"),
    "pages": ("evocrawl_pages_total", "distinct pages fetched"),
    "relevant": ("evocrawl_relevant_pages_total", "relevant pages fetched"),
    "agents_born": ("evocrawl_agents_born_total", "agents born"),
}


def metrics(status: Row, record: Record) -> str:
    """Return all metrics; names and labels are the same in every crawl. O(hosts)."""
    lines = []
    for key, value in (status["left"] or {}).items():
        name = f"evocrawl_{key}" + ("_ratio" if key.startswith("recall") else "_pages")
        lines += _metric(name, _LEFT[key], "gauge", [("", value)])
    for kind, table in (("gauge", _GAUGES), ("counter", _COUNTERS)):
        for key, (name, meaning) in table.items():
            if status[key] is not None:
                lines += _metric(name, meaning, kind, [("", status[key])])
    states = [(f'{{state="{each}"}}', int(status["state"] == each)) for each in STATES]
    lines += _metric("evocrawl_state", "1 for the state of the crawl", "gauge", states)
    totals = [(f'{{outcome="{each}"}}', _sum(record, each)) for each in _OUTCOMES]
    name = "evocrawl_visits_without_page_total"
    lines += _metric(name, "visits that brought no page, by outcome", "counter", totals)
    return "\n".join(lines) + "\n"


STATES = ("reading", "running", "paused", "stopping", "stopped", "finished")
_OUTCOMES = ("dead", "refused", "dropped")


def _sum(record: Record, outcome: str) -> int:
    return sum(map(attrgetter(outcome), record.hosts.values()))


def _metric(
    name: str, meaning: str, kind: str, values: Sequence[tuple[str, int | float]]
) -> list[str]:
    head = [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
    return head + [f"{name}{labels} {value}" for labels, value in values]
