"""``evocrawl explain``: says why a stored crawl fetched a page, or why it did not."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from evocrawl.cli.names import COMMANDS

_EPILOG = """\
examples:
  evocrawl explain coral.sqlite https://en.wikipedia.org/wiki/Coral_bleaching
  evocrawl explain coral.sqlite https://en.wikipedia.org/wiki/Reef --format json

It shows the way from the seed, the agent and its ancestors, the words of the link, the terms of
the choice with their weights at that moment, what was predicted and found, and the energy gained
and paid. For a link that was not followed it shows the rank and what is missing.

The command replays the journal of the crawl up to the choice: this takes a few milliseconds a
page. It never changes the crawl, and works while the crawl runs."""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "explain",
        help=COMMANDS["explain"],
        description="Say why a stored crawl followed a link to URL, or why it did not.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=explain)
    command.add_argument(
        "store", metavar="STORE", help="SQLite file of the crawl, or redis://… URL of its workers"
    )
    command.add_argument("url", metavar="URL", help="address of the page or of the link")
    command.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    command.add_argument(
        "--learnt",
        metavar="FILE",
        default="",
        help="link model with which the crawl began, if it had the option learnt",
    )


def explain(asked: argparse.Namespace) -> int:
    """Write the explanation to standard output; return 1 for an address that is not known."""
    from evocrawl.monitor.explain import explain as explained
    from evocrawl.monitor.explain_text import as_text

    found = explained(asked.store, asked.url, learnt=asked.learnt)
    if asked.format == "json":
        print(json.dumps(found.as_json(), indent=2))
    else:
        sys.stdout.write(as_text(found))
    return 1 if found.status == "unknown" else 0
