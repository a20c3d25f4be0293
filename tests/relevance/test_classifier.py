"""Relevance by examples."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evocrawl.core.model import Content, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.relevance import create
from evocrawl.relevance.base import Learner, observer_of
from evocrawl.relevance.explanation import explain

REEFS = [
    "Coral bleaching happens when a warm sea makes corals expel their algae.",
    "The reef is home to fish, sponges and corals of many colours.",
    "Heat stress kills the polyps that build the reef.",
    "Marine biologists dive to count corals after the heat wave.",
    "Algae live inside the coral and feed it with sugar.",
]
RAILS = [
    "The committee approved the budget of the railway company on Tuesday.",
    "A steam locomotive pulls the train over the bridge.",
    "Passengers wait at the station for the express train.",
    "The company buys forty new carriages for its suburban lines.",
    "Tickets for the railway become dearer in spring.",
]
NEW_REEF = Content("", "Divers found bleached corals and dead polyps on the reef.", "en")
NEW_RAIL = Content("", "The express train left the station after the locomotive failed.", "en")


def marked(folder: Path, relevant: list[str], irrelevant: list[str], **more: object) -> str:
    """Write a file of examples, and return its path."""
    rows = [{"text": text, "label": 1} for text in relevant]
    rows += [{"text": text, "label": 0} for text in irrelevant]
    file = folder / "marked.jsonl"
    file.write_text("\n".join(map(json.dumps, [*rows, *([more] if more else [])])))
    return str(file)


def classifier(examples: str) -> Any:
    """Return the model itself; the workers that run such a test alone import its large library."""
    return create("classifier", "", examples=examples, calibrated=False)


def page(number: int, text: str, url: str = "") -> Page:
    """Return a page of a crawl."""
    url = url or f"http://a.test/{number}"
    return Page(url, fingerprint(url), 0.0, 0.0, content=Content("", text, "en"))


@pytest.mark.parametrize("query", ["", "coral bleaching"])
def test_ten_examples_tell_pages_of_the_topic_from_others(tmp_path: Path, query: str) -> None:
    """With a query or without one, which the examples replace."""
    model = create("classifier", query, examples=marked(tmp_path, REEFS, RAILS))
    assert model.page(NEW_REEF) > 0.5 > 0.1 > model.page(NEW_RAIL)
    assert model.link("coral reef", "") > model.link("railway", "") == 0
    assert model.page(Content()) == model.link("", "") == 0


def test_relevant_examples_alone_are_enough(tmp_path: Path) -> None:
    """Random words of the language stand for the pages that are not relevant."""
    model = create("classifier", "", examples=marked(tmp_path, REEFS, []))
    assert model.page(NEW_REEF) > 0.5 > model.page(NEW_RAIL)


def test_without_irrelevant_examples_the_crawl_s_own_pages_are_learnt(tmp_path: Path) -> None:
    """Words that all pages of the crawl have say nothing about the topic."""
    texts = [f"{text} Welcome to our site, please accept cookies." for text in REEFS]
    model = classifier(marked(tmp_path, texts, []))
    banner = Content("", "Welcome to our site, please accept cookies.", "en")
    before = model.page(banner), model.page(NEW_REEF)
    for number, text in enumerate(RAILS * 8):
        model.observe(page(number, f"{text} Welcome to our site, please accept cookies."))
    assert model.page(banner) < before[0]
    assert model.page(NEW_REEF) > model.page(banner)


def test_with_both_classes_the_pages_of_the_crawl_are_not_learnt(tmp_path: Path) -> None:
    """Then the examples say it all."""
    model = classifier(marked(tmp_path, REEFS, RAILS))
    before = model.page(NEW_REEF)
    for number in range(20):
        model.observe(page(number, REEFS[0]))
    assert model.page(NEW_REEF) == before


def test_a_page_that_a_user_marks_is_learnt(tmp_path: Path) -> None:
    """On the dashboard of a running crawl, alone or in a mix."""
    for name in ("classifier", "classifier+regex:zebra"):
        model = create(name, "", examples=marked(tmp_path, REEFS, RAILS))
        assert isinstance(model, Learner)
        zebras = Content("", "Giraffes graze in the savannah.", "en")
        before = model.page(zebras)
        model.learn(Content("", "Giraffes graze in the dry savannah.", "en"), True)
        assert model.page(zebras) > before


def test_an_address_is_learnt_when_its_page_is_there(tmp_path: Path) -> None:
    """With the label that the examples give it."""
    url = "http://a.test/zebras"
    model = classifier(marked(tmp_path, REEFS, RAILS, url=url, label=1))
    zebras = Content("", "Zebras graze in the savannah.", "en")
    before = model.page(zebras)
    model.observe(page(0, "Zebras graze in the dry savannah.", url))
    assert model.page(zebras) > before


def scores_after_learning(examples: str) -> str:
    """Return the scores of two pages to the last bit, when twenty others have been seen."""
    model = classifier(examples)
    for number, text in enumerate(RAILS * 4):
        model.observe(page(number, text))
    return f"{model.page(NEW_REEF).hex()} {model.page(NEW_RAIL).hex()}"


def test_the_same_examples_and_pages_give_the_same_classifier(tmp_path: Path) -> None:
    """Also in another process, where Python hashes strings differently: a resumed crawl goes on."""
    place = marked(tmp_path, REEFS, [])
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_classifier import scores_after_learning\n"
        f"print(scores_after_learning({place!r}))"
    )
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    other = subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": seed, "PATH": ""},
                           capture_output=True, text=True, check=True).stdout  # fmt: skip
    assert scores_after_learning(place) == other.strip()


def test_a_mix_learns_with_its_classifier(tmp_path: Path) -> None:
    """And a mix without one learns nothing."""
    mix = create("tfidf+classifier", "coral", examples=marked(tmp_path, REEFS, []))
    observe, before = observer_of(mix), mix.page(NEW_RAIL)
    assert observe is not None
    for number, text in enumerate(RAILS * 4):
        observe(page(number, text))
    assert mix.page(NEW_RAIL) < before
    assert observer_of(create("tfidf+bm25", "coral")) is None


def test_the_explanation_names_the_words_that_count(tmp_path: Path) -> None:
    """Those of the relevant examples first."""
    model = create("classifier", "", examples=marked(tmp_path, REEFS, RAILS))
    (found,) = explain(model, "classifier", NEW_REEF).models
    assert {term.term for term in found.terms[:3]} <= {"coral", "reef", "polyp", "bleach"}
    shares = [term.share for term in found.terms]
    assert shares == sorted(shares, reverse=True)
