"""The settings of what is learnt, from one crawl to the next."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.memory_options import MemoryOptions
from evocrawl.options import option, path_ending

_NPZ = path_ending(".npz")


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningOptions(MemoryOptions):
    """The part of `evocrawl.config.Config` that is about what species learn."""

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
