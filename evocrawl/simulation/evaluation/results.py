"""The table of results: one JSON line for each run, appended when the run finishes."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from evocrawl.core.errors import EvocrawlError
from evocrawl.core.files import problem_of
from evocrawl.simulation.evaluation.measures import Row

logger = logging.getLogger(__name__)


REQUIRED = (
    "world", "query", "topic", "species", "seed", "budget", "requests", "relevant",
    "harvest_rate", "recall", "recall_auc", "stop_reason", "seconds", "peak_rss_bytes",
)  # fmt: skip
CURVES = ("hits", "hits_s", "hit_pages", "life", "news")
"""Lists that a row has in the table but not in ``results.json``."""

TABLE = "runs.jsonl"
RESULTS = "results.json"
PARQUET = "runs.parquet"


class ResultsError(EvocrawlError):
    """A file of results cannot be read; the message names the file, the line and the field."""


class ResultTable:
    """The runs of a directory, in the order in which they finished.

    A last line that a kill or a full disk cut short is dropped, and its run is repeated. Raises
    ResultsError for any other invalid line.
    """

    def __init__(self, directory: Path) -> None:
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise ResultsError(f"{directory}: this is a file; give a folder") from error
        self.path = directory / TABLE
        self.rows: list[Row] = []
        if self.path.exists():
            text = self.path.read_text("utf-8", errors="replace")
            whole = text[: text.rfind("\n") + 1]
            self.rows = list(_parse(self.path, whole))
            if whole != text:
                write_atomically(self.path, whole)
        self._trials = {row.get("trial") for row in self.rows}

    def has(self, trial: str) -> bool:
        """Return True if the run with this key is in the table. O(1)."""
        return trial in self._trials

    def append(self, row: Row) -> None:
        """Add a finished run; it is on disk when the method returns."""
        line = json.dumps(row, allow_nan=False, ensure_ascii=False) + "\n"
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self.rows.append(row)
        self._trials.add(row.get("trial"))

    def write_results(self) -> Path:
        """Write ``results.json``, the rows without their curves, into the folder of the table.

        With pyarrow (the extra "parquet") write ``runs.parquet``, the whole table, too.
        """
        rows = [{key: row[key] for key in row if key not in CURVES} for row in self.rows]
        path = self.path.with_name(RESULTS)
        write_atomically(path, json.dumps(rows, indent=1, allow_nan=False, ensure_ascii=False))
        self._write_parquet()
        return path

    def _write_parquet(self) -> None:
        try:
            from evocrawl.simulation.evaluation.parquet import parquet
        except ImportError:
            # An older file would not contain the new rows.
            self.path.with_name(PARQUET).unlink(missing_ok=True)
        else:
            write_atomically(self.path.with_name(PARQUET), parquet(self.rows))


def label_of(row: Row) -> str:
    """Return the label of a run: species, settings, and its pace if it is not one at a time.

    >>> label_of({"species": "energy", "settings": {"gain": "4"}, "concurrency": 8})
    'energy gain=4 concurrency=8'
    >>> label_of({"species": "evo", "settings": {}, "concurrency": 8, "host_delay_s": 1.0})
    'evo concurrency=8 host_delay_s=1'
    """
    options = dict(row.get("settings") or {})
    if row.get("concurrency", 1) != 1:
        options["concurrency"] = row["concurrency"]
    if row.get("host_delay_s") is not None:
        options["host_delay_s"] = f"{row['host_delay_s']:g}"
    return " ".join([row["species"], *(f"{name}={value}" for name, value in options.items())])


def read_results(directory: Path) -> list[Row]:
    """Return the rows of a directory, from its table or else from its ``results.json``.

    A last line that was cut short is left out with a warning. Raises ResultsError if the directory
    has neither file, or if the file is malformed.
    """
    table, results = directory / TABLE, directory / RESULTS
    try:
        if table.exists():
            return _whole_rows(table)
        rows = json.loads(results.read_text("utf-8"))
    except FileNotFoundError as error:
        if not directory.exists():
            raise ResultsError(f"{directory}: there is no such file or folder") from error
        raise ResultsError(
            f"{directory}: neither {TABLE} nor {RESULTS}: no results here; give the folder of "
            "`evocrawl sim --out`"
        ) from error
    except NotADirectoryError as error:
        raise ResultsError(
            f"{directory}: this is a file; give the folder of `evocrawl sim --out`, "
            "or two stores of crawls"
        ) from error
    except OSError as error:
        raise ResultsError(problem_of(error)) from error
    except ValueError as error:
        raise ResultsError(f"{results}: not JSON: {error}") from error
    if not isinstance(rows, list):
        raise ResultsError(f"{results}: expected a list of runs")
    return [_checked(row, f"{results}: run {number}") for number, row in enumerate(rows, 1)]


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file atomically: a reader sees the old content or all of the new content."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _whole_rows(path: Path) -> list[Row]:
    """Return the rows of a table whose end a kill or a power cut may have damaged."""
    written = path.read_bytes()
    content = written.rstrip(b"\0")
    lines, _, last = content.decode("utf-8", "replace").rpartition("\n")
    rows = list(_parse(path, lines))
    try:
        rows += _parse(path, last) if last else []
    except ResultsError:
        logger.warning("%s: line %d is cut short; its run is left out", path, len(rows) + 1)
        return rows
    if len(content) < len(written):
        empty = len(written) - len(content)
        logger.warning("%s: ignored %d empty bytes at the end of the file", path, empty)
    return rows


def _parse(path: Path, text: str) -> Iterator[Row]:
    # Not splitlines: JSON strings may contain Unicode line separators.
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], 1):
        where = f"{path}: line {number}"
        try:
            row = json.loads(line.lstrip("\0"))  # a power cut leaves NUL bytes in place of a line
        except ValueError as error:
            raise ResultsError(f"{where}: not JSON: {error}") from error
        yield _checked(row, where)


def _checked(row: object, where: str) -> Row:
    if not isinstance(row, Mapping):
        raise ResultsError(f"{where}: expected an object with the fields of a run")
    missing = [name for name in REQUIRED if name not in row]
    if missing:
        raise ResultsError(f"{where}: without the field {missing[0]!r}")
    return dict(row)
