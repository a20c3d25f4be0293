"""A target with its incoming links, read from the tables of the evidence in one go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evocrawl.core.containers.paged_rows import Records
from evocrawl.species.evo.link_model.hashing import Ids


@dataclass(frozen=True, slots=True)
class Incoming:
    """The rows of a target, shape (1,), and of its kept incoming links, shape (n,), as of now."""

    row: int
    target: Records
    links: Records

    @property
    def host(self) -> int:
        """The group of the target's host."""
        return int(self.target["host"][0])

    def words(self) -> Ids:
        """Return the words of the links with those of the URL, shape (n, WIDTH)."""
        of_url = self.target["words"].repeat(len(self.links), axis=0)
        return np.concatenate((self.links["words"], of_url), axis=1)
