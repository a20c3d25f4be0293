"""Sources are asked together or in turn; a slow one holds up no other."""

from __future__ import annotations

import asyncio
import logging
from threading import Event
from typing import Any

import pytest

from evocrawl.core.model import Content
from evocrawl.relevance.tfidf import TfIdf
from evocrawl.seeding import gathering
from evocrawl.seeding.base import Fetch, Seed, SeedError, Topic
from evocrawl.seeding.gathering import first_of, gather
from evocrawl.seeding.registry import NamedSource


class Source:
    """Gives one seed once `opened` is set, and sets `opens` when it is asked."""

    form = "anything"

    def __init__(self, argument: str) -> None:
        self._name = argument
        self.opened = self.opens = None

    async def seeds(self, topic: Topic, fetch: Fetch) -> list[Seed]:  # noqa: ARG002 - the protocol
        if self.opens is not None:
            self.opens.set()
        if self.opened is not None:
            await self.opened.wait()
        if self._name == "fails":
            raise SeedError("status 503")
        return [Seed(f"http://{self._name}.test/")] if self._name != "empty" else []


def _asked(ask: Any, *named: NamedSource) -> list[str]:
    topic = Topic("coral reef", "en", TfIdf("coral reef"), 5)
    found = asyncio.run(asyncio.wait_for(ask(named, topic, None), 60))
    return [each.url for each in found]


def _named(*names: str) -> list[Any]:
    return [NamedSource(f"mine:{each}", Source(each)) for each in names]


def test_a_source_that_waits_holds_up_no_other() -> None:
    """The first one answers when the last one has been asked; the order is that of the sources."""
    sources = _named("slow", "fails", "fast")
    sources[0].source.opened = sources[2].source.opens = asyncio.Event()
    assert _asked(gather, *sources) == ["http://slow.test/", "http://fast.test/"]


def test_a_source_that_does_not_answer_is_named(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "PATIENCE_S", 0.0)
    (slow,) = _named("slow")
    slow.source.opened = asyncio.Event()

    async def ask(sources: Any, topic: Topic, fetch: Any) -> list[Seed]:
        asyncio.get_running_loop().call_later(0.05, slow.source.opened.set)
        return await first_of(sources, topic, fetch)

    with caplog.at_level(logging.INFO):
        assert _asked(ask, slow) == ["http://slow.test/"]
    assert "seeds: mine:slow has not answered for 0 s; the crawl waits for it" in caplog.messages


def test_the_chain_ends_with_the_first_source_that_has_seeds(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The log has what each one gave; a later one is not asked."""
    with caplog.at_level(logging.INFO):
        assert _asked(first_of, *_named("fails", "empty", "good", "later")) == ["http://good.test/"]
    assert caplog.messages == [
        "seeds: mine:fails gives none: status 503",
        "seeds: mine:empty gives none: it has found nothing",
        "seeds: mine:good gives 1",
    ]


def test_sources_that_read_in_threads_use_the_relevance_model_one_after_the_other() -> None:
    """Each of two threads would wait for the other within the model."""

    class Model(TfIdf):
        inside = 0
        most = 0

        def page(self, content: Content) -> float:
            type(self).inside += 1
            type(self).most = max(self.most, self.inside)
            Event().wait(0.02)
            type(self).inside -= 1
            return super().page(content)

    class Reader(Source):
        async def seeds(self, topic: Topic, fetch: Fetch) -> list[Seed]:
            for _ in range(3):
                await asyncio.to_thread(topic.relevance.page, Content("reef", "coral", "en"))
            return await super().seeds(topic, fetch)

    topic = Topic("coral reef", "en", Model("coral reef"), 5)
    sources: Any = [NamedSource(f"mine:{each}", Reader(each)) for each in "abc"]
    fetch: Any = None
    assert len(asyncio.run(gather(sources, topic, fetch))) == 3
    assert Model.most == 1
