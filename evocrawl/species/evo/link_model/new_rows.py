"""New rows for the tables of the evidence: pages, targets and links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evocrawl.core.model import Fingerprint
from evocrawl.species.evo.link_model.hashing import Ids


@dataclass(frozen=True, slots=True)
class NewLinks:
    """n new links of pages; those of one page lead to different targets.

    `rows` are those of the targets, `paths` groups of tag paths; `words` has shape (n, LINK_WIDTH).
    The matches of anchor and context with the query lie in [0, 1].
    """

    rows: list[int]
    paths: list[int]
    words: Ids
    anchor_matches: list[float]
    context_matches: list[float]


@dataclass(frozen=True, slots=True)
class NewTargets:
    """n new addresses; `words` has shape (n, URL.width)."""

    urls: Sequence[str]
    fingerprints: Sequence[Fingerprint]
    words: Ids
    matches: Sequence[float]


@dataclass(frozen=True, slots=True)
class NewPages:
    """n new pages of targets `rows`, which this population has fetched if `is_own`.

    `distances` are those that other populations know, `FAR` without.
    """

    rows: Sequence[int]
    relevances: Sequence[float]
    labels: Sequence[float]
    likes: Sequence[float]
    title_matches: Sequence[float]
    distances: Sequence[int]
    is_own: bool
