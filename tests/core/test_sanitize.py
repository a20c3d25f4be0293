"""Texts from the web are shown safely, and secrets are masked."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.adapter.exporters import SafeCsvItemExporter
from evocrawl.core.errors import SettingError
from evocrawl.core.sanitize import (
    escape_formula,
    has_credentials,
    mask_secrets,
    one_line,
    without_credentials,
)

TEXTS = st.text(st.characters(codec=None))
FORMULAS = ['=HYPERLINK("http://x","ok")', "\t=1", "＝1", "-2+3", "+1", "@SUM(1)", " =1", "\n=1",
            "\u202e=1", '"=1', "'=1", "\ufeff=1", "−1",
            "\x7f=1", "\x9b=1", "\u034f=1", "\u061c=1", "\u115f=1", "\u180e=1", "\u2066=1",
            "\u2800=1", "\u3000=1", "\u3164=1", "\U000e0020=1", " \t'\u200b=1",
            "\r1", "\0=1", "－1", "＠x"]  # fmt: skip


@given(TEXTS, st.integers(1, 50))
def test_a_shown_text_is_one_line(text: str, most: int) -> None:
    """No control character, escape sequence, line end or change of direction is left."""
    assert one_line(text, most).isprintable()
    assert len(one_line(text, most)) <= most


@pytest.mark.parametrize(
    "url",
    ["redis://host/0?password=secret", "rediss://host/0?db=1&PASSWORD=secret&x=1",
     "unix:///run/redis?ssl_password=secret", "{'S': 'redis://host?passwd=secret'}"],
)  # fmt: skip
def test_r22_passwords_in_the_query_of_an_address_are_masked(url: str) -> None:
    """R22: Redis accepts them there, and Scrapy logs its settings."""
    assert "secret" not in mask_secrets(url)
    assert "=***" in mask_secrets(url)


@given(st.text(st.characters(categories=["L", "N"]), max_size=40))
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    """In any script."""
    assert one_line(text) == text


@pytest.mark.parametrize(
    "url",
    ["http://me:secret@host/a", "redis://:secret@host:6379/0", "http://a@b:secret@host/",
     "see http://me:secret@host/a, and ftp://you:secret@host"],
)  # fmt: skip
def test_secrets_are_masked(url: str) -> None:
    """R22: alone and within a text; the host stays readable."""
    assert "secret" not in mask_secrets(url)
    assert "***@host" in mask_secrets(url)
    assert "secret" not in str(SettingError("store", url, "a path"))


@pytest.mark.parametrize("url", ["http://host/@me", "http://host/?m=a@b", "http://host#a@b", "a@b"])
def test_text_without_a_secret_is_not_changed(url: str) -> None:
    """An @ in path, query, fragment or mail address does not follow a password."""
    assert mask_secrets(url) == url
    assert without_credentials(url) == url
    assert not has_credentials(url)


@given(TEXTS)
def test_any_text_can_be_asked_for_credentials(text: str) -> None:
    """No text raises an error, and no credentials are left."""
    assert isinstance(mask_secrets(f"http://{text}"), str)
    assert not has_credentials(without_credentials(f"http://{text}"))


@pytest.mark.parametrize("text", FORMULAS)
def test_no_formula_begins_a_cell(text: str) -> None:
    """B123: also behind space, quotes and invisible characters, and in full width."""
    assert escape_formula(text) == "'" + text.replace("\0", "")


@pytest.mark.parametrize("text", ["", "a=1", "1-2", "coral", "a\t=1", "(-1)", "5 + 3", "'tis"])
def test_other_texts_are_not_changed(text: str) -> None:
    """A formula is recognised by its beginning."""
    assert escape_formula(text) == text


def test_a_feed_of_csv_has_no_formulas() -> None:
    """B123: numbers stay numbers; lists are joined first."""
    file = io.BytesIO()
    exporter = SafeCsvItemExporter(file)
    exporter.start_exporting()
    exporter.export_item({"title": "=1+1", "energy": -2.5, "tags": ["-a", "b"], "name": "reef"})
    exporter.finish_exporting()
    (row,) = csv.DictReader(io.StringIO(file.getvalue().decode()))
    assert row == {"title": "'=1+1", "energy": "-2.5", "tags": "'-a,b", "name": "reef"}


def test_b123_names_of_fields_and_bytes_are_no_formulas_either() -> None:
    """B123: the headings of a table on a page may become names of fields."""
    file = io.BytesIO()
    exporter = SafeCsvItemExporter(file)
    exporter.start_exporting()
    exporter.export_item({"=cmd": b"@x", "plain": b"y", "none": None})
    exporter.finish_exporting()
    assert list(csv.reader(io.StringIO(file.getvalue().decode()))) == [
        ["'=cmd", "plain", "none"],
        ["'@x", "y", ""],
    ]
