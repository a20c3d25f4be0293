"""Rows of JSON values for every view: the summary, the curve, results, agents and hosts.

What is linear in the crawl is a generator that yields after each short step (`monitor.steps`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evocrawl.core.model import AgentId
from evocrawl.estimation.forecast import recall
from evocrawl.estimation.outlook import numbers
from evocrawl.monitor.curve import Point
from evocrawl.monitor.record import AgentRecord, HostRecord, Record
from evocrawl.monitor.results import Result
from evocrawl.monitor.steps import Steps, in_order
from evocrawl.monitor.summary import KINDS
from evocrawl.population.population import Population

Row = dict[str, Any]

_STEP, _POINTS = 500, 20


def totals(record: Record, relevant_at: float, limit: int | None) -> Row:
    """Return the numbers of the crawl as a whole. O(pages left)."""
    now, outlook = record.point(), record.outlook
    return {
        "requests": now.requests,
        "limit": limit,
        "pages": now.pages,
        "relevant": now.relevant,
        "relevant_at": relevant_at,
        "harvest": now.relevant / now.requests if now.requests else 0.0,
        "left": None if outlook is None else numbers(outlook),
        "agents": now.agents,
        "agents_born": len(record.agents),
        "energy": now.energy,
        "threshold": now.threshold,
        "hosts": len(record.hosts),
        "seconds": now.seconds,
        "pages_per_second": now.pages / now.seconds if now.seconds > 0 else 0.0,
    }


def curve(record: Record) -> Steps[list[Row]]:
    """Return the points of the curve; `harvest` and `pages_per_second` are of the last stretch.

    A stretch is a twentieth of the crawl, 20 requests at least, so that the curve is smooth. The
    recall of each point is estimated once, when it is first shown. If several visits settle while
    no request is sent, the last one has a point.
    """
    # If several points have one number of requests, uPlot would show the first as the end.
    points = [*{each.requests: each for each in record.curve.whole(record.point())}.values()]
    if not points:
        return []
    stretch = max(20, points[-1].requests // 20)
    rows: list[Row] = []
    first = 0
    for at, point in enumerate(points):
        if at % _POINTS == _POINTS - 1:
            yield
        while point.requests - points[first].requests > stretch:
            first += 1
        begin = points[max(first - 1, 0)]
        requests = point.requests - begin.requests
        seconds = point.seconds - begin.seconds
        is_first = begin is point
        rows.append({
            **_point(point),
            "harvest": (point.relevant if is_first else point.relevant - begin.relevant)
            / max(point.requests if is_first else requests, 1),
            "pages_per_second": (point.pages - begin.pages) / seconds if seconds > 0 else None,
        })  # fmt: skip
    return rows


def _point(point: Point) -> Row:
    recent_yield = point.recent_yield
    return {
        "requests": point.requests,
        "seconds": point.seconds,
        "pages": point.pages,
        "relevant": point.relevant,
        "agents": point.agents,
        "energy": point.energy,
        "threshold": point.threshold,
        "recall": None if recent_yield is None else recall(point.relevant, recent_yield),
    }


def result(row: Result, relevant_at: float) -> Row:
    """Return a page as JSON values."""
    return {**shallow(row), "relevant": row.relevance >= relevant_at}


def shallow(row: Result | HostRecord) -> Row:
    """Return the fields of a row by name; `asdict` copies the values and is slower."""
    return {name: getattr(row, name) for name in row.__slots__}


def agent(row: AgentRecord) -> Row:
    """Return an agent as JSON values, without its history."""
    return {
        "id": row.id,
        "parent": row.parent,
        "species": row.species,
        "born_at": row.born_at,
        "died_at": row.died_at,
        "is_alive": row.died_at is None,
        "energy": row.energy,
        "visits": row.visits,
        "pages": row.pages,
        "relevant": row.relevant,
        "gained": row.gained,
        "paid": row.paid,
        "best": row.best or None,
        "best_relevance": max(row.best_relevance, 0.0) if row.best else None,
        "children": len(row.children),
    }


def host(row: HostRecord) -> Row:
    """Return a host as JSON values."""
    return {
        **shallow(row),
        "trouble": KINDS.get(row.trouble, row.trouble),
        "mean_seconds": row.seconds / row.pages if row.pages else None,
        "harvest": row.relevant / row.visits if row.visits else 0.0,
    }


def hosts(record: Record, count: int, start: int = 0) -> Steps[list[Row]]:
    """Return the hosts that brought most, `count` of them from `start` on. O(n log n) in hosts."""
    ranked = yield from in_order(
        [*record.hosts.values()],
        lambda each: (-each.relevant, -each.pages, each.host),
        start + count,
    )
    return [host(each) for each in ranked[start:]]


def feedback(record: Record) -> Row | None:
    """Return the harvest rate before the first mark of a user and after it; None without marks."""
    marks = getattr(record, "marks", [])
    if not marks:
        return None
    first, now = marks[0], record.point()
    requests, relevant = now.requests - first.requests, now.relevant - first.relevant_pages
    return {
        "marks": len(marks),
        "harvest_before": first.relevant_pages / first.requests if first.requests else 0.0,
        "harvest_after": relevant / requests if requests > 0 else None,
    }


def lineages(record: Record) -> Steps[dict[AgentId, int]]:
    """Return the number of relevant pages of each agent and all its descendants.

    O(agents · log agents), by Timsort O(agents) where they were born in the order of their numbers.
    """
    agents = record.agents
    found: dict[AgentId, int] = {}
    # A child has a greater number than its parent.
    for at, number in enumerate(sorted(agents, reverse=True)):
        one = agents[number]
        found[number] = of_line = found.get(number, 0) + one.relevant
        if one.parent is not None:
            found[one.parent] = found.get(one.parent, 0) + of_line
        if at % _STEP == _STEP - 1:
            yield
    return found


def line_of(agents: Mapping[AgentId, AgentRecord], agent: AgentId) -> list[AgentId]:
    """Return an agent and all its descendants. O(descendants)."""
    line = [agent] if agent in agents else []
    for each in line:
        line += agents[each].children
    return line


def exclusions_of(population: Population) -> list[str]:
    """Return the hosts, patterns and lines of agents that a user has excluded."""
    lines = [f"agent {each} and its line" for each in population.excluded_lines]
    return [*population.discovery.exclusions.patterns, *lines]
