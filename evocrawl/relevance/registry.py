"""Relevance models by name: built-in ones, entry points of installed packages, and own classes.

A model's class is called with the query and its language. If its constructor has one of these
parameters, it gets that by name, too: `argument`, the text after the colon in the option;
`examples`, the place of the labelled pages; `fresh_s`, the seconds for which a page is news.
"""

from __future__ import annotations

import difflib
import inspect
import logging
from collections.abc import Callable
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple, Self

from evocrawl.core.config.config import Config
from evocrawl.core.errors import EvocrawlError, SettingError, UnknownWordsError
from evocrawl.relevance.base import FRESH_S, Bounded, Relevance
from evocrawl.relevance.imported import named_object
from evocrawl.relevance.mix import MixedModel, mixed
from evocrawl.relevance.mix_text import ALLOWED, MixPart, parse_mix
from evocrawl.relevance.terms import analyser_of

logger = logging.getLogger(__name__)

GROUP = "evocrawl.relevance"
_PLACES = {
    "bm25": "bm25:Bm25",
    "classifier": "classifier:Classifier",
    "markup": "markup:Markup",
    "opening": "opening:Opening",
    "quality": "quality:Quality",
    "recency": "recency:Recency",
    "regex": "patterns:Patterns",
    "semantic": "semantic:Semantic",
    "tfidf": "tfidf:TfIdf",
    "vectors": "vectors.model:Vectors",
}
_OURS = {
    name: EntryPoint(name, f"evocrawl.relevance.{place}", GROUP) for name, place in _PLACES.items()
}


def names() -> tuple[str, ...]:
    """Return the names that `create` knows, sorted."""
    return tuple(sorted(_known()))


class Wanted(NamedTuple):
    """The arguments of `create`: the mix, the query, its language, and the options of models.

    `fresh_s` are the seconds for which a page is news, `examples` is where labelled pages are,
    `dictionaries` are files by which pages in other languages are translated. The scores of pages
    are chances if `calibrated`, else the models' own.
    """

    mix: str
    query: str
    language: str = ""
    fresh_s: float = FRESH_S
    examples: str = ""
    calibrated: bool = True
    dictionaries: tuple[str, ...] = ()

    @classmethod
    def by(cls, config: Config) -> Self:
        """Return what a crawl's configuration wants."""
        return cls(
            config.relevance,
            config.query,
            config.language,
            config.fresh_s,
            config.examples,
            config.calibrated,
            config.dictionaries,
        )

    def make(self) -> Relevance:
        """Return the model or the mix.

        Raises SettingError for an unknown name and for an argument that a model refuses, QueryError
        for a query without a usable term.
        """
        parts = parse_mix(self.mix)
        makers = [_maker(part, self.mix) for part in parts]
        offers = {"fresh_s": self.fresh_s, "examples": self.examples}
        _check_offers(makers, offers, self.mix)
        translate = self._translation()
        made: list[MixedModel] = []
        failure: UnknownWordsError | None = None
        for maker, part in zip(makers, parts, strict=True):
            try:
                model = translate(partial(_made, maker, part, offers))
                made.append(MixedModel(part.name, part.weight, model))
            except UnknownWordsError as error:
                failure = error
        if failure is not None:
            if not made:
                raise failure
            logger.warning("relevance: a part of %r is left out: %s", self.mix, failure)
        return mixed(made, calibrated=self.calibrated)

    def _translation(self) -> Callable[[Callable[[str, str], Relevance]], Relevance]:
        """Return what makes a model for the query, with pages translated by the dictionaries."""
        if not self.dictionaries:
            return lambda make: make(self.query, self.language)
        from evocrawl.relevance.translation.dictionaries import Dictionaries  # and SQLite

        language = analyser_of(self.query, self.language).language
        return Dictionaries(self.dictionaries, self.query, language).model


def create(
    mix: str,
    query: str,
    language: str = "",
    *,
    fresh_s: float = FRESH_S,
    examples: str = "",
    calibrated: bool = True,
    dictionaries: tuple[str, ...] = (),
) -> Relevance:
    """Return the model or mix of models `mix` for `query`, written in `language`.

    The form of `mix` is that of `evocrawl.relevance.mix_text`; `language` "" finds it by the
    script. The other arguments and the errors are those of `Wanted`.
    """
    return Wanted(mix, query, language, fresh_s, examples, calibrated, dictionaries).make()


class _Maker:
    """Makes one model of a mix: a class, what its constructor takes, and its own argument."""

    def __init__(self, make: Callable[..., Any], argument: str, *, is_ours: bool) -> None:
        self.make = make
        self.argument = argument
        self.is_ours = is_ours
        try:
            self.takes = frozenset(inspect.signature(make).parameters)
        except (TypeError, ValueError):  # a class in C has no signature
            self.takes = frozenset()


def _maker(part: MixPart, mix: str) -> _Maker:
    ours = _OURS.get(part.name)
    known = _known() if ours is None else _OURS  # looking up entry points takes time
    if part.name in known:
        point = known[part.name]
        maker = _Maker(point.load(), part.argument, is_ours=point is ours)
        if part.argument and "argument" not in maker.takes:
            raise SettingError("relevance", mix, f"{part.name} without an argument")
        return maker
    if "." not in part.name:
        raise SettingError("relevance", mix, _suggestion(part.name, known))
    name, _, argument = part.argument.partition(":")
    path = f"{part.name}:{name}" if name else part.name
    return _Maker(named_object(path, "relevance", mix), argument, is_ours=False)


def _made(
    maker: _Maker, part: MixPart, offers: dict[str, Any], query: str, language: str
) -> Relevance:
    every = {"argument": maker.argument, **offers}
    given = {name: value for name, value in every.items() if name in maker.takes}
    if maker.is_ours:
        ours: Relevance = maker.make(query, language, **given)
        return ours
    try:
        model = maker.make(query, language, **given)
    except EvocrawlError:
        raise
    except Exception as error:  # another package's class may raise anything
        allowed = f"a model that can be made ({type(error).__name__}: {error})"
        raise SettingError("relevance", part.name, allowed) from error
    if not all(callable(getattr(model, name, None)) for name in ("page", "link")):
        raise SettingError("relevance", part.name, "a model with the methods page and link")
    return Bounded(model)


def _check_offers(makers: list[_Maker], offers: dict[str, Any], mix: str) -> None:
    if offers["examples"] and not any("examples" in maker.takes for maker in makers):
        allowed = f"empty, since no model of {mix!r} learns from examples; add +classifier"
        raise SettingError("examples", offers["examples"], allowed)


def _suggestion(name: str, known: dict[str, EntryPoint]) -> str:
    if not name.replace("-", "_").isidentifier():
        return ALLOWED  # often a part of a pattern without quotes
    near = difflib.get_close_matches(name.lower(), known, n=1)
    question = f"did you mean {near[0]}? " if near else ""
    listed = ", ".join(sorted(known))
    return f"{question}the models are {listed}, or package.module:Class for one of your own"


def _known() -> dict[str, EntryPoint]:
    """Return models by name; a built-in model overrides an entry point of the same name."""
    return {point.name: point for point in entry_points(group=GROUP)} | _OURS
