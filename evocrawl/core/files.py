"""Creates folders, checks that files can be written, and describes errors of paths."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def make_folder_of(path: str | Path) -> None:
    """Create the folder of the file `path`, with its parents. Raises OSError."""
    folder = Path(path).absolute().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder)) from None


def check_writable(path: str | Path) -> None:
    """Check that a file can be written at `path`; create its folder.

    Raises OSError if it cannot be written.
    """
    make_folder_of(path)
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    beside = f"{path}.part"
    is_new = not os.path.exists(beside)
    with open(beside, "ab"):
        pass
    if is_new:
        os.unlink(beside)


def problem_of(error: OSError) -> str:
    """Return the message of `error`, with its path if it has one.

    >>> problem_of(FileNotFoundError(2, "No such file or directory", "/a/b"))
    '/a/b: No such file or directory'
    >>> problem_of(OSError("no path at all"))
    'no path at all'
    """
    what = error.strerror or str(error)
    return f"{os.fsdecode(error.filename)}: {what}" if error.filename else what
