"""Relevance models in a crawl: mixes, meaning, patterns, markup, own models, and examples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tiny_dictionary as tiny
from livecrawl import QUERY, Crawl, page, site

from evocrawl.core.model import Content
from evocrawl.relevance import create

HOST = "reef.test"
REEF = "The reef is dying from heat stress, and the polyps expel their algae. " * 6
RAIL = "The committee approved the budget of the railway company on Tuesday. " * 6
RECIPE = '<script type="application/ld+json">{"@type": "Recipe"}</script>' + RAIL
PAGES = {
    "/": page("/words first", "/meaning second", "/recipe third", "/rail fourth", text=RAIL),
    "/words": page(text=f"{QUERY} of corals by heat. " * 12, title="Coral bleaching"),
    "/meaning": page(text=REEF, title="Reefs in heat"),
    "/recipe": page(text=RECIPE, title="Soup"),
    "/rail": page(text=RAIL, title="Railways"),
}
SEES_MEANING = ("tfidf+vectors", "regex:expel.their", "classifier")
OWN = """
class Titles:
    reads = frozenset()
    def __init__(self, query, language="", *, argument=""):
        self.wanted = argument
    def page(self, content):
        return float(content.title == self.wanted)
    def link(self, anchor, context, language=""):
        return 0.0
"""


def marked(path: Path, *rows: tuple[str, int]) -> str:
    """Write examples, and return the path of their file."""
    path.write_text("\n".join(json.dumps({"text": text, "label": label}) for text, label in rows))
    return str(path)


@pytest.mark.parametrize(
    ("relevance", "relevant"),
    [
        ("tfidf", {"words"}),
        ("tfidf+vectors", {"words"}),
        ("regex:expel.their", {"meaning"}),
        ("markup:Recipe", {"recipe"}),
        ("{folder}/own.py:Titles:Soup", {"recipe"}),
        ("classifier", {"words", "meaning"}),
    ],
)
def test_a_crawl_uses_the_model_of_its_option(
    serve, crawl: Crawl, tmp_path: Path, relevance: str, relevant: set[str]
) -> None:
    """Every page gets its relevance, and 0.5 is the threshold of relevant pages."""
    (tmp_path / "own.py").write_text(OWN)
    arguments = {"query": QUERY, "seeds": f"http://{HOST}/", "max_requests": 0}
    arguments["relevance"] = relevance.format(folder=tmp_path)
    if relevance == "classifier":
        rows = ((f"{REEF} coral bleaching", 1), ("corals and algae in the sea", 1), (RAIL, 0))
        arguments["examples"] = marked(tmp_path / "marked.jsonl", *rows)
    crawled = crawl(serve({HOST: site(PAGES)}), arguments=arguments)
    crawled.check_settled()
    scores = {each["url"].rpartition("/")[2]: each["relevance"] for each in crawled.pages}
    assert {name for name, score in scores.items() if score >= 0.5} == relevant
    assert scores["meaning"] >= scores["rail"]
    assert (scores["meaning"] > scores["rail"]) == (relevance in SEES_MEANING)
    assert crawled.stat("relevant_pages") == len(relevant)


def test_a_crawl_reads_pages_in_another_language_by_a_dictionary(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """The words of its links count as well: `energy` fetches the link to a relevant page first."""
    about = "Die Korallen in den Riffen sterben, und die Bleiche der Koralle kommt vom Meer. " * 6
    other = "Die Straße und das Haus werden gebaut, und der Zug kommt heute nicht. " * 6
    names = [f"/{number}" for number in range(12)]
    links = [f"{name} Straße {name[1:]}" for name in names]
    web = {"/": page(*links, "/reef Korallenbleiche", text=other, language="de")}
    web |= {name: page(text=f"{other} {name}", language="de") for name in names}
    web |= {"/reef": page(text=about, language="de")}
    arguments = {"query": QUERY, "language": "en", "seeds": f"http://{HOST}/", "species": "energy",
                 "dictionaries": tiny.german(tmp_path), "max_requests": 0}  # fmt: skip
    crawled = crawl(serve({HOST: site(web)}), arguments=arguments)
    crawled.check_settled()
    assert {each["language"] for each in crawled.pages} == {"de"}
    assert [each["url"] for each in crawled.pages if each["relevance"] >= 0.5] == [
        f"http://{HOST}/reef"
    ]
    assert [each["url"] for each in crawled.pages].index(f"http://{HOST}/reef") < 4
    assert "most of the first pages are in" not in crawled.log


@pytest.mark.takes_s(25)
def test_a_crawl_that_is_resumed_has_learnt_the_same(serve, crawl: Crawl, tmp_path: Path) -> None:
    """A classifier that learns from the crawl's own pages continues where it was.

    The next crawl learns from the pages of the stored one.
    """
    texts = [REEF if n % 3 == 0 else f"{RAIL} item {n}" for n in range(40)]
    web = {f"/{n}": page(f"/{n + 1}", text=text) for n, text in enumerate(texts)}
    arguments = {
        "seeds": f"http://{HOST}/0",
        "relevance": "classifier",
        "examples": marked(tmp_path / "marked.jsonl", (REEF, 1), ("corals and algae", 1)),
        "novelty": "false",
    }
    whole = crawl(serve({HOST: site(web)}), arguments={**arguments, "max_requests": 36})
    stored = {**arguments, "store": tmp_path / "s.sqlite"}
    parts = [
        crawl(serve({HOST: site(web)}), arguments={**stored, "max_requests": budget})
        for budget in (20, 36)
    ]
    scores = [{each["url"]: each["relevance"] for each in run.pages} for run in (whole, *parts)]
    assert len(scores[1]) > 10
    assert len(scores[2]) > 10
    resumed = scores[1] | scores[2]  # a page less, since each run requests robots.txt
    assert len(resumed) >= 30
    assert resumed.items() <= scores[0].items()
    again = create("classifier", "", examples=str(stored["store"]))
    assert again.page(Content("", REEF, "en")) > 0.5 > again.page(Content("", RAIL, "en"))
