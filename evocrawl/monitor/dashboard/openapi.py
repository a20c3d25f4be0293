"""The description of the API in OpenAPI 3.1."""

from __future__ import annotations

from typing import Any

from evocrawl import __version__
from evocrawl.monitor.dashboard.parameters import MOST_NUMBER, MOST_OFFSET, MOST_ROWS

Row = dict[str, Any]


def _up_to(most: int, least: int = 0) -> Row:
    return {"type": "integer", "minimum": least, "maximum": most}


_OBJECT: Row = {"type": "object"}
_WINDOW: list[Row] = [
    {"name": "offset", "in": "query", "schema": _up_to(MOST_OFFSET)},
    {"name": "limit", "in": "query", "schema": _up_to(MOST_ROWS)},
]
_TEXT: Row = {"type": "string", "maxLength": 500}
_FLAG: Row = {"type": "string", "enum": ["true", "false"]}
_NUMBER: Row = _up_to(MOST_NUMBER)
_ERRORS = {
    "400": "a parameter is not allowed", "401": "the token is missing or wrong",
    "403": "the request comes from a page of another site", "421": "the Host header is foreign",
    "429": "too many requests",
}  # fmt: skip

READS: dict[str, tuple[str, list[Row]]] = {
    "status": ("The numbers, state, parameters and exclusions of the crawl", []),
    "curve": ("The course of the crawl, at most 1 000 points", []),
    "results": (
        "Pages, the most relevant first",
        [
            {"name": "q", "in": "query", "schema": _TEXT},
            {"name": "host", "in": "query", "schema": _TEXT},
            {"name": "agent", "in": "query", "schema": _NUMBER},
            {
                "name": "min",
                "in": "query",
                "schema": {"type": "number", "minimum": 0, "maximum": 1},
            },
            {"name": "marked", "in": "query", "schema": _FLAG},
            *_WINDOW,
        ],
    ),
    "agents": (
        "Founders, the children of an agent, or all that are alive",
        [
            {"name": "parent", "in": "query", "schema": _NUMBER},
            {"name": "alive", "in": "query", "schema": _FLAG},
            *_WINDOW,
        ],
    ),
    "agents/{id}": (
        "An agent with its history",
        [{"name": "id", "in": "path", "required": True, "schema": _NUMBER}],
    ),
    "hosts": ("Hosts, those that brought most first", _WINDOW),
    "explain": (
        "Why an address was fetched, or was not; as evocrawl explain --format json",
        [{"name": "url", "in": "query", "required": True, "schema": {"type": "string"}}],
    ),
    "events": ("Server-sent events: the status, once a second where it has changed", []),
    "openapi.json": ("This description", []),
}
"""Address to summary and parameters of each GET."""

WRITES: dict[str, tuple[str, Row]] = {
    "stop": ("End the crawl cleanly", _OBJECT),
    "pause": ("Choose no further link", _OBJECT),
    "resume": ("Go on after a pause", _OBJECT),
    "parameters": (
        "Change the budget, the bounds of the population, or the energies of a visit and a page",
        {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": False,
            "properties": {
                "max_requests": {"type": "integer", "minimum": 0},
                "lower_bound": {"type": "integer", "minimum": 0},
                "upper_bound": {"type": "integer", "minimum": 1},
                "cost": {"type": "number", "minimum": 0},
                "gain": {"type": "number", "exclusiveMinimum": 0},
            },
        },
    ),
    "exclusions": (
        "Follow no link to a host (example.org) or to addresses of a pattern "
        "(example.org/tag/*), or end an agent and its living descendants",
        {
            "type": "object",
            "oneOf": [{"required": ["pattern"]}, {"required": ["agent"]}],
            "properties": {
                "pattern": {"type": "string", "minLength": 1, "maxLength": 500},
                "agent": _up_to(MOST_NUMBER - 1, 1),
            },
        },
    ),
    "feedback": (
        "Mark a page as relevant or not relevant: the crawl learns from it at once",
        {
            "type": "object",
            "required": ["visit", "relevant"],
            "properties": {
                "visit": _up_to(MOST_NUMBER - 1, 1),
                "relevant": {"type": "boolean"},
            },
        },
    ),
}
"""Address to summary and body of each POST."""


_NAMING = ("feedback", "exclusions")
"""Writes whose body names a thing that may not exist."""


def description() -> Row:
    """Return the whole description."""
    paths: Row = {}
    for name, (summary, parameters) in READS.items():
        kind = "text/event-stream" if name == "events" else "application/json"
        paths[f"/api/v1/{name}"] = {
            "get": {
                "summary": summary,
                "parameters": parameters,
                "responses": _responses(kind, "404" if name.startswith("agents") else ""),
            }
        }
    for name, (summary, body) in WRITES.items():
        content = {"application/json": {"schema": body}}
        paths[f"/api/v1/{name}"] = {
            "post": {
                "summary": summary,
                "requestBody": {"required": True, "content": content},
                "responses": _responses("application/json", "404" if name in _NAMING else ""),
                "security": [{"token": []}],
            }
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "evocrawl", "version": __version__},
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _responses(kind: str, extra: str) -> Row:
    schema: Row = {} if kind == "text/event-stream" else {"schema": _OBJECT}
    found = {"200": {"description": "the answer", "content": {kind: schema}}}
    errors = {**_ERRORS, "409": "the crawl refuses it", "503": "busy"}
    if extra:
        errors[extra] = "there is no such thing"
    for status, meaning in errors.items():
        found[status] = {
            "description": meaning,
            "content": {"application/json": {"schema": _OBJECT}},
        }
    return found
