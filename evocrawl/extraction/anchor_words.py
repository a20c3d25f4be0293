"""Rates how well an anchor text describes its target."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from evocrawl.core.text.words import signs, whole_words

_ENOUGH = 3
_MOST = 10
"""Most words that count: a teaser describes its page no better than a headline."""
_LONG_SIGNS = 6
"""Signs of a script without spaces that count as one word."""
_SAY_NOTHING = frozenset(
    word
    for text in (
        "read more about this the here click continue reading comment comments reply replies next",
        "previous prev details detail link view see all show full story article go to learn find",
        "out open website download page permalink share",
        "weiter weiterlesen mehr lesen hier klicken kommentar kommentare zum artikel erfahren",
        "lire la suite plus en savoir ici cliquez suivant commentaires voir",
        "leer más mas seguir leyendo aquí ver comentarios siguiente sigue",
        "leggi tutto continua qui commenti leia mais continuar lendo saiba aqui",
        "lees meer verder läs mer les mere læs",
        "czytaj więcej dalej",
        "читать далее подробнее ещё комментарии здесь дальше",
        "続きを読む 詳細 もっと見る",
        "阅读更多 更多 查看详情 详情",
    )
    for word, _ in whole_words(text)
)
"""Words of links, in several languages, that do not describe a page."""


@lru_cache(maxsize=4096)
def describes_page(anchor: str) -> bool:
    """Return whether a text contains a word that describes a page.

    >>> describes_page("→ Read more"), describes_page("12 comments"), describes_page("Wave farm")
    (False, False, True)
    """
    return next(_telling(anchor), None) is not None


def describes_well(anchor: str) -> bool:
    """Return whether a text is long enough, with three words, to compare it with no other."""
    return _amount(anchor) >= _ENOUGH


def describes_better(anchor: str, other: str) -> bool:
    """Return whether a text describes its target better than another; any text beats none.

    >>> describes_better("Wave farm permit", "→"), describes_better("Continue", "Wave farm")
    (True, False)
    """
    if not anchor or anchor == other:
        return False
    return not other or _amount(anchor) > _amount(other)


@lru_cache(maxsize=4096)
def _amount(anchor: str) -> int:
    words = set(_telling(anchor))
    long = sum(len(signs(word)) // _LONG_SIGNS for word, is_packed in words if is_packed)
    return min(len(words) + long, _MOST)


def _telling(anchor: str) -> Iterator[tuple[str, bool]]:
    """Yield the words that describe a page, and whether their script has no spaces."""
    return (
        each
        for each in whole_words(anchor)
        if each[0] not in _SAY_NOTHING and not each[0].isdecimal()
    )
