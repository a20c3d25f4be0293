"""``evocrawl mcp``: lets an agent of the user crawl, by the Model Context Protocol."""

from __future__ import annotations

import argparse
import functools
import os
import re
import secrets
import sys
from typing import Any

from evocrawl.cli.arguments import some_path
from evocrawl.cli.names import COMMANDS
from evocrawl.core.config.config import Config
from evocrawl.core.errors import SettingError, StateError

TOKEN = "EVOCRAWL_MCP_TOKEN"
_TOKEN = re.compile(r"[\w.~-]{16,200}", re.A)

_EPILOG = f"""\
examples:
  evocrawl mcp                                     for a client that starts the command itself
  evocrawl mcp --max-requests 2000 --folder crawls
  {TOKEN}=… evocrawl mcp --http 8765

In the configuration of a client:
  {{"mcpServers": {{"evocrawl": {{"command": "evocrawl", "args": ["mcp"]}}}}}}

The agent gets the tools start_crawl, status, results, page, why, feedback, stop and compare. It
cannot go beyond the limits of this command line: robots.txt is obeyed, and the addresses of this
machine and of private networks are refused, unless you allow them here (--allow-networks).

With --http the server answers this machine only, and only requests with
"Authorization: Bearer TOKEN". The token is the environment variable {TOKEN}, or a random
one that the command prints."""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "mcp",
        help=COMMANDS["mcp"],
        description="Serve crawls to an agent by the Model Context Protocol; needs\n"
        "pip install 'evocrawl[mcp]'.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=mcp)
    command.add_argument("--http", metavar="PORT", type=int,
                         help="serve over HTTP at this port of 127.0.0.1, 0 for any free one "
                         "(default: standard input and output)")  # fmt: skip
    command.add_argument("--max-requests", metavar="N", type=int, default=500,
                         help="most requests of a crawl (default: 500)")  # fmt: skip
    command.add_argument("--max-crawls", metavar="N", type=int, default=2,
                         help="most crawls at once (default: 2)")  # fmt: skip
    command.add_argument("--max-minutes", metavar="N", type=float, default=30.0,
                         help="minutes after which a crawl is stopped (default: 30)")  # fmt: skip
    command.add_argument(
        "--folder", metavar="DIR", type=some_path,
        help="folder for the stores of crawls (default: a temporary one)",
    )  # fmt: skip
    command.add_argument(
        "--allow-networks", metavar="NETWORKS", default="",
        help="networks that crawls may use beside the public Internet",
    )  # fmt: skip
    command.add_argument("-s", "--set", metavar="NAME=VALUE", action="append", default=[],
                         help="setting of Scrapy or evocrawl for each crawl")  # fmt: skip


def mcp(asked: argparse.Namespace) -> int:
    """Serve until the client closes standard input, or until Ctrl-C or SIGTERM."""
    try:
        from evocrawl.api.mcp.serving import serve_http, serve_stdio
    except ImportError as error:
        raise StateError(f"mcp needs pip install 'evocrawl[mcp]' ({error})") from error
    from evocrawl.api.mcp.crawls import Crawls, Limits

    settings = _settings(asked)
    minutes = asked.max_minutes
    limits = Limits(asked.max_requests, asked.max_crawls, minutes * 60, settings)
    crawls = Crawls(limits, asked.folder or "")
    if asked.http is None:
        serve_stdio(crawls)
        return 0
    if not 0 <= asked.http <= 65535:
        raise SettingError("--http", asked.http, "a port from 0 to 65535")
    token, is_random = token_of(os.environ)
    if is_random:
        print(f"token: {token}", file=sys.stderr)
    announce = functools.partial(print, "mcp server:", flush=True)
    return serve_http(crawls, asked.http, token, announce)


def token_of(environment: Any) -> tuple[str, bool]:
    """Return the token, and whether it is a random one. Raises SettingError."""
    token = environment.get(TOKEN, "")
    if token and not _TOKEN.fullmatch(token):
        raise SettingError(TOKEN, "***", "16 to 200 letters, digits or ._~-")
    return token or secrets.token_urlsafe(24), not token


def _settings(asked: argparse.Namespace) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for text in asked.set:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise SettingError("--set", text, "NAME=VALUE")
        settings[name] = value
    if asked.allow_networks:
        settings["EVOCRAWL_ALLOW_NETWORKS"] = asked.allow_networks
    Config.read(settings, {"query": "a mistake shows now, and not to the agent"})
    return settings
