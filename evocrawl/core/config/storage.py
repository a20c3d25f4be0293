"""The settings of how much of a crawl is kept in memory."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.config.option import option, path_ending, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOptions:
    """The part of `evocrawl.core.config.config.Config` that is about memory."""

    memory_links: int = option(
        5000,
        whole(1),
        "a whole number from 1",
        "waiting links that are kept in memory, beside a quarter as many records of pages; the "
        "others are on disk. What the crawl does is the same with any number",
    )


_NPZ = path_ending(".npz")


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningOptions(MemoryOptions):
    """The part of `evocrawl.core.config.config.Config` that is about what species learn."""

    learnt: str = option(
        "",
        _NPZ,
        "a path that ends in .npz",
        "file of what an earlier crawl of the topic learnt about links (its learn_to), to begin "
        "with; nothing when empty",
    )
    learn_to: str = option(
        "",
        _NPZ,
        "a path that ends in .npz",
        "file into which what the species has learnt about links is written at the end, for later "
        "crawls of the topic; none when empty",
    )
