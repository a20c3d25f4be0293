"""Reads the parameters of a request; each error names what is allowed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from evocrawl.core.model import AgentId, VisitId

_LONGEST = 500
MOST_ROWS = 200
MOST_OFFSET = 10_000_000
MOST_NUMBER = 2**53
"""Greatest number of an agent; JavaScript has no greater whole numbers."""


class ParameterError(ValueError):
    """A parameter is not allowed; the message names it and the allowed values."""


def whole(query: Mapping[str, str], name: str, default: int, most: int) -> int:
    """Return a whole number from 0 to `most`."""
    raw = query.get(name)
    if raw is None:
        return default
    if not (raw.isascii() and raw.isdecimal() and len(raw) < 17) or int(raw) > most:
        raise ParameterError(f"{name}: allowed: a whole number from 0 to {most}")
    return int(raw)


def real(query: Mapping[str, str], name: str, default: float, most: float) -> float:
    """Return a number from 0 to `most`."""
    raw = query.get(name)
    if raw is None:
        return default
    try:
        value = float(raw)
    except ValueError:
        value = math.nan
    if not 0 <= value <= most:
        raise ParameterError(f"{name}: allowed: a number from 0 to {most:g}")
    return value


def short(query: Mapping[str, str], name: str) -> str:
    """Return a text of at most 500 characters, "" unless given."""
    text = query.get(name, "")
    if len(text) > _LONGEST:
        raise ParameterError(f"{name}: allowed: at most {_LONGEST} characters")
    return text


def flag_of(query: Mapping[str, str], name: str) -> bool:
    """Return a truth value; False unless given."""
    raw = query.get(name, "false")
    if raw not in ("true", "false"):
        raise ParameterError(f"{name}: allowed: true or false")
    return raw == "true"


def agent_id(query: Mapping[str, str], name: str) -> AgentId | None:
    """Return the number of an agent, None unless given."""
    return whole(query, name, 0, MOST_NUMBER) if name in query else None


def visit_id(body: Mapping[str, Any], name: str) -> VisitId:
    """Return the number of a visit in the body of a request."""
    return whole_of(body, name)


def whole_of(body: Mapping[str, Any], name: str) -> int:
    """Return a whole number from 1 in the body of a request; 7.0 is one, as in JSON Schema."""
    value = body.get(name)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < MOST_NUMBER:
        raise ParameterError(f"{name}: allowed: a whole number from 1")
    return value


def text_of(body: Mapping[str, Any], name: str) -> str:
    """Return a text of 1 to 500 characters in the body of a request."""
    value = body.get(name)
    if not isinstance(value, str) or not 0 < len(value.strip()) <= _LONGEST:
        raise ParameterError(f"{name}: allowed: a text of 1 to {_LONGEST} characters")
    return value.strip()
