"""The notation of sources, and the errors for wrong ones."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import ClassVar

import pytest

from evocrawl.core.config.config import Config
from evocrawl.core.errors import SettingError
from evocrawl.seeding import registry
from evocrawl.seeding.base import Fetch, Seed, Topic
from evocrawl.seeding.registry import is_notation, source_of

PLAIN = "https://a.test/x?u=http://b.test,c"


def test_sources_and_urls_may_be_mixed() -> None:
    """Separated by spaces or commas; a comma in an address does not separate."""
    raw = f"searxng:https://s.test/ {PLAIN},store:my.sqlite, file:a,b.txt,stdin:\nwww.a.test"
    seeds = Config.read({}, {"seeds": raw}).seeds
    assert seeds == (
        "searxng:https://s.test/", PLAIN, "store:my.sqlite", "file:a,b.txt", "stdin:", "www.a.test",
    )  # fmt: skip
    assert [is_notation(each) for each in seeds] == [True, False, True, True, True, False]


@pytest.mark.parametrize(
    ("notation", "words"),
    [
        ("serxng:https://a.test/", "did you mean searxng?"),
        ("searxng:", "searxng: followed by the address of an instance"),
        ("searxng:ftp://a.test/", "searxng: followed by the address of an instance"),
        ("mediawiki:wiki.test", "api.php"),
        ("cdx:https://index.test/CC", "a pattern of addresses"),
        ("sitemap:a.test", "the address of a site"),
        ("feed:", "the address of a feed"),
        ("store:", "the store of an earlier crawl"),
        ("file:", "a file with an address a line"),
        ("stdin:x", "nothing after the colon"),
        ("gopher:x", "searxng:…, mediawiki:…"),
    ],
)
def test_a_wrong_source_is_named_with_what_is_allowed(notation: str, words: str) -> None:
    """In one line, before anything is fetched."""
    with pytest.raises(SettingError) as error:
        source_of("seeds", notation)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


class Mine:
    """A source of another package."""

    form: ClassVar[str] = "anything"

    def __init__(self, argument: str) -> None:
        self.argument = argument

    async def seeds(self, topic: Topic, fetch: Fetch) -> list[Seed]:  # noqa: ARG002 - the protocol
        return [Seed(self.argument)]


def test_packages_add_sources_by_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the group evocrawl.seeding."""
    point = EntryPoint("mine", f"{__name__}:Mine", registry.GROUP)
    monkeypatch.setattr(registry, "_packages", lambda: {"mine": point})
    found = source_of("seeds", "mine:http://a.test/")
    assert isinstance(found.source, Mine)
    assert found.source.argument == "http://a.test/"
    with pytest.raises(SettingError, match="mine:…"):
        source_of("seeds", "your:http://a.test/")
