"""Options of duplicates, traps and soft 404s."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.config.option import flag, option


@dataclass(frozen=True, kw_only=True)
class TrapOptions:
    """Options of duplicates, traps and soft 404s."""

    novelty: bool = option(
        True,
        flag,
        "true or false",
        "whether pages without new content earn nothing, and links like the ones to them wait",
    )
    probe: bool = option(
        True,
        flag,
        "true or false",
        "whether to request one address that cannot exist from each server whose pages have no new "
        "content, to detect soft 404s",
    )
