"""Reads the links of a page: their words, and their matches with the query."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import compress

from evocrawl.core.model import Content, Fingerprint, Link, Page
from evocrawl.species.evo.link_model.group_names import path_group
from evocrawl.species.evo.link_model.hashing import Hasher, Ids, OnWords, Reader, Reals
from evocrawl.species.evo.link_model.new_rows import NewLinks, NewTargets

Match = Callable[[str, str], float]
"""Maps an anchor and a context, of which one is empty, to their match with the query."""
Meets = Callable[[Sequence[str]], Sequence[bool]]
"""Returns which texts may have a match above 0."""
Met = AbstractSet[str]
"""The texts that may have one."""

_READ_AT_ONCE = 256
"""Texts that are split into words at once, so that a page of many links takes little memory."""
_ANCHOR, _CONTEXT = 1 / 0.8, 1 / 0.2
"""Undo the weights by which a relevance model mixes the two (Shark-search's)."""


class LinkReader:
    """Reads pages, links and addresses by one hasher; `meets` spares the texts that match 0."""

    of_run = ("_latest",)
    """Attributes that are no part of a snapshot."""

    def __init__(
        self,
        match: Match,
        reader: Reader,
        on_words: OnWords | None = None,
        meets: Meets | None = None,
    ) -> None:
        self._match = match
        self._meets = meets or (lambda texts: [True] * len(texts))
        self._hasher = Hasher(reader, on_words)
        self._latest: tuple[Content, Ids, Reals] | None = None

    def page(self, content: Content) -> tuple[Ids, Reals]:
        """Return the words of a page and their weights: see `Hasher.page`."""
        if self._latest is None or self._latest[0] is not content:
            self._latest = content, *self._hasher.page(content.title, content.text)
        return self._latest[1:]

    def met(self, texts: Iterable[str]) -> Met:
        """Return those of some texts that may have a match above 0.

        One call for all texts of a page takes less time than one for each kind.
        """
        different, met = [*dict.fromkeys(texts)], set[str]()
        for at in range(0, len(different), _READ_AT_ONCE):
            part = different[at : at + _READ_AT_ONCE]
            met.update(compress(part, self._meets(part)))
        return met

    def links(self, rows: list[int], links: Collection[Link], met: Met) -> NewLinks:
        """Return the words and matches of the links of a page to targets `rows`. O(links).

        `met` are those of their texts that may have a match above 0.
        """
        anchors = [link.anchor for link in links]
        contexts = [link.context for link in links]
        paths = [link.tag_path for link in links]
        group_of = {path: path_group(path) for path in dict.fromkeys(paths)}
        return NewLinks(
            rows,
            [group_of[path] for path in paths],
            self._hasher.links(zip(anchors, contexts, paths, strict=True)),
            _matches(anchors, met, self.match_of_anchor),
            _matches(contexts, met, self._match_of_context),
        )

    def targets(self, urls: Mapping[Fingerprint, str], texts: list[str], met: Met) -> NewTargets:
        """Return the words and matches of addresses, with their readable `texts`."""
        matches = _matches(texts, met, self._match_of_context)
        return NewTargets([*urls.values()], [*urls], self._hasher.urls(texts), matches)

    def match_of_anchor(self, text: str) -> float:
        """Return the match of an anchor, or of a title, with the query, in [0, 1]."""
        return min(1.0, _ANCHOR * self._match(text, "")) if text else 0.0

    def matches_of_titles(self, titles: list[str], met: Met) -> list[float]:
        """Return the matches of titles with the query, in [0, 1]."""
        return _matches(titles, met, self.match_of_anchor)

    def _match_of_context(self, text: str) -> float:
        return min(1.0, _CONTEXT * self._match("", text)) if text else 0.0


def _matches(texts: list[str], met: Met, match: Callable[[str], float]) -> list[float]:
    """Return the matches of texts, 0 for those not in `met`; equal ones are computed once."""
    if met.isdisjoint(texts):
        return [0.0] * len(texts)
    found = {text: match(text) for text in dict.fromkeys(texts) if text in met}
    return [found.get(text, 0.0) for text in texts]


def texts_of(links: Iterable[Link]) -> Iterator[str]:
    """Yield the texts of links that are matched with the query."""
    for link in links:
        yield link.anchor
        yield link.context


def links_of(page: Page) -> dict[Fingerprint, Link]:
    """Return the first link of a page to each target other than the page itself."""
    links = page.links
    found = dict(zip([link.fingerprint for link in links], links, strict=True))
    if len(found) < len(links):
        found = {link.fingerprint: link for link in reversed(links)}
        found = {link.fingerprint: found[link.fingerprint] for link in links}
    found.pop(page.fingerprint, None)
    return found
