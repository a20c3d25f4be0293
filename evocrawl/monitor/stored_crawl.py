"""Opens a stored crawl for views: its pages, and its population at any moment of the crawl.

A population is deterministic, so the journal rebuilds it up to any entry. Views rebuild their own
population and never change the stored crawl.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from evocrawl.core.config.config import Config
from evocrawl.core.errors import EvocrawlError, StateError
from evocrawl.population.assembly import Assembly, assemble, makers_of
from evocrawl.population.selection import PATIENCE
from evocrawl.species import Maker
from evocrawl.species.evo.link_model import persistence
from evocrawl.store.archive import Archive
from evocrawl.store.cluster.redis.archive import SharedArchive
from evocrawl.store.cluster.redis.keys import is_shared
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.journal import NoJournal
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import Op
from evocrawl.store.journal.replay import Replayer, replay

_IN_MEMORY = 10_000_000
"""Links in memory: the number does not change what the crawl does, and a rank counts them all."""
_NO_OPTIONS = ("spider", "evocrawl", "DOWNLOAD_TIMEOUT", "learnt")

AnyArchive = Archive | SharedArchive


def open_store(store: str) -> AnyArchive:
    """Open a stored crawl for reading; raises StateError."""
    return SharedArchive(store) if is_shared(store) else Archive(store)


def config_of(about: Mapping[str, Any], learnt: str = "") -> Config:
    """Return the options of a stored crawl, `learnt` being the path of its link model's file.

    Options that may differ from run to run have their defaults. Raises StateError if the crawl
    was written by a version with other options, and if `learnt` is not its file.
    """
    known = {each.name for each in fields(Config)}
    values = {name: value for name, value in about.items() if name not in _NO_OPTIONS}
    unknown = sorted(values.keys() - known)
    if unknown:
        raise StateError(
            f"the crawl was written by evocrawl {about.get('evocrawl', 'of another version')}, "
            f"whose options this version does not know: {', '.join(unknown)}"
        )
    digest = about.get("learnt") or ""
    if digest and persistence.digest(learnt) != digest:
        raise StateError(
            "the crawl began with the link model of an earlier crawl: name its file by --learnt"
        )
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return Config(**{**values, **lists, "learnt": learnt if digest else ""})


class RebuiltPopulation:
    """A population to which the journal of a stored crawl is applied.

    `wrap` may change the makers of species, to watch them. Raises StateError, and SettingError or
    QueryError if the options of the crawl cannot be used any more.
    """

    def __init__(
        self,
        about: Mapping[str, Any],
        *,
        learnt: str = "",
        wrap: Callable[[Sequence[Maker]], Sequence[Maker]] = lambda makers: makers,
    ) -> None:
        config = config_of(about, learnt)
        limits = JournaledHostLimits(lambda _: (1, 0.0), (1, 0.0))
        self.config = config
        self.assembly: Assembly = assemble(
            replace(config, memory_links=_IN_MEMORY),
            concurrency=1,
            host_limit=limits,
            timeout_s=float(about.get("DOWNLOAD_TIMEOUT", 180.0)),
            makers=tuple(wrap(makers_of(config.species))),
        )
        self.population = self.assembly.population
        self.population.selector.patience = PATIENCE
        self._journaled = JournaledPopulation(self.population, limits, NoJournal())
        self._replayer: Replayer | None = None

    def apply(self, op: Op, number: int) -> None:
        """Apply the next operation, entry `number` of the journal. Raises StateError."""
        if self._replayer is None:
            self._replayer = Replayer(self._journaled)
            self.population.admission.gate = self._replayer.answer
            self._journaled.limits.is_replaying = True
        self._replayer.do(op, number)

    def replay(self, ops: Iterator[Op], is_last: Callable[[Op], bool] = lambda _: False) -> str:
        """Apply operations up to the last one; return why it ended too early, "" if it did not.

        An entry that cannot be replayed ends the replay; the population before it stays.
        """

        def some() -> Iterator[Op]:
            for op in ops:
                yield op  # the caller applies it before it takes the next one
                if is_last(op):
                    return

        try:
            replay(some(), self._journaled)
        except EvocrawlError as error:
            return str(error)
        return ""
