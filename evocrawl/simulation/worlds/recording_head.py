"""The first line of a recording: what was crawled, and how long a fetch may have taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from evocrawl.simulation.worlds.world_file import Fields, WorldError, read_lines
from evocrawl.store.export.recording import RECORDING, VERSION


@dataclass(frozen=True, slots=True)
class Head:
    """What the first line of a recording tells: all of it is in `about`."""

    timeout_s: float | None
    about: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path) -> Self | None:
        """Read it; None where the file is no recording.

        Raises as `read_lines` does, and WorldError for a recording of another version.
        """
        number, row = next(read_lines(path), (0, {}))
        about = row.get(RECORDING)
        if about is None:
            return None
        if not isinstance(about, dict):
            raise WorldError(path, number, RECORDING, "must be an object")
        fields = Fields(path, number, about)
        if fields.number("version") != VERSION:
            raise fields.fail("version", f"must be {VERSION}: this evocrawl knows no other")
        return cls(fields.number("timeout_s"), about)
