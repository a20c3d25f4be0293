"""A crawl that continues from a snapshot knows the requests of its links as after a replay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from journeys import Journey, new_population
from tiny_webs import link

from evocrawl.core.model import Fingerprint, Link
from evocrawl.store.journal.codec import Payloads
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.replay import rebuild, replay
from evocrawl.store.journal.sqlite_journal import SqliteJournal


class Plain(Payloads):
    """A codec of payloads that are JSON."""

    def pack(self, payload: Any) -> Any:
        return payload

    def unpack(self, packed: Any) -> Any:
        return packed


@dataclass
class Heard:
    """Notes links with payloads as the requests of a project's spider are noted."""

    needs_all: bool
    seen: set[Fingerprint] = field(default_factory=set)
    waiting: dict[Fingerprint, Any] = field(default_factory=dict)

    def recall(self, links: Iterable[Link]) -> None:
        for each in links:
            if each.payload is not None and each.fingerprint not in self.seen:
                self.seen.add(each.fingerprint)
                self.waiting[each.fingerprint] = each.payload

    def recall_targets(self, targets: Iterable[Fingerprint]) -> None:
        self.seen.update(targets)

    def settled(self, target: Fingerprint) -> None:
        self.waiting.pop(target, None)


@pytest.mark.parametrize("seed", [3, 4])
def test_requests_are_known_as_after_a_replay(seed: int, tmp_path: Path) -> None:
    """Those that wait, and the targets of all: before the snapshot and after it."""
    journal = SqliteJournal(tmp_path / "state.sqlite", {}, Plain())
    journey = Journey("best_first", seed, journal)
    asked = [replace(link(url), payload={"asks": url}) for url in [*journey.web.links][3:20]]
    asked.append(replace(asked[0], payload={"asks": "again"}))
    for number in range(160):
        if number % 9 == 0:
            journey.journaled.place(asked[number // 9 : number // 9 + 2])
        if number == 100:
            journey.journaled.take_snapshot()
        journey.act()
    journey.journaled.commit()
    heard = [Heard(needs_all=True), Heard(needs_all=False), Heard(needs_all=False)]
    for each, way in zip(heard, (rebuild, rebuild, replay), strict=True):
        population, limits, _ = new_population("best_first", seed)
        journaled = JournaledPopulation(population, limits, journal, requests=each)
        if way is replay:
            replay(journal.ops(), journaled)
        else:
            assert rebuild(journal, journaled).asked
    journal.close()
    assert heard[0].seen == heard[1].seen == heard[2].seen == {each.fingerprint for each in asked}
    assert heard[0].waiting == heard[1].waiting == heard[2].waiting
    assert 0 < len(heard[2].waiting) < len(heard[2].seen)
