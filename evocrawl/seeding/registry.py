"""Names of seed sources, as in ``searxng:https://searx.example/``.

Packages add sources by entry points of the group ``evocrawl.seeding``: a name, and a class with the
interface of `evocrawl.seeding.base.SeedSource`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from evocrawl.core.config.hints import did_you_mean
from evocrawl.core.errors import SettingError
from evocrawl.seeding.base import LocalSource, SeedError, SeedSource
from evocrawl.seeding.cdx import CdxIndex
from evocrawl.seeding.feeds import Feed
from evocrawl.seeding.lists import ListFile, StandardInput
from evocrawl.seeding.mediawiki import MediaWiki
from evocrawl.seeding.searxng import SearxNG
from evocrawl.seeding.sitemaps import Sitemaps
from evocrawl.seeding.stored import StoredCrawl

GROUP = "evocrawl.seeding"
SOURCES: dict[str, type[SeedSource]] = {
    "searxng": SearxNG,
    "mediawiki": MediaWiki,
    "cdx": CdxIndex,
    "sitemap": Sitemaps,
    "feed": Feed,
    "store": StoredCrawl,
    "file": ListFile,
    "stdin": StandardInput,
}
_NOTATION = re.compile(r"([A-Za-z][\w-]*):(?!//)(.*)", re.S)


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A source with the notation that names it."""

    notation: str
    source: SeedSource

    def check(self, option: str) -> None:
        """Raise SettingError, in the name of `option`, for a file that gives no seed."""
        if not isinstance(self.source, LocalSource):
            return
        try:
            self.source.check()
        except SeedError as error:
            allowed = f"{self.source.form} ({error})"
            raise SettingError(option, self.notation, allowed) from error


def is_notation(text: str) -> bool:
    """Return True for ``NAME:ARGUMENT``; False for an address, which has two slashes.

    >>> is_notation("file:urls.txt"), is_notation("https://a.example/"), is_notation("a.example")
    (True, False, False)
    """
    return _NOTATION.fullmatch(text) is not None


def source_of(option: str, notation: str) -> NamedSource:
    """Return the source that `option` names; raises SettingError."""
    found = _NOTATION.fullmatch(notation)
    name, argument = found.groups() if found else ("", notation)
    kind = SOURCES.get(name) or _of_package(name)
    if kind is None:
        names = [*SOURCES, *sorted(_packages())]
        allowed = f"http(s) URLs, or a source of seeds: {', '.join(f'{each}:…' for each in names)}"
        raise SettingError(option, notation, allowed, did_you_mean(name, names))
    try:
        return NamedSource(notation, kind(argument))
    except ValueError as error:
        raise SettingError(option, notation, f"{name}: followed by {kind.form}") from error
    except ImportError as error:
        raise SettingError(
            option, notation, f"a source whose package is there ({error})"
        ) from error


@cache
def _packages() -> dict[str, EntryPoint]:
    return {each.name: each for each in entry_points(group=GROUP)}


def _of_package(name: str) -> type[SeedSource] | None:
    point = _packages().get(name)
    if point is None:
        return None
    kind: type[SeedSource] = point.load()
    return kind
