"""Several crawls in one process that write their visits: `python witness.py SETTINGS CRAWLS`.

Both arguments are JSON: an object, and a list of objects with evospider's arguments.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.utils.project import get_project_settings

from evocrawl.adapter.context import CrawlContext
from evocrawl.core.events import Event, VisitSettled


class Witness:
    """Extension: writes how each visit ended, in order, to SPECIES.jsonl in the folder WITNESS.

    A line is url, agent, outcome, reason and relevance.
    """

    @classmethod
    def from_crawler(cls, crawler: Any) -> Witness:
        self = cls()
        context = CrawlContext.of(crawler)
        self.path = Path(crawler.settings["WITNESS"], f"{context.config.species}.jsonl")
        context.population.on_event.append(self._note)
        return self

    def _note(self, event: Event) -> None:
        if isinstance(event, VisitSettled):
            visit = event.visit
            row = visit.lead.url, visit.agent, event.outcome, event.reason, event.relevance
            with self.path.open("a") as file:
                file.write(json.dumps(row) + "\n")


def main(settings: dict[str, Any], crawls: list[dict[str, Any]]) -> None:
    """Run the crawls side by side, and wait for them."""
    project = get_project_settings()
    project.setdict({**settings, "EXTENSIONS": {Witness: 1}}, "cmdline")
    process = AsyncCrawlerProcess(project)
    for arguments in crawls:
        process.crawl("evospider", **arguments)
    process.start()


if __name__ == "__main__":
    main(*map(json.loads, sys.argv[1:3]))
