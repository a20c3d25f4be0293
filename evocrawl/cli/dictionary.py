"""``evocrawl dictionary``: makes a file of bilingual dictionaries, for pages in other languages."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from evocrawl.cli.arguments import some_path
from evocrawl.cli.names import COMMANDS

_PAIR = re.compile(r"(?:^|-)([a-z]{2,3})-([a-z]{2,3})$")
_EPILOG = """\
examples:
  evocrawl dictionary /usr/share/dictd/freedict-deu-eng --out german.dictionary
  evocrawl dictionary /usr/share/dictd/freedict-{fra-eng,eng-fra} --out french.dictionary
  evocrawl dictionary words.index --languages sv en --out swedish.dictionary

and then, for pages in German:
  scrapy crawl evospider -a query="coral bleaching" -a dictionaries=german.dictionary -a seeds=…

SOURCE is a dictionary of dictd: the files NAME.index and NAME.dict.dz or NAME.dict. Debian has
those of FreeDict: apt install dict-freedict-deu-eng. Several SOURCEs between the same two
languages give one file. It serves for both directions.

The licence of the file is that of the dictionaries: `licence` in its table `about`."""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "dictionary",
        help=COMMANDS["dictionary"],
        description="Make a file of a bilingual dictionary, by which a crawl reads pages in another"
        " language\nthan that of its query.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)
    command.add_argument("source", metavar="SOURCE", nargs="+", help="dictionary of dictd")
    command.add_argument("--out", metavar="FILE", type=some_path, required=True,
                         help="file to write")  # fmt: skip
    command.add_argument(
        "--languages", metavar=("FROM", "INTO"), nargs=2,
        help="codes of the languages, such as de en (default: by the end of the name, as deu-eng)",
    )  # fmt: skip


def run(asked: argparse.Namespace) -> None:
    """Read the dictionaries, write the file, and print how many words it has."""
    from evocrawl.core.files import check_writable
    from evocrawl.relevance.language_check import name_of
    from evocrawl.relevance.translation.dictd import Dictd
    from evocrawl.relevance.translation.making import Source, make_dictionary

    out: Path = asked.out
    check_writable(out)
    sources = []
    for place in asked.source:
        texts = Dictd(place)
        sources.append(Source(texts, *_languages(texts.name, asked.languages)))
    counts = make_dictionary(sources, out)
    words = " and ".join(f"{count} words of {name_of(each)}" for each, count in counts.items())
    print(f"{out}: {words}, {out.stat().st_size / 1e6:.1f} MB")


def _languages(name: str, given: list[str] | None) -> tuple[str, str]:
    """Return the two languages of a dictionary, as primary subtags."""
    from langcodes import standardize_tag

    from evocrawl.core.errors import SettingError
    from evocrawl.relevance.terms import primary_language

    found = _PAIR.search(name)
    if given is None and found is None:
        allowed = "two codes such as --languages de en, since the name does not end like deu-eng"
        raise SettingError("--languages", name, allowed)
    codes = found.groups() if given is None and found else tuple(given or ())
    one, other = (primary_language(standardize_tag(primary_language(each))) for each in codes)
    return one, other
