"""Answers each address of the API with JSON values; knows nothing of the transport.

An answer that is linear in the crawl is a generator, see `evocrawl.monitor.steps`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from evocrawl import __version__
from evocrawl.core.model import AgentId
from evocrawl.monitor import views
from evocrawl.monitor.dashboard.parameters import (
    MOST_OFFSET,
    MOST_ROWS,
    ParameterError,
    agent_id,
    flag_of,
    real,
    short,
    text_of,
    visit_id,
    whole,
    whole_of,
)
from evocrawl.monitor.dashboard.source import ControlError, Source
from evocrawl.monitor.results import Filter
from evocrawl.monitor.steps import Steps, in_order

Row = dict[str, Any]
Query = Mapping[str, str]

_CHILDREN = 500
_TRAITS = 60


class NotFoundError(Exception):
    """The requested object does not exist; the message names it."""


class Api:
    """Answers for one crawl. Methods raise ParameterError for a parameter that is not allowed."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.reads: dict[str, Callable[[Query], Row | Steps[Row]]] = {
            "status": self.status,
            "curve": self.curve,
            "results": self.results,
            "agents": self.agents,
            "hosts": self.hosts,
        }
        self.writes: dict[str, Callable[[Row], Row]] = {
            "stop": self.stop,
            "pause": self.pause,
            "resume": self.resume,
            "parameters": self.parameters,
            "exclusions": self.exclusions,
            "feedback": self.feedback,
        }

    def status(self, query: Query | None = None) -> Row:  # noqa: ARG002 - the form of a read
        """Return the numbers of the crawl as a whole. O(1)."""
        source = self.source
        controls = source.controls
        return {
            **views.totals(source.record, source.relevant_at, source.limit),
            "version": __version__,
            "query": source.query,
            "species": source.species,
            "store": source.store,
            "state": controls.state,
            "note": source.note,
            "parameters": controls.parameters(),
            "exclusions": controls.exclusions(),
            "feedback": views.feedback(source.record),
        }

    def curve(self, query: Query) -> Steps[Row]:  # noqa: ARG002
        """Return the course of the crawl, at most 1 000 points. O(points)."""
        return {"points": (yield from views.curve(self.source.record))}

    def results(self, query: Query) -> Steps[Row]:
        """Return some of the pages, the best first; see `Results.shown` for what it costs."""
        only = Filter(
            short(query, "q"),
            short(query, "host"),
            agent_id(query, "agent"),
            real(query, "min", 0.0, 1.0),
            flag_of(query, "marked"),
        )
        start, count = _window(query)
        total, shown = yield from self.source.record.results.shown(only, count, start)
        rows = []
        for each in shown:
            if each.title:
                title = each.title
            else:
                title = self.source.title_of(each.url)
                yield
            rows.append({**views.result(each, self.source.relevant_at), "title": title})
        return {"total": total, "offset": start, "results": rows}

    def agents(self, query: Query) -> Steps[Row]:
        """Return the founders, or the children of `parent`, the lines that found most first.

        O(agents · log agents).
        """
        record = self.source.record
        parent = agent_id(query, "parent")
        start, count = _window(query)
        if parent is None:
            found = [each for each in record.agents.values() if each.parent is None]
        else:
            found = [record.agents[each] for each in self._agent(parent).children]
        if flag_of(query, "alive"):
            found = [each for each in record.agents.values() if each.died_at is None]
        of_line = yield from views.lineages(record)
        ranked = yield from in_order(
            found, lambda each: (-of_line[each.id], each.id), start + count
        )
        rows = [
            {**views.agent(each), "relevant_in_line": of_line[each.id]} for each in ranked[start:]
        ]
        return {"total": len(found), "offset": start, "agents": rows}

    def agent(self, number: str) -> Row:
        """Return an agent with its history, its ancestors and its children."""
        record = self.source.record
        one = self._agent(agent_id({"id": number}, "id") or 0)
        ancestors: list[AgentId] = []
        parent = one.parent
        while parent is not None and len(ancestors) < _CHILDREN:
            ancestors.append(parent)
            parent = record.agents[parent].parent if parent in record.agents else None
        history = [self._happening(asdict(each)) for each in one.history]
        return {
            **views.agent(one),
            "ancestors": ancestors,
            "child_ids": one.children[:_CHILDREN],
            "history": history,
            "traits": [asdict(each) for each in self.source.controls.traits(one.id)[:_TRAITS]],
        }

    def hosts(self, query: Query) -> Steps[Row]:
        """Return some of the hosts, those that brought most first. O(hosts · log hosts)."""
        record = self.source.record
        start, count = _window(query)
        rows = yield from views.hosts(record, count, start)
        for row in rows:
            row["free_in_s"] = max(self.source.free_in_s(row["host"]), 0.0)
        return {"total": len(record.hosts), "offset": start, "hosts": rows}

    def stop(self, body: Row) -> Row:  # noqa: ARG002 - the form of a write
        """End the crawl."""
        self.source.controls.stop()
        return {"state": self.source.controls.state}

    def pause(self, body: Row) -> Row:  # noqa: ARG002
        """Pause the crawl."""
        self.source.controls.pause()
        return {"state": self.source.controls.state}

    def resume(self, body: Row) -> Row:  # noqa: ARG002
        """Continue a paused crawl."""
        self.source.controls.resume()
        return {"state": self.source.controls.state}

    def parameters(self, body: Row) -> Row:
        """Change parameters."""
        if not body:
            raise ParameterError("the body names no parameter")
        return {"parameters": self.source.controls.change(body)}

    def exclusions(self, body: Row) -> Row:
        """Exclude a host, a pattern of addresses, or the line of an agent."""
        if ("agent" in body) == ("pattern" in body):
            raise ParameterError("allowed: either pattern or agent")
        if "agent" in body:
            self.source.controls.exclude_line(self._agent(whole_of(body, "agent")).id)
        else:
            self.source.controls.exclude(text_of(body, "pattern"))
        return {"exclusions": self.source.controls.exclusions()}

    def feedback(self, body: Row) -> Row:
        """Mark a page as relevant or as not relevant."""
        relevant = body.get("relevant")
        if not isinstance(relevant, bool):
            raise ParameterError("relevant: allowed: true or false")
        visit = visit_id(body, "visit")
        if self.source.record.results.get(visit) is None:
            raise NotFoundError(f"no page of visit {visit}")
        return self.source.controls.mark(visit, relevant=relevant)

    def _agent(self, number: AgentId) -> Any:
        try:
            return self.source.record.agents[number]
        except KeyError:
            raise NotFoundError(f"no agent {number}") from None

    def _happening(self, row: Row) -> Row:
        result = self.source.record.results.get(row["visit"]) if row["visit"] else None
        title = "" if result is None else result.title
        return {**row, "url": "" if result is None else result.url, "title": title}


def _window(query: Query) -> tuple[int, int]:
    return whole(query, "offset", 0, MOST_OFFSET), whole(query, "limit", 50, MOST_ROWS)


__all__ = ["Api", "ControlError", "NotFoundError", "ParameterError"]
