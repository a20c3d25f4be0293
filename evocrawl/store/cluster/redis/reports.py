"""The report that a worker sends with each heartbeat, for `evocrawl workers`."""

from __future__ import annotations

import json
import math
import os
import socket
from dataclasses import asdict, dataclass
from typing import Any

_MOST_BYTES = 4096
_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """The report of a worker.

    `process` is its machine and process number, `lease_s` the duration of its leases, `pages` the
    number of pages that it has fetched, `under_way` its visits under way, `unsent` its results that
    Redis does not have yet, `read_to` is the last event of its inbox that it has read, `state` is
    "running" or "draining".
    """

    process: str = ""
    lease_s: float = 0.0
    pages: int = 0
    under_way: int = 0
    unsent: int = 0
    read_to: str = "0-0"
    state: str = "running"


def this_process() -> str:
    """Return the name of the machine and the number of this process.

    >>> this_process().rpartition(":")[2] == str(os.getpid())
    True
    """
    return f"{socket.gethostname()[:_LONGEST_NAME]}:{os.getpid()}"


def pack_report(report: WorkerReport) -> str:
    """Return the row of a report."""
    return json.dumps(asdict(report), allow_nan=False, separators=(",", ":"))


def unpack_report(packed: bytes | None) -> WorkerReport:
    """Return the report of a row; an empty one for no row.

    Raises ValueError: any client of Redis can write any row.
    """
    if packed is None:
        return WorkerReport()
    if len(packed) > _MOST_BYTES:
        raise ValueError("a report is too large")
    try:
        report = WorkerReport(**json.loads(packed))
    except (TypeError, RecursionError) as error:
        raise ValueError(f"a report cannot be read: {error!r}") from error
    is_valid = isinstance(report.process, str) and report.state in ("running", "draining")
    is_valid &= isinstance(report.read_to, str)
    is_valid &= all(map(_is_count, (report.pages, report.under_way, report.unsent)))
    if not is_valid or not _is_real(report.lease_s):
        raise ValueError("a report cannot be read: a value is invalid")
    return report


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53


def _is_real(value: Any) -> bool:
    is_real = isinstance(value, int | float) and not isinstance(value, bool)
    return is_real and math.isfinite(value) and value >= 0
