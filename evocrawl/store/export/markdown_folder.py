"""Writes pages as Markdown, each with its record as front matter: a folder of files, or a stream.

The names of files consist of the number of the visit and ASCII letters of the title: no page can
choose the place of its file.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from evocrawl.core.errors import EvocrawlError
from evocrawl.core.fetch import RawResponse
from evocrawl.extraction.markdown import markdown_of
from evocrawl.extraction.markdown_text import without_unseen
from evocrawl.store.stored_page import StoredPage

_FIELDS = ("url", "title", "language", "relevance", "status", "fetched_at", "published_at",
           "changed_at", "parent", "anchor", "depth", "content_fingerprint", "duplicate_of",
           "truncated")  # fmt: skip
_OTHERS = re.compile("[^a-z0-9]+")
_LONGEST_NAME = 60

Pages = Iterable[tuple[StoredPage, RawResponse | None]]


class FolderError(EvocrawlError, ValueError):
    """The folder of an export cannot be used; the message says why."""


def write_folder(pages: Pages, out: str, *, force: bool = False) -> int:
    """Write a file for each page to the folder `out`; return how many. Raises OSError.

    Raises FolderError if `out` is a file, or a folder that is not empty, without `force`. Files of
    an earlier export with the same names are overwritten, and others stay.
    """
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{out}: this is a file; Markdown is written to a folder, or to -")
    folder.mkdir(parents=True, exist_ok=True)
    if not force and next(folder.iterdir(), None) is not None:
        raise FolderError(f"{out}: this folder is not empty; --force writes to it")
    written = 0
    for page, answer in pages:
        path = folder / file_name(page)
        beside = path.with_suffix(f".{os.getpid()}.part")
        beside.write_bytes(_file(page, answer))
        beside.replace(path)  # a symbolic link of this name is replaced, not followed
        written += 1
    return written


def write_stream(pages: Pages, file: BinaryIO) -> int:
    """Write the pages one after the other; return how many. Raises OSError."""
    written = 0
    for page, answer in pages:
        file.write((b"\n" if written else b"") + _file(page, answer))
        written += 1
    return written


def file_name(page: StoredPage) -> str:
    """Return the name of a page's file, such as ``000012-coral-bleaching.md``."""
    plain = unicodedata.normalize("NFKD", page.title or page.url.partition("//")[2])
    words = _OTHERS.sub("-", plain.encode("ascii", "ignore").decode().lower())
    return f"{page.visit:06d}-{words[:_LONGEST_NAME].strip('-') or 'page'}.md"


def _file(page: StoredPage, answer: RawResponse | None) -> bytes:
    text = markdown_of(page.url, page.title, page.text, answer)
    # JSON values are YAML; ASCII: no value ends its line or the front matter.
    head = "".join(f"{name}: {json.dumps(_clean(getattr(page, name)))}\n" for name in _FIELDS)
    return f"---\n{head}---\n\n{text}".encode("utf-8", "replace")


def _clean(value: object) -> object:
    return without_unseen(value) if isinstance(value, str) else value
