"""The command ``evocrawl``: simulate crawls, compare them; make worlds, serve and look at them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from evocrawl.cli import experiment, export, sim, topics_compare
from evocrawl.cli import serve as serving
from evocrawl.cli import world as making
from evocrawl.core.errors import EvocrawlError
from evocrawl.core.files import problem_of

_DESCRIPTION = """\
Find out which crawler serves your topic before you load other people's servers.

A world is a web in a file, or one made up. `evocrawl sim` lets populations of agents
crawl it and measures what they find; the very same code then crawls the live web by
`scrapy crawl evospider`."""

_EPILOG = """\
a first comparison, in a minute:
  evocrawl topics pages.jsonl.gz
  evocrawl sim pages.jsonl.gz --query "bird species" --relevant Science.Biology.Birds \\
      --species energy,best_first --runs 5 --out birds
  evocrawl compare birds

no world yet? make one up:
  evocrawl sim sites:sites=200,seed=3 --relevant semantic --out sites
and let your own spider crawl it:
  evocrawl serve sites:sites=200,seed=3

`evocrawl COMMAND --help` has more examples.

exit codes: 0 done, 1 done but for what is damaged, 2 a mistake in what was asked, 130 stopped by
Ctrl-C (sim: finished runs are kept; the same command goes on where it stopped)"""

_MISTAKE = 2
_STOPPED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parsed = parser().parse_args(arguments)
    try:
        code = parsed.run(parsed)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing more shall be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except EvocrawlError as error:
        print(f"evocrawl: error: {error}", file=sys.stderr)
        return _MISTAKE
    except OSError as error:
        print(f"evocrawl: error: {problem_of(error)}", file=sys.stderr)
        return _MISTAKE
    except MemoryError:
        print("evocrawl: error: this world is too large for this machine", file=sys.stderr)
        return _MISTAKE
    except KeyboardInterrupt:
        kept = getattr(parsed, "when_stopped", "")
        print(f"evocrawl: stopped{f'; {kept}' if kept else ''}", file=sys.stderr)
        return _STOPPED
    return code or 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command and of all below it."""
    root = argparse.ArgumentParser(
        "evocrawl",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument("--version", action="version", version=f"evocrawl {version('evocrawl')}")
    commands = root.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for part in (sim, topics_compare, serving, making, experiment, export):
        part.add_to(commands)
    return root
