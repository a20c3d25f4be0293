"""Locks a state file: one process at a time may write it, under any of the file's names.

The process locks the file itself (`flock`), so a symbolic link, a hard link or a deleted lock file
lets no second crawl in. It also holds an exclusive transaction on a second file, ``…-lock``, for
systems without file locks. The system frees both locks when the process dies.

SQLite keeps recent writes in files beside it, named after it (``…-wal``, ``…-shm``). All three
files must stay in place while a crawl writes; `Ownership.check` verifies that.
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
except ImportError:  # pragma: no cover - Windows has no fcntl
    fcntl = None  # type: ignore[assignment]

BESIDE = ("-wal", "-shm")
"""Endings of the files that SQLite keeps beside a state."""

Identity: TypeAlias = tuple[int, int]


class Ownership:
    """This process's lock on the state at `path`, until it is closed.

    Raises StateError if another process uses the state, or if the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = -1
        self._lock: sqlite3.Connection | None = None
        self._new_lock_file: Path | None = None
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
        """Raise StateError if a file of the state was deleted or replaced. O(1)."""
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
        """Release the locks."""
        self._known.clear()
        if self._lock is not None:
            with suppress(sqlite3.Error):
                self._lock.close()
            self._lock = None
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def leave(self) -> None:
        """Release the locks of a file that is no state, without the lock file made beside it."""
        if self._new_lock_file is not None:
            # While the lock is held, no other process can take it and lose its file.
            with suppress(OSError):
                self._new_lock_file.unlink()
        self.close()

    def _take(self, beside: Path) -> None:
        with suppress(FileExistsError):
            os.close(os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666))
            self._new_lock_file = beside
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
                # Keep the descriptor open: closing it would release the locks that SQLite may
                # hold in this process.
                raise self._taken() from None
        self._file = file
        self._known[""] = _of(os.fstat(file))

    def _taken(self) -> StateError:
        return StateError(f"{self.path}: another process is using this state")


def _identity(path: str) -> Identity | None:
    """Return the device and inode of a file; None if it does not exist."""
    try:
        return _of(os.stat(path))
    except OSError:
        return None


def _of(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino
