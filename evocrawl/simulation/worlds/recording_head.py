"""The first line of a recording: query of the crawl and time-out of its fetches."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from evocrawl.simulation.worlds.world_file import Fields, WorldError, read_lines
from evocrawl.store.export.recording import RECORDING, VERSION


@dataclass(frozen=True, slots=True)
class Head:
    """Data of the first line of a recording; `about` contains all of it."""

    timeout_s: float | None
    about: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path) -> Self | None:
        """Read the head of a file; return None if the file is not a recording.

        Raises the errors of `read_lines`, and WorldError for a recording of another version.
        """
        number, row = next(read_lines(path), (0, {}))
        about = row.get(RECORDING)
        if about is None:
            return None
        if not isinstance(about, dict):
            raise WorldError(path, number, RECORDING, "must be an object")
        fields = Fields(path, number, about)
        if fields.number("version") != VERSION:
            raise fields.fail("version", f"must be {VERSION}, the version that evocrawl reads")
        return cls(fields.number("timeout_s"), about)
