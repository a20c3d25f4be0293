"""Reads pages that are marked relevant or not, from which the model "classifier" learns.

=======================  =======================================================================
place                    form
=======================  =======================================================================
a folder                 ``relevant/`` and perhaps ``irrelevant/``, with .html and .txt files
a file ``.jsonl``        one object a line with ``text`` (or ``html``), ``label`` and, perhaps,
                         ``title`` and ``url``; also packed as ``.jsonl.gz``
a file ``.csv``          the same as columns; ``.tsv`` for columns with tabs between them
a store of a crawl       its pages, relevant from a relevance of 0.5 on
=======================  =======================================================================

A label is 1 or 0, true or false, yes or no, relevant or irrelevant. A file that `evocrawl export`
wrote has the column ``relevance`` in the place of labels: a page is relevant from 0.5 on. A line
with a ``url`` and no text is learnt when the crawl fetches that page.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from lxml import etree

from evocrawl.core.errors import EvocrawlError, SettingError
from evocrawl.core.model import Content
from evocrawl.core.text.binary import is_binary
from evocrawl.relevance.calibration import THRESHOLD
from evocrawl.relevance.reading import LONGEST_TEXT

_LABELS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "y", "relevant", "positive", "+"), True),
    **dict.fromkeys(("0", "0.0", "false", "no", "n", "irrelevant", "negative", "-", "-1"), False),
}
_LONGEST_FILE = 5_000_000
_STORE = EntryPoint("store", "evocrawl.store.examples:stored_examples", "evocrawl.examples")
"""The reader of the store of a crawl; loaded by name, since `store` is a higher level."""
_ALLOWED = (
    "a folder with the folders relevant and irrelevant, a file .jsonl, .csv or .tsv with the"
    " columns text and label, or the store of a crawl"
)


@dataclass(frozen=True, slots=True)
class Example:
    """A page and its label. `content` is None if only the `url` is known."""

    is_relevant: bool
    content: Content | None
    url: str = ""


def read_examples(place: str) -> list[Example]:
    """Return the examples at `place`.

    Raises SettingError for a place that is not there or of another form, for a line that cannot be
    read, and for examples of which none with text is relevant.
    """
    path = Path(place).expanduser()
    if not path.exists():
        raise _wrong(place, f"a place that is there: {_ALLOWED}")
    try:
        examples = [*_reader(path, place)(path)]
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise _wrong(place, f"a place that can be read ({error})") from error
    except (KeyError, ValueError) as error:
        if isinstance(error, EvocrawlError):
            raise
        raise _wrong(place, f"{_ALLOWED} ({error})") from error
    with_text = [each for each in examples if each.content is not None]
    if not with_text:
        raise _wrong(place, f"examples with text, and there are none: {_ALLOWED}")
    if not any(each.is_relevant for each in with_text):
        raise _wrong(place, f"at least one relevant page with text; all {len(with_text)} are not")
    return examples


def _reader(path: Path, place: str) -> Callable[[Path], Iterable[Example]]:
    if path.is_dir():
        return _of_folder
    name = path.name.lower()
    if name.endswith((".jsonl", ".jsonl.gz", ".json")):
        return _of_lines
    if name.endswith((".csv", ".tsv", ".csv.gz", ".tsv.gz")):
        return _of_table
    with path.open("rb") as file:
        is_store = file.read(16) == b"SQLite format 3\0"
    if not is_store:
        raise _wrong(place, _ALLOWED)
    return lambda path: _STORE.load()(str(path))


def _of_folder(folder: Path) -> Iterator[Example]:
    found = False
    for name, is_relevant in (("relevant", True), ("irrelevant", False)):
        for file in sorted((folder / name).rglob("*")) if (folder / name).is_dir() else ():
            if file.suffix.lower() in (".html", ".htm", ".xhtml", ".txt") and file.is_file():
                found = True
                yield from _example(is_relevant, _content_of(file))
    if not found:
        raise _wrong(str(folder), f"files .html or .txt in its folder relevant: {_ALLOWED}")


def _content_of(file: Path) -> Content:
    with file.open("rb") as opened:
        body = opened.read(_LONGEST_FILE)
    if is_binary(body):
        raise ValueError(f"{file.name} is a binary file")
    if file.suffix.lower() == ".txt":
        return Content("", body.decode("utf-8", "replace")[:LONGEST_TEXT])
    return of_html(body)


def of_html(body: bytes) -> Content:
    """Return the title and the visible text of a page, by a simple reader; empty without HTML."""
    try:
        body.decode("utf-8")
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = None  # the parser finds it in the page's meta element
    parser = etree.HTMLParser(remove_comments=True, remove_pis=True, encoding=encoding)
    try:
        root = etree.fromstring(body, parser) if body.strip() else None
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None:
        return Content()
    title = " ".join("".join(map(str, each.itertext())) for each in root.iter("title"))
    etree.strip_elements(root, "script", "style", "noscript", "template", "title", with_tail=False)
    text = " ".join(" ".join(map(str, root.itertext())).split())
    return Content(" ".join(title.split()), text[:LONGEST_TEXT])


def _of_lines(path: Path) -> Iterator[Example]:
    for number, line in enumerate(io.StringIO(_text(path)), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"line {number} is no JSON") from error
        if not isinstance(row, dict):
            raise ValueError(f"line {number} is no object")
        yield from _of_row(row, number)


def _of_table(path: Path) -> Iterator[Example]:
    tab = ".tsv" in path.name.lower()
    rows = csv.DictReader(io.StringIO(_text(path)), delimiter="\t" if tab else ",")
    for number, row in enumerate(rows, 2):
        yield from _of_row(row, number)


def _text(path: Path) -> str:
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    if is_binary(data):
        raise ValueError(f"{path.name} is a binary file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} of {path.name} is no UTF-8") from error


def _of_row(row: dict[str, Any], number: int) -> Iterator[Example]:
    is_relevant = _label(row, number)
    html = row.get("html")
    content = of_html(html.encode("utf-8", "replace")) if isinstance(html, str) and html else None
    if content is None:
        text, title = row.get("text"), row.get("title")
        content = Content(title if isinstance(title, str) else "",
                          text[:LONGEST_TEXT] if isinstance(text, str) else "")  # fmt: skip
    url = row.get("url")
    yield from _example(is_relevant, content, url if isinstance(url, str) else "")


def _example(is_relevant: bool, content: Content, url: str = "") -> Iterator[Example]:
    has_text = bool(f"{content.title}{content.text}".strip())
    if has_text or url:
        yield Example(is_relevant, content if has_text else None, url)


def _label(row: dict[str, Any], number: int) -> bool:
    raw = row.get("label")
    if raw is None and row.get("relevance") is not None:
        try:
            return float(row["relevance"]) >= THRESHOLD
        except (TypeError, ValueError):
            raise ValueError(f"line {number} has a relevance that is no number") from None
    if raw is None:
        raise ValueError(f"line {number} has no label")
    label = _LABELS.get(str(raw).strip().lower())
    if label is None:
        raise ValueError(f"line {number} has the label {str(raw)[:50]!r}, which is not 1 or 0")
    return label


def _wrong(place: str, allowed: str) -> SettingError:
    return SettingError("examples", place, allowed)
