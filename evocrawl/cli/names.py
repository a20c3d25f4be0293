"""The commands of `evocrawl`, each with the line that `evocrawl --help` shows."""

from __future__ import annotations

COMMANDS = {
    "sim": "let species crawl a world and compare them",
    "topics": "list the topics of a world",
    "compare": "compare the results of one or more directories",
    "serve": "serve a world over HTTP, for live crawls and your own spider",
    "world": "generate a synthetic world: sites or news",
    "experiment": "repeat the experiments of the papers",
    "score": "say what a page is worth for a query, model by model and term by term",
    "dictionary": "make a file of a dictionary, for pages in another language than the query",
    "export": "write the pages of a stored crawl to a file",
    "explain": "say why a stored crawl fetched a page, or why it did not",
    "report": "write a report of a stored crawl, or of two side by side",
    "mcp": "let an agent crawl, by the Model Context Protocol",
    "workers": "list the workers of a shared crawl, or let one finish and leave",
    "dashboard": "show a stored crawl in a browser, while it runs or later",
}
"""The module of a command has its name, and a function `add_to` that adds its parser."""
