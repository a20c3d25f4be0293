"""The users that the guide describes, as it gives them to Redis."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

GUIDE = Path(__file__).parents[1] / "docs" / "guide" / "workers.md"


def rules(user: str) -> list[str]:
    """Return the rules of a user of the guide, for the crawl with the name `evocrawl`."""
    found = re.search(rf"^ACL SETUSER {user} (.*)$", GUIDE.read_text(), re.MULTILINE)
    assert found is not None
    return found[1].replace("coral", "evocrawl").split()


def further(what: str) -> list[str]:
    """Return the rights that the guide names besides those of all workers."""
    rows = re.findall(r"^- `(\+[^`]*)` for (.*)$", GUIDE.read_text(), re.MULTILINE)
    return next(rights for rights, text in rows if what in text).split()


def add_user(client: Any, user: str, password: str, *more: str) -> None:
    """Make a user of the guide on a server."""
    given = [each.replace("PASSWORD", password) for each in [*rules(user), *more]]
    client.execute_command("ACL", "SETUSER", user, *given)
