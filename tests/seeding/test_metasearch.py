"""Seeds of ddgs: its own engines and parsers over a substitute for its network layer."""

from __future__ import annotations

import asyncio
import builtins
import logging
from typing import Any

import primp
import pytest
from answers import Web
from search_engine import Reply, SearchEngine, mojeek

from evocrawl.core.errors import SettingError
from evocrawl.relevance.patterns import Patterns
from evocrawl.seeding.base import SeedError, Topic
from evocrawl.seeding.registry import source_of


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> type[SearchEngine]:
    monkeypatch.setattr(primp, "Client", SearchEngine)
    monkeypatch.setattr(SearchEngine, "asked", [])
    return SearchEngine


def test_results_of_a_search_engine_are_seeds(
    engine: type[SearchEngine], caplog: pytest.LogCaptureFixture
) -> None:
    """In their order, each once; addresses that no crawl can request are left out."""
    engine.reply = mojeek(
        ("http://a.test/coral", "Coral bleaching"), ("javascript:alert(1)", "Coral bleaching 2"),
        ("mailto:a@a.test", "x"), ("http://bücher.test/a+b", "Coral <b>&amp;</b> bleaching"),
        ("http://a.test/coral", "Coral bleaching again"), ("", "none"), ("/relative", "no host"),
    )  # fmt: skip
    web = Web({})
    with caplog.at_level(logging.WARNING):
        seeds = web.seeds("ddgs:mojeek")
    assert {each.url for each in seeds} == {"http://a.test/coral", "http://bücher.test/a+b"}
    assert web.asked == []
    assert [(method, more["params"]["q"]) for method, _, more in engine.asked] == [
        ("GET", "coral bleaching")
    ]
    assert [record.getMessage() for record in caplog.records] == [
        "seeds: ddgs makes its requests to search engines itself: robots.txt, delays, the address "
        "guard and the budget of the crawl do not hold for them"
    ]


def test_at_most_the_wanted_number_of_seeds_is_given(engine: type[SearchEngine]) -> None:
    engine.reply = mojeek(*((f"http://a.test/{n}", f"coral bleaching {n}") for n in range(3000)))
    assert len(Web({}).seeds("ddgs:mojeek", most=7)) == 7


@pytest.mark.parametrize(
    "reply",
    [
        Reply(429, "slow down"), Reply(200, ""), Reply(200, "{}"), Reply(200, "<html>"),
        Reply(200, "\0" * 100), mojeek(), Reply(302, ""), RuntimeError("no route"),
        Reply(200, "<ul class='results'><li><h2><a>no href</a></h2></li></ul>"),
        primp.TimeoutError("timed out"),
    ],
)  # fmt: skip
def test_a_search_engine_that_fails_gives_no_seed(
    engine: type[SearchEngine], reply: Reply | Exception
) -> None:
    """An engine whose answer has another form gives no seed either."""
    engine.reply = reply
    try:
        assert Web({}).seeds("ddgs:mojeek") == []
    except SeedError as error:
        assert str(error)


def test_a_crawl_without_a_query_asks_no_engine(engine: type[SearchEngine]) -> None:
    topic = Topic("", "", Patterns("", argument="coral"), 20)
    with pytest.raises(SeedError, match="no query"):
        asyncio.run(source_of("seeds", "ddgs:").source.seeds(topic, Web({}).fetch))
    assert engine.asked == []


@pytest.mark.parametrize("argument", ["altavista", "mojeek,altavista", ",", "http://a.test"])
def test_an_engine_that_ddgs_does_not_know_is_refused_at_once(argument: str) -> None:
    with pytest.raises(SettingError, match="search engines that ddgs knows"):
        source_of("seeds", f"ddgs:{argument}")


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def missing(name: str, *args: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "ddgs":
            raise ImportError(f"No module named {name!r}")
        return original(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(SettingError, match=r"pip install 'evocrawl\[ddgs\]'"):
        source_of("seeds", "ddgs:auto")
