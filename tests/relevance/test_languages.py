"""Pages about the query come before pages that share a word with it, in any language."""

from __future__ import annotations

import pytest
from language_samples import SAMPLES, Sample

from evocrawl.core.model import Content
from evocrawl.core.text import segmentation
from evocrawl.relevance import create, terms
from evocrawl.relevance.terms import link_analyser_of
from evocrawl.species.evo.link_model.hashing import Hasher

_PACKED = [sample for sample in SAMPLES if sample.language in ("ja", "km", "lo", "th", "zh")]
"""Those in languages for which there are dictionaries."""


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.language)
def test_a_relevant_page_comes_before_distractors(sample: Sample) -> None:
    """As a page and as a link; with dictionaries if there are any."""
    _compare(sample)


@pytest.mark.parametrize("sample", _PACKED, ids=lambda sample: sample.language)
def test_a_relevant_page_comes_before_distractors_without_dictionaries(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then each two neighbouring characters are a word."""
    monkeypatch.setattr(segmentation, "dictionaries", lambda: None)
    terms.analyser_of.cache_clear()
    _compare(sample)
    terms.analyser_of.cache_clear()


def _compare(sample: Sample) -> None:
    model = create("tfidf", sample.query, sample.language)
    score = model.page(Content("", sample.relevant, sample.language))
    others = [model.page(Content("", each, sample.language)) for each in sample.distractors]
    assert score > max(others)
    assert model.link(sample.relevant, "") > max(
        model.link(each, "") for each in sample.distractors
    )


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.language)
def test_link_models_read_the_same_words(sample: Sample) -> None:
    """Query and relevant page share more of them than the query and a distractor."""
    hasher = Hasher(link_analyser_of(sample.query, sample.language))
    query, relevant, *others = (
        set(hasher.page("", text)[0].tolist()) - {0}
        for text in (sample.query, sample.relevant, *sample.distractors)
    )
    assert len(query & relevant) >= max(len(query & other) for other in others)
    assert query & relevant
