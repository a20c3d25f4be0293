"""Shared by the tests of robots.txt: a host and its rules."""

from __future__ import annotations

from evocrawl.politeness.robots.rules import (
    RobotsRules,
)

H = "http://h.test"


def rules(body: bytes | str, agent: str = "evocrawl", status: int = 200) -> RobotsRules:
    raw = body.encode() if isinstance(body, str) else body
    return RobotsRules.from_response(status, raw, agent)
