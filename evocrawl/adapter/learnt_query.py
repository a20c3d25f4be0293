"""Warns of a crawl that begins with what a crawl for another query has learnt."""

from __future__ import annotations

import logging

from evocrawl.core.config.config import Config
from evocrawl.core.sanitize import one_line
from evocrawl.species.evo.link_model.persistence import query_of

logger = logging.getLogger(__name__)


def warn_of_another_query(config: Config) -> None:
    """Log a warning if the file `learnt`, which has been read, is of a query with other words."""
    earlier = query_of(config.learnt) if config.learnt else ""
    if earlier and config.query and _words(earlier) != _words(config.query):
        logger.warning(
            "learnt: %s is of a crawl for %r; if the topic is another one, a crawl finds more "
            "without it",
            config.learnt,
            one_line(earlier),
        )


def _words(query: str) -> list[str]:
    return sorted(query.casefold().split())
