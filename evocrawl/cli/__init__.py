"""The command ``evocrawl``: simulates and compares crawls, generates and serves worlds."""

from __future__ import annotations

from evocrawl.adapter.early_stop import end_command_in_one_line, raise_again

end_command_in_one_line()

# ruff: noqa: E402 - Ctrl-C may come during the imports below
import argparse
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from evocrawl import __version__
from evocrawl.cli.arguments import OneLineParser, print_error
from evocrawl.cli.names import COMMANDS
from evocrawl.core.errors import EvocrawlError
from evocrawl.core.files import problem_of

_DESCRIPTION = """\
Find the best crawler for your topic before you send requests to real servers.

A world is a web in a file, or a synthetic web. `evocrawl sim` lets populations of agents
crawl a world and measures what they find. `scrapy crawl evospider` runs the same code
on the live web."""

_EPILOG = """\
a first comparison, in a minute:
  evocrawl topics pages.jsonl.gz
  evocrawl sim pages.jsonl.gz --query "bird species" --relevant Science.Biology.Birds \\
      --species evo,best_first --runs 5 --out birds
  evocrawl compare birds

no world yet? use a synthetic one:
  evocrawl sim sites:sites=200,seed=3 --relevant semantic --out sites
and let your own spider crawl it:
  evocrawl serve sites:sites=200,seed=3

`evocrawl COMMAND --help` has more examples.

exit codes: 0 success, 1 success but damaged entries were left out, 2 error in the arguments or
files, 130 stopped by Ctrl-C (sim: finished runs are kept; the same command continues)"""

_ERROR = 2
_STOPPED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    parsed = None
    try:
        raise_again()
        parsed = parser(given).parse_args(given)
        code = parsed.run(parsed)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the pipe has closed it; Python must not write to it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except EvocrawlError as error:
        print_error(str(error))
        return _ERROR
    except OSError as error:
        print_error(problem_of(error))
        return _ERROR
    except MemoryError:
        print_error("out of memory: the world is too large for this machine")
        return _ERROR
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C changes nothing any more
        kept = getattr(parsed, "when_stopped", "")
        print(f"evocrawl: stopped{f'; {kept}' if kept else ''}", file=sys.stderr)
        return _STOPPED
    return code or 0


def parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser for `arguments`; only the command among them is imported and complete."""
    root = OneLineParser(
        "evocrawl",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument("--version", action="version", version=f"evocrawl {__version__}")
    commands = root.add_subparsers(title="commands", metavar="COMMAND", required=True)
    asked = next((each for each in arguments if not each.startswith("-")), None)
    for name, line in COMMANDS.items():
        if name == asked:
            import_module(f"evocrawl.cli.{name}").add_to(commands)
        else:
            commands.add_parser(name, help=line)
    return root
