"""``evocrawl score``: says what a page is worth for a query, and why."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from evocrawl.cli.names import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evocrawl.core.config.config import Config
    from evocrawl.core.model import Content
    from evocrawl.relevance.explanation import Explanation, ModelScore

_SHOWN_TERMS = 8
_CAPTIONS = {
    "tfidf": "by the words of the query that are on the page:",
    "bm25": "by the words of the query that are on the page:",
    "opening": "by how early the page names the words of the query:",
    "vectors": "by how near the meaning of the page's words is to the query:",
    "classifier": "by the words that make the page like the examples:",
}
_REMARKS = {
    "regex": ("the pattern does not occur on the page", "the pattern occurs on the page"),
    "markup": ("the page is marked up as no such type", "the page is marked up as such a type"),
    "semantic": ("the page has no such machine-readable content", "the page has such content"),
    "recency": ("the page is old or of unknown age, or does not match the query",
                "the page is new, and matches the query if there is one"),
}  # fmt: skip
"""The meaning of a score of 0, and of a higher one, for models that do not count words."""
_EPILOG = """\
examples:
  evocrawl score "coral bleaching" https://en.wikipedia.org/wiki/Coral_bleaching
  evocrawl score "coral bleaching" page.html --set relevance=bm25
  evocrawl score "coral bleaching" page.html --set relevance=tfidf+classifier --set examples=marked/
  curl https://… | evocrawl score "coral bleaching" -

It shows the chance that a reader would call the page relevant, whether that is enough, and for each
model of the mix its weight, its own score, and the words of the page that add most to it, each
for all its forms.

The command fetches robots.txt of the server, and URL if robots.txt allows it; nothing else."""


def add_to(commands: Any) -> None:
    """Add the command to the parser of all commands."""
    command = commands.add_parser(
        "score",
        help=COMMANDS["score"],
        description="Say what a page is worth for a query, model by model and term by term.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=score)
    command.add_argument("query", metavar="QUERY", help="search words")
    command.add_argument(
        "page", metavar="URL|FILE", help="http(s) address, a file, or - for standard input"
    )
    command.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], type=_setting,
                         help="option of evocrawl, such as relevance=bm25; repeatable")  # fmt: skip
    command.add_argument("--format", choices=("text", "json"), default="text", help="default: text")


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("must be NAME=VALUE, such as relevance=bm25")
    return name.strip(), value


def score(asked: argparse.Namespace) -> None:
    """Read the page, score it, and print the explanation."""
    from evocrawl.cli.page_source import page_at
    from evocrawl.core.config.config import Config
    from evocrawl.relevance import Wanted
    from evocrawl.relevance.explanation import as_read, explain

    config = Config.read({}, {**dict(asked.set), "query": asked.query})
    model = Wanted.by(config).make()
    content = page_at(asked.page)
    found = explain(model, config.relevance, content)
    understood: frozenset[str] = getattr(model, "understands", frozenset())
    if asked.format == "json":
        about = {"page": asked.page, "title": content.title, "language": content.language,
                 "relevant_at": config.relevant_at}  # fmt: skip
        print(json.dumps(about | asdict(found), indent=2))
    else:
        forms = _forms(config, as_read(model, content))
        lines = [*_heading(config, content, understood), "", *_lines(found, config, forms), ""]
        sys.stdout.write("\n".join(lines))


def _heading(config: Config, content: Content, understood: frozenset[str]) -> Iterator[str]:
    from evocrawl.relevance.language_check import group_of, is_same, name_of
    from evocrawl.relevance.terms import analyser_of

    title = f"{content.title or 'a page without a title'}, {_length(content.text)}"
    page = content.language.partition("-")[0].lower()
    yield f"{title}, in {name_of(page)}" if page else title
    query = analyser_of(config.query, config.language).language
    if page and not is_same(page, query):
        translated = group_of(page) in understood
        how = "the page is translated word by word" if translated else (
            "models that compare words find little here")  # fmt: skip
        yield f"The query is in {name_of(query)}; {how}."


def _length(text: str) -> str:
    """Return how long a text is, in words, or in signs where no spaces part its words."""
    from evocrawl.core.text.words import signs, whole_words

    runs = whole_words(text)
    packed = sum(len(signs(run)) for run, is_packed in runs if is_packed)
    spaced = sum(not is_packed for _, is_packed in runs)
    count, unit = (packed, "character") if packed > spaced else (spaced, "word")
    return f"1 {unit}" if count == 1 else f"{count} {unit}s"


def _forms(config: Config, content: Content) -> dict[str, str]:
    """Return the most frequent word of each term, since a stem such as "speci" is no word."""
    from evocrawl.relevance.terms import analyser_of

    analyser = analyser_of(config.query, config.language)
    words = Counter(analyser.words(f"{content.title} {content.text} {config.query}"))
    forms: dict[str, str] = {}
    for word, _ in sorted(words.items(), key=lambda each: (-each[1], len(each[0]), each[0])):
        terms = analyser.terms(word)
        if len(terms) == 1 or (terms and analyser.parts_compounds):
            forms.setdefault(terms[0], word)
    return forms


def _lines(found: Explanation, config: Config, forms: dict[str, str]) -> Iterator[str]:
    what = "chance" if config.calibrated else "score"
    verdict = "relevant" if found.relevance >= config.relevant_at else "not relevant"
    yield f"{what} {found.relevance:.3f}: {verdict} (relevant from {config.relevant_at:g})"
    for each in found.models:
        yield ""
        yield from _model_lines(each, forms)


def _model_lines(each: ModelScore, forms: dict[str, str]) -> Iterator[str]:
    from evocrawl.core.sanitize import one_line

    if each.score is None:
        yield f"{each.name}: cannot score this page (another language, or no known word); left out"
        return
    means = "" if each.chance is None else f", which alone means the chance {each.chance:.3f}"
    yield f"{each.name}, weight {each.weight:.2f}: score {each.score:.3f}{means}"
    if each.name in _REMARKS:
        yield f"  {_REMARKS[each.name][each.score > 0]}"
    shown = [term for term in each.terms if term.share > 0][:_SHOWN_TERMS]
    missing = [forms.get(term.term, term.term) for term in each.terms if not term.mentions]
    if shown and each.name in _CAPTIONS:
        yield f"  {_CAPTIONS[each.name]}"
    for term in shown:
        times = "1 mention" if term.mentions == 1 else f"{term.mentions} mentions"
        word = one_line(forms.get(term.term, term.term), 40)
        yield f"  {term.share:+.3f}  {word:24} {term.where or times}"
    rest = sum(term.share for term in each.terms) - sum(term.share for term in shown)
    others = len([term for term in each.terms if term.mentions]) - len(shown)
    if others > 0:
        yield f"  {rest:+.3f}  {others} other words"
    if missing:
        place = "among its first words" if each.name == "opening" else "on the page"
        yield f"  not {place}: {', '.join(missing)}"
