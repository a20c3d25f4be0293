"""Pages that are marked relevant or not."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from evocrawl.core.errors import SettingError
from evocrawl.relevance import create
from evocrawl.relevance.examples import read_examples

REEF = "Coral bleaching happens when a warm sea makes corals expel their algae."
RAIL = "The committee approved the budget of the railway company on Tuesday."
HTML = "<html><head><title>Reefs</title><style>p {}</style><script>x</script><body><p>Corals"


def labels(place: Path) -> list[tuple[bool, str]]:
    """Return label and text of each example at `place`."""
    return [(each.is_relevant, each.content.text if each.content else "")
            for each in read_examples(str(place))]  # fmt: skip


def test_a_folder_has_a_folder_for_each_label(tmp_path: Path) -> None:
    """Pages and texts at any depth; other files are not read."""
    (tmp_path / "relevant" / "more").mkdir(parents=True)
    (tmp_path / "irrelevant").mkdir()
    (tmp_path / "relevant" / "more" / "a.html").write_text(HTML)
    (tmp_path / "relevant" / "notes.pdf").write_bytes(b"%PDF")
    (tmp_path / "irrelevant" / "b.txt").write_text(RAIL)
    assert labels(tmp_path) == [(True, "Corals"), (False, RAIL)]
    (first, _) = read_examples(str(tmp_path))
    assert first.content is not None
    assert first.content.title == "Reefs"


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x.csv", "x.tsv"])
def test_a_file_has_a_line_for_each_page(tmp_path: Path, name: str) -> None:
    """As JSON lines or as a table, with any spelling of the labels."""
    spellings = [(1, True), ("yes", True), ("Relevant", True), (0, False), ("false", False)]
    file = tmp_path / name
    if "jsonl" in name:
        text = "\n".join(json.dumps({"text": REEF, "label": label}) for label, _ in spellings)
    else:
        tab = "\t" if "tsv" in name else ","
        text = "\n".join([f"label{tab}text", *(f"{label}{tab}{REEF}" for label, _ in spellings)])
    file.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    assert labels(file) == [(label, REEF) for _, label in spellings]


def test_an_exported_crawl_is_labelled_by_its_relevance(tmp_path: Path) -> None:
    """A label that was added by hand has precedence."""
    rows = [{"text": "a", "relevance": 0.7}, {"text": "b", "relevance": 0.2},
            {"text": "c", "relevance": 0.2, "label": 1}]  # fmt: skip
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert labels(tmp_path / "x.jsonl") == [(True, "a"), (False, "b"), (True, "c")]


def test_a_line_may_have_html_or_an_address_alone(tmp_path: Path) -> None:
    """The page of an address is learnt when the crawl fetches it."""
    rows = [{"html": HTML, "label": 1}, {"url": "http://a.test/", "label": 0}]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert [
        (each.url, each.content is None) for each in read_examples(str(tmp_path / "x.jsonl"))
    ] == [
        ("", False),
        ("http://a.test/", True),
    ]


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("x.jsonl", "", "there are none"),
        ("x.jsonl", '{"text": "", "label": 1}', "there are none"),
        ("x.jsonl", '{"url": "http://a.test/", "label": 1}', "there are none"),
        ("x.jsonl", '{"text": "a", "label": 0}', "at least one relevant page"),
        ("x.jsonl", '{"text": "a", "label": "maybe"}', "line 1 has the label 'maybe'"),
        ("x.jsonl", '{"text": "a"}', "line 1 has no label"),
        ("x.jsonl", '\n{"text": "a", "relevance": "x"}', "line 2 has a relevance"),
        ("x.jsonl", "{", "line 1 is no JSON"),
        ("x.jsonl", "[]", "line 1 is no object"),
        ("x.csv", "text\na", "line 2 has no label"),
        ("x.csv", "a,b\n1,2", "line 2 has no label"),
        ("x.pdf", "%PDF", "a folder with the folders relevant and irrelevant"),
        ("x.jsonl.gz", "no gzip", "a place that can be read"),
    ],
)
def test_examples_that_cannot_be_used_are_refused(
    tmp_path: Path, name: str, text: str, hint: str
) -> None:
    """In one line, before the first request."""
    (tmp_path / name).write_text(text)
    with pytest.raises(SettingError, match=r"^examples is ") as raised:
        create("classifier", "coral", examples=str(tmp_path / name))
    assert hint in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("place", ["", "/none/such", "empty"])
def test_a_place_without_examples_is_refused(tmp_path: Path, place: str) -> None:
    """It is empty, it does not exist, or it has no examples."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(SettingError, match=r"^examples is "):
        create("classifier", "", examples=str(tmp_path / "empty") if place == "empty" else place)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """Bytes that are not UTF-8, and binary files with the name of a text."""
    (tmp_path / "x.csv").write_bytes(b"text,label\n\xff\xfe,1")
    with pytest.raises(SettingError, match=r"byte 11 of x\.csv is no UTF-8"):
        read_examples(str(tmp_path / "x.csv"))
    (tmp_path / "x.jsonl").write_bytes(bytes(range(256)))
    with pytest.raises(SettingError, match=r"x\.jsonl is a binary file"):
        read_examples(str(tmp_path / "x.jsonl"))
    (tmp_path / "relevant").mkdir()
    (tmp_path / "relevant" / "a.html").write_bytes(bytes(range(256)))
    with pytest.raises(SettingError, match=r"a\.html is a binary file"):
        read_examples(str(tmp_path))
