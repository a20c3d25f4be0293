"""The pages of a stored crawl as examples for the relevance model "classifier"."""

from __future__ import annotations

from collections.abc import Iterator

from evocrawl.core.errors import SettingError, StateError
from evocrawl.core.model import Content
from evocrawl.relevance.calibration import THRESHOLD
from evocrawl.relevance.examples import Example
from evocrawl.store.archive import Archive


def stored_examples(path: str) -> Iterator[Example]:
    """Yield the pages of the SQLite store at `path`, relevant from a relevance of 0.5 on.

    Raises SettingError for a file that is no store.
    """
    try:
        with Archive(path) as archive:
            for page in archive.pages():
                content = Content(page.title, page.text, page.language)
                yield Example(page.relevance >= THRESHOLD, content, page.url)
    except StateError as error:
        raise SettingError("examples", path, f"the store of a crawl ({error})") from error
