"""Who may write a state: one process at a time, whatever name it knows the file by.

The file itself is locked (`flock`), so that a symbolic link, a hard link or a lock file that was
deleted lets no second crawl in. Beside it a second file, ``…-lock``, is held in an exclusive
transaction, for systems that lock no files. The system frees both when the process dies.

SQLite keeps what is not in the file yet beside it, by the file's name (``…-wal``, ``…-shm``). So
each of the three has to stay where it is while a crawl writes: `Ownership.check` looks after that.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from evocrawl.core.errors import StateError
from evocrawl.core.files import make_folder_of, problem_of

try:
    import fcntl
except ImportError:  # pragma: no cover - there is none on Windows
    fcntl = None  # type: ignore[assignment]

BESIDE = ("-wal", "-shm")
"""What SQLite adds to a state's name for the files that belong to it."""

Identity: TypeAlias = tuple[int, int]


class Ownership:
    """This process's hold on the state at `path`, until it is closed.

    Raises StateError where another process has the state, and where nothing can be written there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = -1
        self._lock: sqlite3.Connection | None = None
        self._known: dict[str, Identity] = {}
        try:
            make_folder_of(path)
            self._real = Path(os.path.realpath(path))
            self._take(self._real.with_name(self._real.name + "-lock"))
            self._take_file()
        except BaseException as error:
            self.close()
            if isinstance(error, OSError):
                raise StateError(f"{path}: the state cannot be used: {problem_of(error)}") from None
            raise

    def check(self) -> None:
        """Raise StateError where a file of the state is not the one that it was. O(1)."""
        for ending in ("", *BESIDE):
            there = _identity(f"{self._real}{ending}")
            known = self._known.get(ending)
            if known is None and there is not None:
                self._known[ending] = there
            elif there != known:
                what = "is gone" if there is None else "has been replaced by another file"
                name = f"{self._real.name}{ending}"
                raise StateError(f"{self.path}: {name} {what} while the crawl was writing to it")

    def close(self) -> None:
        """Let others have the state."""
        self._known.clear()
        if self._lock is not None:
            with suppress(sqlite3.Error):
                self._lock.close()
            self._lock = None
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _take(self, beside: Path) -> None:
        with suppress(FileExistsError):
            os.close(os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666))
        try:
            self._lock = sqlite3.connect(
                beside, timeout=0, isolation_level=None, check_same_thread=False
            )
            self._lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if "locked" in str(error):
                raise self._taken() from None
            raise StateError(f"{self.path}: {beside.name}: {error}") from None

    def _take_file(self) -> None:
        file = os.open(self._real, os.O_RDWR | os.O_CREAT, 0o666)
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                # The descriptor stays open: closing it would undo locks of SQLite, were it in use
                # by this very process.
                raise self._taken() from None
        self._file = file
        self._known[""] = _of(os.fstat(file))

    def _taken(self) -> StateError:
        return StateError(f"{self.path}: another process is using this state")


def _identity(path: str) -> Identity | None:
    """Return what tells a file from every other that is there, None where there is none."""
    try:
        return _of(os.stat(path))
    except OSError:
        return None


def _of(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino
